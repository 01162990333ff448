import { currentLocale, formatList } from "../texts/dates.ts";
import { say } from "../texts/say.ts";
import { hiddenMark } from "./hidden-secrets.ts";
import type { PersonId } from "./ids.ts";

/** Texts about a trouble, the same everywhere. */
export interface TroubleWords {
  /** A few words, for a subject line. */
  readonly title: string;
  /** What is wrong, as a clause in lower case without a full stop. */
  readonly what: string;
  /** What helps, as such a clause. */
  readonly remedy: string;
  /** The message once it is over, as such a clause. */
  readonly over: string;
}

/** `broken`: something does not work; `doubtful`: it will fail soon, or does not work as it should. */
export type TroubleVerdict = "broken" | "doubtful";

/** Everything about one kind of trouble. */
interface TroubleEntry<Facts extends object> {
  readonly verdict: TroubleVerdict;
  /** How long it must last before a message is sent. */
  readonly notifyAfter: Temporal.Duration;
  /** It is over when not seen for this long. If it comes back sooner, it is the same one. */
  readonly overAfter: Temporal.Duration;
  /** False if its end is not worth a message. */
  readonly notifiesEnd?: boolean;
  /** True if `doctor` has its own check for it. */
  readonly hasCheck?: true;
  /** Distinguishes several of one kind; absent if there can be only one. */
  about?(trouble: Facts): string | number | null;
  /** Replacements for facts that name items or people, for logs. */
  nameless?(trouble: Facts): object;
  words(trouble: Facts): TroubleWords;
}

interface ZoneMismatch {
  readonly zone: string;
  readonly sent: string;
  readonly answered: string;
  readonly offsets?: readonly string[];
  readonly zones?: readonly string[];
}

const minutes = (count: number) => Temporal.Duration.from({ minutes: count });

const entry = <Facts extends object>(of: TroubleEntry<Facts>): TroubleEntry<Facts> => of;

const nameless = ({ id }: { readonly id: PersonId }) => ({ id, name: `person ${id}` });
/** An edit's problem may quote its item. */
const hiddenEdit = { title: hiddenMark, problem: "see the page Edits" };

/** Separates the figures from what would help. */
const helpMark = " What would help: ";

/**
 * All kinds, in the order in which they are reported. Status, pages, `doctor`, metrics, logs and messages to the
 * operator use them; `troubles/find-troubles.ts` finds out which hold.
 */
