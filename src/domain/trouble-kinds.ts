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
      title: "Database damaged",
      what: trouble.problem,
      remedy: trouble.remedy,
      over: "the database is intact again",
    }),
  }),
  /** Storage failing; `problem` says what helps too. */
  "storage-failing": entry<{ readonly problem: string }>({
    verdict: "broken",
    hasCheck: true,
    notifyAfter: minutes(1),
    overAfter: minutes(5),
    words: (trouble) => ({
      title: "Storage failing",
      ...parted(trouble.problem, "; "),
      over: "storage works again",
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
      const whose = person === null ? "the account's key" : `the key of ${person.name}`;
      const where = person === null ? "service.apiKeyFile" : "people[].apiKeyFile";
      return {
        title: person === null ? "API key rejected" : `API key of ${person.name} refused`,
        what: `the service refuses ${whose}: ${
          person === null
            ? "syncing is paused, and edits wait"
            : "this person's edits wait until it is accepted"
        }`,
        remedy: `put a valid key into ${where}, which is loaded within seconds; pending edits are kept`,
        over: `the service takes ${whose} again`,
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
        trouble.until === null ? "Certificate rejected" : `Certificate of ${trouble.host} expires`,
      what:
        trouble.until === null
          ? `no secure connection to ${trouble.host}: ${trouble.problem}`
          : `the certificate of ${trouble.host} is valid until ${trouble.until} only`,
      remedy:
        "ask the operator of that server to renew the certificate; set NODE_EXTRA_CA_CERTS for a company's own authority",
      over: `the certificate of ${trouble.host} is good`,
    }),
  }),
  "service-unreachable": entry<{ readonly problem: string }>({
    verdict: "broken",
    notifyAfter: minutes(15),
    overAfter: minutes(5),
    words: (trouble) => ({
      title: "Service unreachable",
      what: `the service cannot be reached or is failing: ${trouble.problem}`,
      remedy:
        "check the network and service.baseUrl; Dayferry retries automatically, and edits are kept until then",
      over: "the service responds again",
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
      title: "Time zone mismatch",
      what: `an event sent for ${trouble.sent} came back as ${trouble.answered}: the account is not in ${trouble.zone}${seemingZone(trouble)}`,
      remedy: "set service.timeZone to the account's zone",
      over: "the service uses the configured time zone",
    }),
  }),
  /** `minutes`: how long the oldest edit has waited although the service answers. */
  "queue-stuck": entry<{ readonly edits: number; readonly minutes: number }>({
    verdict: "broken",
    notifyAfter: minutes(0),
    overAfter: minutes(5),
    words: (trouble) => ({
      title: "Edits are stuck",
      what: `${counted(trouble.edits, "edit has", "edits have")} waited for up to ${trouble.minutes} minutes although the service responds`,
      remedy:
        "see why on the page Edits or with `dayferry edits list`; they are retried automatically",
      over: "no edit waits longer than it should",
    }),
  }),
  /** `seconds`: how far this machine's clock is ahead of the service's. */
  "clock-wrong": entry<{ readonly seconds: number }>({
    verdict: "broken",
    hasCheck: true,
    notifyAfter: minutes(10),
    overAfter: minutes(10),
    words: (trouble) => ({
      title: "Clock wrong",
      what: `this machine's clock is ${Math.abs(trouble.seconds)} s ${trouble.seconds > 0 ? "ahead of" : "behind"} the service's`,
      remedy: "set the clock, and let NTP keep it",
      over: "the clock is right again",
    }),
  }),
  "backup-failed": entry<{ readonly problem: string }>({
    verdict: "broken",
    notifyAfter: minutes(0),
    overAfter: minutes(0),
    words: (trouble) => ({
      title: "Backup failed",
      what: `the last backup failed: ${trouble.problem}`,
      remedy: "check the backup folder and its disk; the next one is made automatically",
      over: "backups work again",
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
      title: `Key file ${trouble.file} was lost`,
      what: `the file ${trouble.file} of the data directory was missing at a start, and a new key was created: ${trouble.ended}`,
      remedy:
        "unless it was deleted on purpose, stop Dayferry, run `dayferry restore --keys-only` with a backup that contains the keys, and start it again",
      over: `the file ${trouble.file} is the one that was lost, or that was long ago`,
    }),
  }),
  "disk-nearly-full": entry<{ readonly folder: string; readonly freeMebibytes: number }>({
    verdict: "doubtful",
    hasCheck: true,
    notifyAfter: minutes(5),
    overAfter: minutes(10),
    words: (trouble) => ({
      title: "Disk nearly full",
      what: freeInWords(trouble),
      remedy: "free disk space: without it no edit can be accepted",
      over: `disk space is available again: ${freeInWords(trouble)}`,
    }),
  }),
  "mail-failing": entry<{ readonly waiting: number; readonly problem: string }>({
    verdict: "broken",
    hasCheck: true,
    notifyAfter: minutes(15),
    overAfter: minutes(5),
    words: (trouble) => ({
      title: "Mail failing",
      what: `${counted(trouble.waiting, "mail waits", "mails wait")} for another try: ${trouble.problem}`,
      remedy:
        "check mail.smtpUrl, mail.smtpPasswordFile and the mail server; pending mails are then sent automatically",
      over: "mails are sent again",
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
      title: `Webhook ${trouble.name} fails`,
      what: `${counted(trouble.waiting, "message waits", "messages wait")} for the webhook ${trouble.name}: ${trouble.problem}`,
      remedy: "check its address and token; pending messages are then sent automatically",
      over: `the webhook ${trouble.name} takes messages again`,
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
        title: `Webhook of ${person.name} fails`,
        what: `the last message to the webhook of ${person.name} did not arrive: ${problem}`,
        remedy:
          "have that person look at Where reminders go on the page You, or look there yourself on People and mail",
        over: `the webhook of ${person.name} takes messages again`,
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
        title: `${counted(lists, "list", "lists")} cannot be read`,
        what: `${named}${more > 0 ? `; and ${more} more` : ""}`,
        remedy: listRemedy(named),
        over: "every list can be read again",
      };
    },
  }),
  "subscription-failing": entry<{ readonly name: string; readonly problem: string }>({
    verdict: "broken",
    notifyAfter: minutes(60),
    overAfter: minutes(10),
    about: (trouble) => trouble.name,
    words: (trouble) => ({
      title: `Calendar ${trouble.name} cannot be read`,
      what: `${trouble.name}: ${trouble.problem}`,
      remedy: "check its address in edits.subscriptions; it is retried automatically",
      over: `the calendar ${trouble.name} can be read again`,
    }),
  }),
  "inbox-unusable": entry<{ readonly problem: string }>({
    verdict: "broken",
    notifyAfter: minutes(5),
    overAfter: minutes(5),
    words: (trouble) => ({
      title: "Watched folder unusable",
      what: trouble.problem,
      remedy: "fix the folder edits.inbox; files in it are then processed automatically",
      over: "the inbox folder works again",
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
          ? "copies of feeds expire only by age"
          : `${counted(ended, "address that was ended", "addresses that were ended")} may still be served until then`;
      return {
        title: "Cache purge failing",
        what: `${counted(waiting, "feed waits", "feeds wait")} for being dropped from the cache in front, and ${rest}: ${problem}`,
        remedy:
          "check http.sharedCache.purge and the cache; pending purges are then sent automatically",
        over: "cache purge recovered",
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
      title: "Polling too slow",
      ...parted(trouble.advice, helpMark),
      over: "every list can be read within polling.maxAge again",
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
      title: "Removals on hold",
      what: `${trouble.missing} of ${trouble.total} items of one list (${trouble.source}) disappeared at once, and stay in calendars until someone approves`,
      remedy: "check the workspace, then approve on the page Edits",
      over: "no removal from that list is waiting",
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
        title: `Edit ${trouble.edit} does not settle`,
        what: `edit ${trouble.edit} of “${trouble.title}”: ${trouble.problem}`,
        remedy: "look at it on the page Edits, and retry or discard it",
        over: `edit ${trouble.edit} is settled`,
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
      title: `Edit ${trouble.edit} may exist twice`,
      what: `edit ${trouble.edit} of “${trouble.title}”: ${trouble.problem}`,
      remedy: "compare both in the workspace, and delete one",
      over: `edit ${trouble.edit} is there once`,
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
      title: "Mail rejected",
      what: `mail to ${trouble.address} is not taken: ${trouble.problem}`,
      remedy: 'correct the address in the workspace or in "people"',
      over: `nothing was refused for ${trouble.address} of late`,
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
    ? "check the API key and the IDs under projects; Dayferry retries automatically"
    : "Dayferry retries automatically";

/** Where the account seems to be, judging by its clocks. */
function seemingZone({ offsets = [], zones = [] }: ZoneMismatch): string {
  if (offsets.length === 0) return "";
  const clocks = [...new Set(offsets)].join(" and ");
  return zones.length === 0
    ? `; its clocks are at ${clocks}, which matches no time zone`
    : `; its clocks are at ${clocks}, as in ${zones.join(", ")}`;
}

const counted = (count: number, one: string, more: string): string =>
  `${count.toLocaleString("en")} ${count === 1 ? one : more}`;

const freeInWords = (disk: { readonly folder: string; readonly freeMebibytes: number }): string =>
  `${disk.freeMebibytes.toLocaleString("en")} MiB are free in ${disk.folder}`;

/** Splits one text into what is wrong and what helps. */
function parted(text: string, mark: string): Pick<TroubleWords, "what" | "remedy"> {
  const at = text.indexOf(mark);
  const [what, remedy] =
    at < 0 ? [text, "see docs/messages.md"] : [text.slice(0, at), text.slice(at + mark.length)];
  return { what: bare(what), remedy: bare(remedy) };
}

const bare = (text: string): string => text.replace(/\.$/, "");
