import { currentLocale, formatList } from "../texts/dates.ts";
import { say } from "../texts/say.ts";
import { retold } from "../texts/stored.ts";
import { hiddenMark } from "./hidden-secrets.ts";
import type { PersonId } from "./ids.ts";

/** Texts about a trouble, the same everywhere. */
export interface TroubleWords {
  /** A few words, for a subject line. */
  readonly title: string;
  /** What is wrong, as a clause in lower case without a full stop. */
  readonly what: string;
  /** What to do, as a clause in lower case without a full stop. */
  readonly remedy: string;
  /** The message once it is over, as a clause in lower case without a full stop. */
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

interface EditInTrouble {
  readonly edit: number;
  readonly title: string;
  readonly problem: string;
}

const minutes = (count: number) => Temporal.Duration.from({ minutes: count });

/** The verdict and the times of a kind, in minutes: until a message is sent, and until it is over. */
const broken = (notifyAfter: number, overAfter: number) =>
  ({
    verdict: "broken",
    notifyAfter: minutes(notifyAfter),
    overAfter: minutes(overAfter),
  }) as const;
const doubtful = (notifyAfter: number, overAfter: number) =>
  ({ ...broken(notifyAfter, overAfter), verdict: "doubtful" }) as const;

const entry = <Facts extends object>(of: TroubleEntry<Facts>): TroubleEntry<Facts> => of;

const nameless = ({ id }: { readonly id: PersonId }) => ({ id, name: `person ${id}` });
/** An edit's problem may quote its item. */
const hiddenEdit = { title: hiddenMark, problem: "see the page Edits" };

/** Separates the figures from the remedy. */
const helpMark = " What would help: ";

/**
 * All kinds, in the order in which they are reported. Status, pages, `doctor`, metrics, logs and messages to the
 * operator use them; `troubles/find-troubles.ts` finds out which hold.
 */
const entries = {
  "database-damaged": entry<{ readonly problem: string; readonly remedy: string }>({
    ...broken(0, 0),
    words: ({ problem, remedy }) => ({
      title: say("trouble.database-damaged.title"),
      what: retold(problem),
      remedy,
      over: say("trouble.database-damaged.over"),
    }),
  }),
  /** Storage failing; `problem` includes the remedy. */
  "storage-failing": entry<{ readonly problem: string }>({
    ...broken(1, 5),
    hasCheck: true,
    words: ({ problem }) => ({
      title: say("trouble.storage-failing.title"),
      ...parted(retold(problem), "; "),
      over: say("trouble.storage-failing.over"),
    }),
  }),
  /** The service refuses a key; `person`: whose key, null = the account's. */
  "key-refused": entry<{
    readonly person: { readonly id: PersonId; readonly name: string } | null;
  }>({
    ...broken(2, 2),
    about: (trouble) => trouble.person?.id ?? null,
    nameless: ({ person }) => ({ person: person && nameless(person) }),
    words({ person }) {
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
    ...broken(5, 5),
    about: ({ host }) => host,
    words: ({ until, host, problem }) => ({
      title:
        until === null
          ? say("trouble.certificate.title")
          : say("trouble.certificate.titleExpires", { host }),
      what:
        until === null
          ? say("trouble.certificate.what", { host, problem: retold(problem) })
          : say("trouble.certificate.whatExpires", { host, until }),
      remedy: say("trouble.certificate.remedy"),
      over: say("trouble.certificate.over", { host }),
    }),
  }),
  "service-unreachable": entry<{ readonly problem: string }>({
    ...broken(15, 5),
    words: ({ problem }) => ({
      title: say("trouble.service-unreachable.title"),
      what: say("trouble.service-unreachable.what", { problem: retold(problem) }),
      remedy: say("trouble.service-unreachable.remedy"),
      over: say("trouble.service-unreachable.over"),
    }),
  }),
  /**
   * `sent` and `answered`: the same moment as it was sent and as it came back, as text. `offsets`: the service's
   * apparent offsets in the two halves of the year, as "+05:30"; `zones`: some zones that have them.
   */
  "zone-mismatch": entry<ZoneMismatch>({
    ...broken(0, 0),
    words: (trouble) => ({
      title: say("trouble.zone-mismatch.title"),
      what: `${say("trouble.zone-mismatch.what", { sent: trouble.sent, answered: trouble.answered, zone: trouble.zone })}${seemingZone(trouble)}`,
      remedy: say("trouble.zone-mismatch.remedy"),
      over: say("trouble.zone-mismatch.over"),
    }),
  }),
  /** `minutes`: how long the oldest edit has waited although the service answers. */
  "queue-stuck": entry<{ readonly edits: number; readonly minutes: number }>({
    ...broken(0, 5),
    words: ({ edits, minutes }) => ({
      title: say("trouble.queue-stuck.title"),
      what: say("trouble.queue-stuck.what", { count: edits, minutes }),
      remedy: say("trouble.queue-stuck.remedy"),
      over: say("trouble.queue-stuck.over"),
    }),
  }),
  /** `seconds`: how far this machine's clock is ahead of the service's. */
  "clock-wrong": entry<{ readonly seconds: number }>({
    ...broken(10, 10),
    hasCheck: true,
    words: ({ seconds }) => ({
      title: say("trouble.clock-wrong.title"),
      what: say(seconds > 0 ? "trouble.clock-wrong.ahead" : "trouble.clock-wrong.behind", {
        seconds: Math.abs(seconds),
      }),
      remedy: say("trouble.clock-wrong.remedy"),
      over: say("trouble.clock-wrong.over"),
    }),
  }),
  "backup-failed": entry<{ readonly problem: string }>({
    ...broken(0, 0),
    words: ({ problem }) => ({
      title: say("trouble.backup-failed.title"),
      what: say("trouble.backup-failed.what", { problem: retold(problem) }),
      remedy: say("trouble.backup-failed.remedy"),
      over: say("trouble.backup-failed.over"),
    }),
  }),
  /** A key file was missing at startup, and a new key was made; `ended`: what stopped working with the lost one. */
  "key-file-lost": entry<{ readonly file: string; readonly ended: string }>({
    ...doubtful(0, 0),
    notifiesEnd: false,
    about: ({ file }) => file,
    words: ({ file, ended }) => ({
      title: say("trouble.key-file-lost.title", { file }),
      what: say("trouble.key-file-lost.what", { file, ended }),
      remedy: say("trouble.key-file-lost.remedy"),
      over: say("trouble.key-file-lost.over", { file }),
    }),
  }),
  "disk-nearly-full": entry<{ readonly folder: string; readonly freeMebibytes: number }>({
    ...doubtful(5, 10),
    hasCheck: true,
    words: (trouble) => ({
      title: say("trouble.disk-nearly-full.title"),
      what: freeInWords(trouble),
      remedy: say("trouble.disk-nearly-full.remedy"),
      over: say("trouble.disk-nearly-full.over", { what: freeInWords(trouble) }),
    }),
  }),
  "mail-failing": entry<{ readonly waiting: number; readonly problem: string }>({
    ...broken(15, 5),
    hasCheck: true,
    words: ({ waiting, problem }) => ({
      title: say("trouble.mail-failing.title"),
      what: say("trouble.mail-failing.what", { count: waiting, problem: retold(problem) }),
      remedy: say("trouble.mail-failing.remedy"),
      over: say("trouble.mail-failing.over"),
    }),
  }),
  "webhook-failing": entry<{
    readonly name: string;
    readonly waiting: number;
    readonly problem: string;
  }>({
    ...broken(15, 5),
    about: ({ name }) => name,
    words: ({ name, waiting, problem }) => ({
      title: say("trouble.webhook-failing.title", { name }),
      what: say("trouble.webhook-failing.what", { count: waiting, name, problem: retold(problem) }),
      remedy: say("trouble.webhook-failing.remedy"),
      over: say("trouble.webhook-failing.over", { name }),
    }),
  }),
  /** The last reminder to a person's webhook was not delivered. */
  "person-webhook-failing": entry<{
    readonly person: { readonly id: PersonId; readonly name: string };
    readonly problem: string;
  }>({
    ...doubtful(60, 5),
    about: ({ person }) => person.id,
    nameless: ({ person }) => ({ person: nameless(person) }),
    words: ({ person, problem }) => ({
      title: say("trouble.person-webhook-failing.title", { name: person.name }),
      what: say("trouble.person-webhook-failing.what", {
        name: person.name,
        problem: retold(problem),
      }),
      remedy: say("trouble.person-webhook-failing.remedy"),
      over: say("trouble.person-webhook-failing.over", { name: person.name }),
    }),
  }),
  "lists-unreadable": entry<{
    readonly lists: number;
    /** Some of them. */
    readonly first: readonly { readonly source: string; readonly problem: string }[];
  }>({
    ...broken(30, 10),
    hasCheck: true,
    words({ lists, first }) {
      const more = lists - first.length;
      const named = first.map(({ source, problem }) => `${source}: ${retold(problem)}`).join("; ");
      return {
        title: say("trouble.lists-unreadable.title", { count: lists }),
        what: `${named}${more > 0 ? `; ${say("trouble.lists-unreadable.more", { count: more })}` : ""}`,
        remedy: listRemedy(named),
        over: say("trouble.lists-unreadable.over"),
      };
    },
  }),
  "subscription-failing": entry<{ readonly name: string; readonly problem: string }>({
    ...broken(60, 10),
    about: ({ name }) => name,
    words: ({ name, problem }) => ({
      title: say("trouble.subscription-failing.title", { name }),
      what: `${name}: ${retold(problem)}`,
      remedy: say("trouble.subscription-failing.remedy"),
      over: say("trouble.subscription-failing.over", { name }),
    }),
  }),
  "inbox-unusable": entry<{ readonly problem: string }>({
    ...broken(5, 5),
    words: ({ problem }) => ({
      title: say("trouble.inbox-unusable.title"),
      what: retold(problem),
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
    ...broken(2, 1),
    words({ waiting, ended, problem }) {
      const rest =
        ended === 0
          ? say("trouble.cache-not-purged.byAge")
          : say("trouble.cache-not-purged.ended", { count: ended });
      return {
        title: say("trouble.cache-not-purged.title"),
        what: say("trouble.cache-not-purged.what", {
          count: waiting,
          rest,
          problem: retold(problem),
        }),
        remedy: say("trouble.cache-not-purged.remedy"),
        over: say("trouble.cache-not-purged.over"),
      };
    },
  }),
  /** `advice`: the figures, `helpMark`, and the remedy. */
  "ceiling-missed": entry<{ readonly advice: string }>({
    ...doubtful(60, 60),
    hasCheck: true,
    words: ({ advice }) => ({
      title: say("trouble.ceiling-missed.title"),
      ...parted(advice, helpMark),
      over: say("trouble.ceiling-missed.over"),
    }),
  }),
  /** Removals that wait for a person's agreement. */
  "removals-held": entry<{
    readonly source: string;
    readonly missing: number;
    readonly total: number;
  }>({
    ...doubtful(10, 0),
    about: ({ source }) => source,
    words: ({ missing, total, source }) => ({
      title: say("trouble.removals-held.title"),
      what: say("trouble.removals-held.what", { missing, total, source }),
      remedy: say("trouble.removals-held.remedy"),
      over: say("trouble.removals-held.over"),
    }),
  }),
  /** An edit parked because its item kept changing. */
  "edit-frozen": entry<EditInTrouble>({
    ...doubtful(5, 0),
    about: ({ edit }) => edit,
    nameless: () => hiddenEdit,
    words: (trouble) => ({
      title: say("trouble.edit-frozen.title", { id: trouble.edit }),
      what: editInWords(trouble),
      remedy: say("trouble.edit-frozen.remedy"),
      over: say("trouble.edit-frozen.over", { id: trouble.edit }),
    }),
  }),
  /** An edit may have been carried out twice. */
  "edit-repeated": entry<EditInTrouble>({
    ...doubtful(5, 0),
    about: ({ edit }) => edit,
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
    ...doubtful(0, 0),
    hasCheck: true,
    notifiesEnd: false,
    about: ({ address }) => address,
    nameless: () => ({ address: "one address" }),
    words: ({ address, problem }) => ({
      title: say("trouble.mail-refused.title"),
      what: say("trouble.mail-refused.what", { address, problem: retold(problem) }),
      remedy: say("trouble.mail-refused.remedy"),
      over: say("trouble.mail-refused.over", { address }),
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

/** The remedy for a list that cannot be read. `problem`: the service's answer in words. */
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

const editInWords = (trouble: EditInTrouble): string =>
  say("trouble.edit-frozen.what", {
    id: trouble.edit,
    title: trouble.title,
    problem: retold(trouble.problem),
  });

const freeInWords = (disk: { readonly folder: string; readonly freeMebibytes: number }): string =>
  say("trouble.disk-nearly-full.what", {
    free: disk.freeMebibytes.toLocaleString(currentLocale()),
    folder: disk.folder,
  });

/** Splits a text into the problem and its remedy. */
function parted(text: string, mark: string): Pick<TroubleWords, "what" | "remedy"> {
  const at = text.indexOf(mark);
  const [what, remedy] =
    at < 0 ? [text, say("trouble.seeMessages")] : [text.slice(0, at), text.slice(at + mark.length)];
  return { what: bare(what), remedy: bare(remedy) };
}

const bare = (text: string): string => text.replace(/\.$/, "");