const entries = {
  "database-damaged": entry<{ readonly problem: string; readonly remedy: string }>({
    verdict: "broken",
    notifyAfter: minutes(0),
    overAfter: minutes(0),
    words: (trouble) => ({
      title: say("trouble.database-damaged.title"),
      what: trouble.problem,
      remedy: trouble.remedy,
      over: say("trouble.database-damaged.over"),
    }),
  }),
  /** Storage failing; `problem` says what helps too. */
  "storage-failing": entry<{ readonly problem: string }>({
    verdict: "broken",
    hasCheck: true,
    notifyAfter: minutes(1),
    overAfter: minutes(5),
    words: (trouble) => ({
      title: say("trouble.storage-failing.title"),
      ...parted(trouble.problem, "; "),
      over: say("trouble.storage-failing.over"),
    }),
  }),
  /** The service refuses a key; `person`: whose key, null = the account's. */
  "key-refused": entry<{
    readonly person: { readonly id: PersonId; readonly name: string } | null;
  }>({
    verdict: "broken",
    notifyAfter: minutes(2),
    overAfter: minutes(2),
    about: (trouble) => trouble.person?.id ?? null,
    nameless: ({ person }) => ({ person: person && nameless(person) }),
    words(trouble) {
      const { person } = trouble;
      const where = person === null ? "service.apiKeyFile" : "people[].apiKeyFile";
      return {
        ...(person === null
          ? {
              title: say("trouble.key-refused.title"),
              what: say("trouble.key-refused.what"),
              over: say("trouble.key-refused.over"),
            }
          : {
              title: say("trouble.key-refused.titleOf", { name: person.name }),
              what: say("trouble.key-refused.whatOf", { name: person.name }),
              over: say("trouble.key-refused.overOf", { name: person.name }),
            }),
        remedy: say("trouble.key-refused.remedy", { where }),
      };
    },
  }),
  /** `until`: the last day of a certificate about to expire; null if a connection is refused because of it. */
  certificate: entry<{
    readonly host: string;
    readonly until: string | null;
    readonly problem: string;
  }>({
    verdict: "broken",
    notifyAfter: minutes(5),
    overAfter: minutes(5),
    about: (trouble) => trouble.host,
    words: (trouble) => ({
      title:
        trouble.until === null
          ? say("trouble.certificate.title")
          : say("trouble.certificate.titleExpires", { host: trouble.host }),
      what:
        trouble.until === null
          ? say("trouble.certificate.what", { host: trouble.host, problem: trouble.problem })
          : say("trouble.certificate.whatExpires", { host: trouble.host, until: trouble.until }),
      remedy: say("trouble.certificate.remedy"),
      over: say("trouble.certificate.over", { host: trouble.host }),
    }),
  }),
  "service-unreachable": entry<{ readonly problem: string }>({
    verdict: "broken",
    notifyAfter: minutes(15),
    overAfter: minutes(5),
    words: (trouble) => ({
      title: say("trouble.service-unreachable.title"),
      what: say("trouble.service-unreachable.what", { problem: trouble.problem }),
      remedy: say("trouble.service-unreachable.remedy"),
      over: say("trouble.service-unreachable.over"),
    }),
  }),
  /**
   * `sent` and `answered`: the same moment as it was sent and as it came back, as text. `offsets`: the service's
   * apparent offsets in the two halves of the year, as "+05:30"; `zones`: some zones that have them.
   */
  "zone-mismatch": entry<ZoneMismatch>({
    verdict: "broken",
    notifyAfter: minutes(0),
    overAfter: minutes(0),
    words: (trouble) => ({
      title: say("trouble.zone-mismatch.title"),
      what: `${say("trouble.zone-mismatch.what", {
        sent: trouble.sent,
        answered: trouble.answered,
        zone: trouble.zone,
      })}${seemingZone(trouble)}`,
      remedy: say("trouble.zone-mismatch.remedy"),
      over: say("trouble.zone-mismatch.over"),
    }),
  }),
  /** `minutes`: how long the oldest edit has waited although the service answers. */
  "queue-stuck": entry<{ readonly edits: number; readonly minutes: number }>({
    verdict: "broken",
    notifyAfter: minutes(0),
    overAfter: minutes(5),
    words: (trouble) => ({
      title: say("trouble.queue-stuck.title"),
      what: say("trouble.queue-stuck.what", { count: trouble.edits, minutes: trouble.minutes }),
      remedy: say("trouble.queue-stuck.remedy"),
      over: say("trouble.queue-stuck.over"),
    }),
  }),
  /** `seconds`: how far this machine's clock is ahead of the service's. */
  "clock-wrong": entry<{ readonly seconds: number }>({
    verdict: "broken",
    hasCheck: true,
    notifyAfter: minutes(10),
    overAfter: minutes(10),
    words: (trouble) => ({
      title: say("trouble.clock-wrong.title"),
      what: say(trouble.seconds > 0 ? "trouble.clock-wrong.ahead" : "trouble.clock-wrong.behind", {
        seconds: Math.abs(trouble.seconds),
      }),
      remedy: say("trouble.clock-wrong.remedy"),
      over: say("trouble.clock-wrong.over"),
    }),
  }),
  "backup-failed": entry<{ readonly problem: string }>({
    verdict: "broken",
    notifyAfter: minutes(0),
    overAfter: minutes(0),
    words: (trouble) => ({
      title: say("trouble.backup-failed.title"),
      what: say("trouble.backup-failed.what", { problem: trouble.problem }),
      remedy: say("trouble.backup-failed.remedy"),
      over: say("trouble.backup-failed.over"),
    }),
  }),
  /** A key file was missing at startup, and a new key was made; `ended`: what stopped working with the lost one. */
  "key-file-lost": entry<{ readonly file: string; readonly ended: string }>({
    verdict: "doubtful",
    notifyAfter: minutes(0),
    overAfter: minutes(0),
    notifiesEnd: false,
    about: (trouble) => trouble.file,
    words: (trouble) => ({
      title: say("trouble.key-file-lost.title", { file: trouble.file }),
      what: say("trouble.key-file-lost.what", { file: trouble.file, ended: trouble.ended }),
      remedy: say("trouble.key-file-lost.remedy"),
      over: say("trouble.key-file-lost.over", { file: trouble.file }),
    }),
  }),
  "disk-nearly-full": entry<{ readonly folder: string; readonly freeMebibytes: number }>({
    verdict: "doubtful",
    hasCheck: true,
    notifyAfter: minutes(5),
    overAfter: minutes(10),
    words: (trouble) => ({
      title: say("trouble.disk-nearly-full.title"),
      what: freeInWords(trouble),
      remedy: say("trouble.disk-nearly-full.remedy"),
      over: say("trouble.disk-nearly-full.over", { what: freeInWords(trouble) }),
    }),
  }),
  "mail-failing": entry<{ readonly waiting: number; readonly problem: string }>({
    verdict: "broken",
    hasCheck: true,
    notifyAfter: minutes(15),
    overAfter: minutes(5),
    words: (trouble) => ({
      title: say("trouble.mail-failing.title"),
      what: say("trouble.mail-failing.what", {
        count: trouble.waiting,
        problem: trouble.problem,
      }),
      remedy: say("trouble.mail-failing.remedy"),
      over: say("trouble.mail-failing.over"),
    }),
  }),
  "webhook-failing": entry<{
    readonly name: string;
    readonly waiting: number;
    readonly problem: string;
  }>({
    verdict: "broken",
    notifyAfter: minutes(15),
    overAfter: minutes(5),
    about: (trouble) => trouble.name,
    words: (trouble) => ({
      title: say("trouble.webhook-failing.title", { name: trouble.name }),
      what: say("trouble.webhook-failing.what", {
        count: trouble.waiting,
        name: trouble.name,
        problem: trouble.problem,
      }),
      remedy: say("trouble.webhook-failing.remedy"),
      over: say("trouble.webhook-failing.over", { name: trouble.name }),
    }),
  }),
  /** The last reminder to a person's webhook was not delivered. */
  "person-webhook-failing": entry<{
    readonly person: { readonly id: PersonId; readonly name: string };
    readonly problem: string;
  }>({
    verdict: "doubtful",
    notifyAfter: minutes(60),
    overAfter: minutes(5),
    about: (trouble) => trouble.person.id,
    nameless: ({ person }) => ({ person: nameless(person) }),
    words(trouble) {
      const { person, problem } = trouble;
      return {
        title: say("trouble.person-webhook-failing.title", { name: person.name }),
        what: say("trouble.person-webhook-failing.what", { name: person.name, problem }),
        remedy: say("trouble.person-webhook-failing.remedy"),
        over: say("trouble.person-webhook-failing.over", { name: person.name }),
      };
    },
  }),
  "lists-unreadable": entry<{
    readonly lists: number;
    /** Some of them. */
    readonly first: readonly { readonly source: string; readonly problem: string }[];
  }>({
    verdict: "broken",
    hasCheck: true,
    notifyAfter: minutes(30),
    overAfter: minutes(10),
    words(trouble) {
      const { lists, first } = trouble;
      const more = lists - first.length;
      const named = first.map(({ source, problem }) => `${source}: ${problem}`).join("; ");
      return {
        title: say("trouble.lists-unreadable.title", { count: lists }),
        what: `${named}${more > 0 ? `; ${say("trouble.lists-unreadable.more", { count: more })}` : ""}`,
        remedy: listRemedy(named),
        over: say("trouble.lists-unreadable.over"),
      };
    },
  }),
  "subscription-failing": entry<{ readonly name: string; readonly problem: string }>({
    verdict: "broken",
    notifyAfter: minutes(60),
    overAfter: minutes(10),
    about: (trouble) => trouble.name,
    words: (trouble) => ({
      title: say("trouble.subscription-failing.title", { name: trouble.name }),
      what: `${trouble.name}: ${trouble.problem}`,
      remedy: say("trouble.subscription-failing.remedy"),
      over: say("trouble.subscription-failing.over", { name: trouble.name }),
    }),
  }),
  "inbox-unusable": entry<{ readonly problem: string }>({
    verdict: "broken",
    notifyAfter: minutes(5),
    overAfter: minutes(5),
    words: (trouble) => ({
      title: say("trouble.inbox-unusable.title"),
      what: trouble.problem,
      remedy: say("trouble.inbox-unusable.remedy"),
      over: say("trouble.inbox-unusable.over"),
    }),
  }),
  /** Purges of a cache in front fail; `ended`: how many revoked feed addresses it may still serve. */
  "cache-not-purged": entry<{
    readonly waiting: number;
    readonly ended: number;
    readonly problem: string;
  }>({
    verdict: "broken",
    notifyAfter: minutes(2),
    overAfter: minutes(1),
    words(trouble) {
      const { waiting, ended, problem } = trouble;
      const rest =
        ended === 0
          ? say("trouble.cache-not-purged.byAge")
          : say("trouble.cache-not-purged.ended", { count: ended });
      return {
        title: say("trouble.cache-not-purged.title"),
        what: say("trouble.cache-not-purged.what", { count: waiting, rest, problem }),
        remedy: say("trouble.cache-not-purged.remedy"),
        over: say("trouble.cache-not-purged.over"),
      };
    },
  }),
  /** `advice`: the figures, and after `helpMark` what would help. */
  "ceiling-missed": entry<{ readonly advice: string }>({
    verdict: "doubtful",
    hasCheck: true,
    notifyAfter: minutes(60),
    overAfter: minutes(60),
    words: (trouble) => ({
      title: say("trouble.ceiling-missed.title"),
      ...parted(trouble.advice, helpMark),
      over: say("trouble.ceiling-missed.over"),
    }),
  }),
  /** Removals that wait for a person's agreement. */
  "removals-held": entry<{
    readonly source: string;
    readonly missing: number;
    readonly total: number;
  }>({
    verdict: "doubtful",
    notifyAfter: minutes(10),
    overAfter: minutes(0),
    about: (trouble) => trouble.source,
    words: (trouble) => ({
      title: say("trouble.removals-held.title"),
      what: say("trouble.removals-held.what", {
        missing: trouble.missing,
        total: trouble.total,
        source: trouble.source,
      }),
      remedy: say("trouble.removals-held.remedy"),
      over: say("trouble.removals-held.over"),
    }),
  }),
  /** An edit parked because its item kept changing. */
  "edit-frozen": entry<{ readonly edit: number; readonly title: string; readonly problem: string }>(
    {
      verdict: "doubtful",
      notifyAfter: minutes(5),
      overAfter: minutes(0),
      about: (trouble) => trouble.edit,
      nameless: () => hiddenEdit,
      words: (trouble) => ({
        title: say("trouble.edit-frozen.title", { id: trouble.edit }),
        what: editInWords(trouble),
        remedy: say("trouble.edit-frozen.remedy"),
        over: say("trouble.edit-frozen.over", { id: trouble.edit }),
      }),
    },
  ),
  /** An edit may have been carried out twice. */
  "edit-repeated": entry<{
    readonly edit: number;
    readonly title: string;
    readonly problem: string;
  }>({
    verdict: "doubtful",
    notifyAfter: minutes(5),
    overAfter: minutes(0),
    about: (trouble) => trouble.edit,
    nameless: () => hiddenEdit,
    words: (trouble) => ({
      title: say("trouble.edit-repeated.title", { id: trouble.edit }),
      what: editInWords(trouble),
      remedy: say("trouble.edit-repeated.remedy"),
      over: say("trouble.edit-repeated.over", { id: trouble.edit }),
    }),
  }),
  /** A mail to one address was rejected permanently, or given up. */
  "mail-refused": entry<{ readonly address: string; readonly problem: string }>({
    verdict: "doubtful",
    hasCheck: true,
    notifyAfter: minutes(0),
    overAfter: minutes(0),
    notifiesEnd: false,
    about: (trouble) => trouble.address,
    nameless: () => ({ address: "one address" }),
    words: (trouble) => ({
      title: say("trouble.mail-refused.title"),
      what: say("trouble.mail-refused.what", {
        address: trouble.address,
        problem: trouble.problem,
      }),
      remedy: say("trouble.mail-refused.remedy"),
      over: say("trouble.mail-refused.over", { address: trouble.address }),
    }),
  }),
} as const;

export type TroubleKind = keyof typeof entries;
type FactsByKind = {
  [Kind in TroubleKind]: (typeof entries)[Kind] extends TroubleEntry<infer Facts> ? Facts : never;
};
export type TroubleOf<Kind extends TroubleKind> = {
  [Each in Kind]: { readonly kind: Each } & FactsByKind[Each];
}[Kind];
/** A trouble with the facts for its texts. */
export type Trouble = TroubleOf<TroubleKind>;

export const troubleEntries: { readonly [Kind in TroubleKind]: TroubleEntry<FactsByKind[Kind]> } =
  entries;

export const isTroubleKind = (kind: string): kind is TroubleKind => kind in entries;
export const troubleKinds: readonly TroubleKind[] = Object.keys(entries).filter(isTroubleKind);

/** What helps with a list that cannot be read; `problem`: the service's answer in words. */
export const listRemedy = (problem: string): string =>
  /\((?:401|403|404|410)\)/.test(problem)
    ? say("trouble.lists-unreadable.checkKey")
    : say("trouble.lists-unreadable.retries");

/** Where the account seems to be, judging by its clocks. */
function seemingZone({ offsets = [], zones = [] }: ZoneMismatch): string {
  if (offsets.length === 0) return "";
  const clocks = formatList([...new Set(offsets)]);
  return zones.length === 0
    ? `; ${say("trouble.zone-mismatch.clocks", { clocks })}`
    : `; ${say("trouble.zone-mismatch.clocksAs", { clocks, zones: zones.join(", ") })}`;
}

const editInWords = (trouble: {
  readonly edit: number;
  readonly title: string;
  readonly problem: string;
}): string =>
  say("trouble.edit-frozen.what", {
    id: trouble.edit,
    title: trouble.title,
    problem: trouble.problem,
  });

const freeInWords = (disk: { readonly folder: string; readonly freeMebibytes: number }): string =>
  say("trouble.disk-nearly-full.what", {
    free: disk.freeMebibytes.toLocaleString(currentLocale()),
    folder: disk.folder,
  });

/** Splits one text into what is wrong and what helps. */
function parted(text: string, mark: string): Pick<TroubleWords, "what" | "remedy"> {
  const at = text.indexOf(mark);
  const [what, remedy] =
    at < 0 ? [text, say("trouble.seeMessages")] : [text.slice(0, at), text.slice(at + mark.length)];
  return { what: bare(what), remedy: bare(remedy) };
}

const bare = (text: string): string => text.replace(/\.$/, "");
