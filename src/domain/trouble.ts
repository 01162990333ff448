import { hiddenMark } from "./hidden-secrets.ts";
import type { PersonId } from "./ids.ts";
import { unreachable } from "./result.ts";

/** What the operator must hear of, with the facts that a sentence about it needs. */
export type Trouble =
  /** The service refuses a key; `person`: whose own key, null = the account's. */
  | {
      readonly kind: "key-refused";
      readonly person: { readonly id: PersonId; readonly name: string } | null;
    }
  /**
   * `sent` and `answered`: the same moment as it left and as it came back, as texts. `offsets`: those that the service's clocks
   * seem to have in different halves of the year, as "+05:30"; `zones`: some that have them.
   */
  | {
      readonly kind: "zone-mismatch";
      readonly zone: string;
      readonly sent: string;
      readonly answered: string;
      readonly offsets?: readonly string[];
      readonly zones?: readonly string[];
    }
  | { readonly kind: "mail-failing"; readonly waiting: number; readonly problem: string }
  /** A mail to one address was refused for good, or given up. */
  | { readonly kind: "mail-refused"; readonly address: string; readonly problem: string }
  | {
      readonly kind: "webhook-failing";
      readonly name: string;
      readonly waiting: number;
      readonly problem: string;
    }
  /** The last message to where a person has reminders sent did not arrive. */
  | {
      readonly kind: "person-webhook-failing";
      readonly person: { readonly id: PersonId; readonly name: string };
      readonly problem: string;
    }
  /** A key file was missing at a start, and another key was made; `ended`: what is no more with the one that was lost. */
  | { readonly kind: "key-file-lost"; readonly file: string; readonly ended: string }
  | { readonly kind: "disk-nearly-full"; readonly folder: string; readonly freeMebibytes: number }
  /** Nothing can be stored; `problem` says what helps as well. */
  | { readonly kind: "storage-failing"; readonly problem: string }
  | { readonly kind: "database-damaged"; readonly problem: string; readonly remedy: string }
  | { readonly kind: "backup-failed"; readonly problem: string }
  /** `advice`: the sum, and what would help behind `helpMark`. */
  | { readonly kind: "ceiling-missed"; readonly advice: string }
  /** `minutes`: how long the oldest one has waited although the service answers. */
  | { readonly kind: "queue-stuck"; readonly edits: number; readonly minutes: number }
  | { readonly kind: "service-unreachable"; readonly problem: string }
  /** `until`: the last day of a certificate that is about to expire; null where a connection is refused because of it. */
  | {
      readonly kind: "certificate";
      readonly host: string;
      readonly until: string | null;
      readonly problem: string;
    }
  /** `seconds`: how far this machine's clock is ahead of the service's. */
  | { readonly kind: "clock-wrong"; readonly seconds: number }
  | {
      readonly kind: "lists-unreadable";
      readonly lists: number;
      /** Some of them. */
      readonly first: readonly { readonly source: string; readonly problem: string }[];
    }
  | { readonly kind: "subscription-failing"; readonly name: string; readonly problem: string }
  | { readonly kind: "inbox-unusable"; readonly problem: string }
  /** A cache in front is not told of changes; `ended`: how many addresses that opened feeds it may still serve. */
  | {
      readonly kind: "cache-not-purged";
      readonly waiting: number;
      readonly ended: number;
      readonly problem: string;
    }
  /** An edit that does not settle, and was parked for that. */
  | {
      readonly kind: "edit-frozen";
      readonly edit: number;
      readonly title: string;
      readonly problem: string;
    }
  /** An edit may have been carried out twice. */
  | {
      readonly kind: "edit-repeated";
      readonly edit: number;
      readonly title: string;
      readonly problem: string;
    }
  /** Removals that wait until somebody agrees to them. */
  | {
      readonly kind: "removals-held";
      readonly source: string;
      readonly missing: number;
      readonly total: number;
    };

export type TroubleKind = Trouble["kind"];

/** What is told of a trouble, the same everywhere. */
export interface TroubleWords {
  /** A few words, for a subject. */
  readonly title: string;
  /** What is wrong, as a clause that begins small and ends without a full stop. */
  readonly what: string;
  /** What helps, likewise. */
  readonly remedy: string;
  /** Said once it is over, likewise. */
  readonly over: string;
}

interface TroubleTrait {
  /** `broken`: something does not work; `doubtful`: it will not for long, or not as it should. */
  readonly verdict: "broken" | "doubtful";
  /** It must have lasted for so long before anybody is sent a message. */
  readonly tellAfter: Temporal.Duration;
  /** It is over when nothing was seen of it for so long; one that comes again before is the same one. */
  readonly overAfter: Temporal.Duration;
  /** Whether its end is worth a message. */
  readonly tellsEnd: boolean;
}

const minutes = (count: number) => Temporal.Duration.from({ minutes: count });

const trait = (
  verdict: TroubleTrait["verdict"],
  [tellAfter, overAfter]: readonly [tellAfter: number, overAfter: number],
  tellsEnd = true,
): TroubleTrait => ({
  verdict,
  tellAfter: minutes(tellAfter),
  overAfter: minutes(overAfter),
  tellsEnd,
});

/** By kind, in the order in which several are told; the two numbers are minutes. */
export const troubleTraits: Readonly<Record<TroubleKind, TroubleTrait>> = {
  "database-damaged": trait("broken", [0, 0]),
  "storage-failing": trait("broken", [1, 5]),
  "key-refused": trait("broken", [2, 2]),
  certificate: trait("broken", [5, 5]),
  "service-unreachable": trait("broken", [15, 5]),
  "zone-mismatch": trait("broken", [0, 0]),
  "queue-stuck": trait("broken", [0, 5]),
  "clock-wrong": trait("broken", [10, 10]),
  "backup-failed": trait("broken", [0, 0]),
  "key-file-lost": trait("doubtful", [0, 0], false),
  "disk-nearly-full": trait("doubtful", [5, 10]),
  "mail-failing": trait("broken", [15, 5]),
  "webhook-failing": trait("broken", [15, 5]),
  "person-webhook-failing": trait("doubtful", [60, 5]),
  "lists-unreadable": trait("broken", [30, 10]),
  "subscription-failing": trait("broken", [60, 10]),
  "inbox-unusable": trait("broken", [5, 5]),
  "cache-not-purged": trait("broken", [2, 1]),
  "ceiling-missed": trait("doubtful", [60, 60]),
  "removals-held": trait("doubtful", [10, 0]),
  "edit-frozen": trait("doubtful", [5, 0]),
  "edit-repeated": trait("doubtful", [5, 0]),
  "mail-refused": trait("doubtful", [0, 0], false),
};

/** How bad it is. A certificate that is still good for a while stops nothing yet. */
export const verdictOf = (trouble: Trouble): TroubleTrait["verdict"] =>
  trouble.kind === "certificate" && trouble.until !== null
    ? "doubtful"
    : troubleTraits[trouble.kind].verdict;

/** The same text for the same trouble whatever its facts are by now, so that it is told once. */
export function troubleId(trouble: Trouble): string {
  switch (trouble.kind) {
    case "key-refused":
      return trouble.person === null ? trouble.kind : `${trouble.kind}:${trouble.person.id}`;
    case "webhook-failing":
    case "subscription-failing":
      return `${trouble.kind}:${trouble.name}`;
    case "person-webhook-failing":
      return `${trouble.kind}:${trouble.person.id}`;
    case "mail-refused":
      return `${trouble.kind}:${trouble.address}`;
    case "key-file-lost":
      return `${trouble.kind}:${trouble.file}`;
    case "certificate":
      return `${trouble.kind}:${trouble.host}`;
    case "edit-frozen":
    case "edit-repeated":
      return `${trouble.kind}:${trouble.edit}`;
    case "removals-held":
      return `${trouble.kind}:${trouble.source}`;
    case "backup-failed":
    case "cache-not-purged":
    case "ceiling-missed":
    case "clock-wrong":
    case "database-damaged":
    case "disk-nearly-full":
    case "inbox-unusable":
    case "lists-unreadable":
    case "mail-failing":
    case "queue-stuck":
    case "service-unreachable":
    case "storage-failing":
    case "zone-mismatch":
      return trouble.kind;
    default:
      return unreachable(trouble);
  }
}

/** Between the sum and what would help. */
const helpMark = " What would help: ";

/** What is wrong and what helps, in words for people. */
export function troubleWords(trouble: Trouble): TroubleWords {
  switch (trouble.kind) {
    case "key-refused": {
      const { person } = trouble;
      const whose = person === null ? "the account's key" : `the key of ${person.name}`;
      const where = person === null ? "service.apiKeyFile" : "people[].apiKeyFile";
      return {
        title: person === null ? "API key refused" : `API key of ${person.name} refused`,
        what: `the service refuses ${whose}: ${
          person === null
            ? "nothing is read, and edits wait"
            : "edits of this person wait until it is taken"
        }`,
        remedy: `put a valid key into ${where}, which is taken up within seconds; nothing that waits is lost`,
        over: `the service takes ${whose} again`,
      };
    }
    case "zone-mismatch":
      return {
        title: "Time zone mismatch",
        what: `an event sent for ${trouble.sent} came back as ${trouble.answered}: the account is not in ${trouble.zone}${seemingZone(trouble)}`,
        remedy: "set service.timeZone to the account's zone",
        over: "the service answers in the zone that is configured",
      };
    case "mail-failing":
      return {
        title: "Mail cannot be sent",
        what: `${counted(trouble.waiting, "mail waits", "mails wait")} for another try: ${trouble.problem}`,
        remedy:
          "check mail.smtpUrl, mail.smtpPasswordFile and the mail server; what waits is sent by itself then",
        over: "mails go out again",
      };
    case "mail-refused":
      return {
        title: "Mail refused",
        what: `mail to ${trouble.address} is not taken: ${trouble.problem}`,
        remedy: 'correct the address in the workspace or in "people"',
        over: `nothing was refused for ${trouble.address} of late`,
      };
    case "key-file-lost":
      return {
        title: `Key file ${trouble.file} was lost`,
        what: `the file ${trouble.file} of the data directory was missing at a start, and another key was made: ${trouble.ended}`,
        remedy:
          "where nobody has deleted it on purpose, stop Dayferry, run `dayferry restore --keys-only` with a backup that holds the keys, and start it again",
        over: `the file ${trouble.file} is the one that was lost, or that was long ago`,
      };
    case "webhook-failing":
      return {
        title: `Webhook ${trouble.name} fails`,
        what: `${counted(trouble.waiting, "message waits", "messages wait")} for the webhook ${trouble.name}: ${trouble.problem}`,
        remedy: "check its address and token; what waits is sent by itself then",
        over: `the webhook ${trouble.name} takes messages again`,
      };
    case "person-webhook-failing": {
      const { person, problem } = trouble;
      return {
        title: `Webhook of ${person.name} fails`,
        what: `the last message to the webhook of ${person.name} did not arrive: ${problem}`,
        remedy:
          "have that person look at Where reminders go on the page You, or look there yourself on People and mail",
        over: `the webhook of ${person.name} takes messages again`,
      };
    }
    case "disk-nearly-full":
      return {
        title: "Disk nearly full",
        what: freeInWords(trouble),
        remedy: "make room: without it no edit can be taken in",
        over: `there is room again: ${freeInWords(trouble)}`,
      };
    case "storage-failing":
      return {
        title: "Nothing can be stored",
        ...parted(trouble.problem, "; "),
        over: "what is to be kept can be stored again",
      };
    case "database-damaged":
      return {
        title: "Database damaged",
        what: trouble.problem,
        remedy: trouble.remedy,
        over: "the database is whole again",
      };
    case "backup-failed":
      return {
        title: "Backup failed",
        what: `the last backup could not be made: ${trouble.problem}`,
        remedy: "look at the folder of the backups and its disk; the next one is tried by itself",
        over: "a backup was made again",
      };
    case "ceiling-missed":
      return {
        title: "Lists are read too seldom",
        ...parted(trouble.advice, helpMark),
        over: "everything can be read within polling.maxAge again",
      };
    case "queue-stuck":
      return {
        title: "Edits are stuck",
        what: `${counted(trouble.edits, "edit has", "edits have")} waited for up to ${trouble.minutes} minutes although the service answers`,
        remedy:
          "look at them on the page Edits, or with `dayferry edits list`, where each says why it waits; they are tried again by themselves",
        over: "no edit waits longer than it should",
      };
    case "service-unreachable":
      return {
        title: "Service unreachable",
        what: `the service cannot be reached or is failing: ${trouble.problem}`,
        remedy:
          "check the network and service.baseUrl; Dayferry retries automatically, and edits are kept until then",
        over: "the service answers again",
      };
    case "certificate":
      return {
        title:
          trouble.until === null ? "Certificate refused" : `Certificate of ${trouble.host} expires`,
        what:
          trouble.until === null
            ? `no secure connection to ${trouble.host}: ${trouble.problem}`
            : `the certificate of ${trouble.host} is valid until ${trouble.until} only`,
        remedy:
          "have the certificate renewed by whoever runs that server; a company's own authority goes into NODE_EXTRA_CA_CERTS",
        over: `the certificate of ${trouble.host} is good`,
      };
    case "clock-wrong":
      return {
        title: "Clock wrong",
        what: `this machine's clock is ${Math.abs(trouble.seconds)} s ${trouble.seconds > 0 ? "ahead of" : "behind"} the service's`,
        remedy: "set the clock, and let NTP keep it",
        over: "the clock is right again",
      };
    case "lists-unreadable": {
      const { lists, first } = trouble;
      const more = lists - first.length;
      const named = first.map(({ source, problem }) => `${source}: ${problem}`).join("; ");
      return {
        title: `${counted(lists, "list", "lists")} cannot be read`,
        what: `${named}${more > 0 ? `; and ${more} more` : ""}`,
        remedy: listRemedy(named),
        over: "every list can be read again",
      };
    }
    case "subscription-failing":
      return {
        title: `Calendar ${trouble.name} cannot be read`,
        what: `${trouble.name}: ${trouble.problem}`,
        remedy: "check its address in edits.subscriptions; it is read again by itself",
        over: `the calendar ${trouble.name} can be read again`,
      };
    case "inbox-unusable":
      return {
        title: "Watched folder unusable",
        what: trouble.problem,
        remedy: "mend the folder that edits.inbox names; files in it are taken up by themselves",
        over: "the watched folder can be used again",
      };
    case "cache-not-purged": {
      const { waiting, ended, problem } = trouble;
      const rest =
        ended === 0
          ? "copies of feeds end by their age alone"
          : `${counted(ended, "address that was ended", "addresses that were ended")} may still be served until then`;
      return {
        title: "Cache cannot be told",
        what: `${counted(waiting, "feed waits", "feeds wait")} for being dropped from the cache in front, and ${rest}: ${problem}`,
        remedy: "check http.sharedCache.purge and the cache; what waits is told by itself then",
        over: "the cache in front is told of changes again",
      };
    }
    case "edit-frozen":
      return {
        title: `Edit ${trouble.edit} does not settle`,
        what: `edit ${trouble.edit} of “${trouble.title}”: ${trouble.problem}`,
        remedy: "look at it on the page Edits, and retry or discard it",
        over: `edit ${trouble.edit} is settled`,
      };
    case "edit-repeated":
      return {
        title: `Edit ${trouble.edit} may be there twice`,
        what: `edit ${trouble.edit} of “${trouble.title}”: ${trouble.problem}`,
        remedy: "look at both in the workspace, and delete the one that is too many",
        over: `edit ${trouble.edit} is there once`,
      };
    case "removals-held":
      return {
        title: "Removals held back",
        what: `${trouble.missing} of ${trouble.total} items of one list (${trouble.source}) vanished at once, and stay in calendars until somebody agrees`,
        remedy: "look at the workspace, then agree on the page Edits",
        over: "no removal of that list is held back",
      };
    default:
      return unreachable(trouble);
  }
}

/** What helps with a list that cannot be read; `problem`: what the service answered, in words. */
export const listRemedy = (problem: string): string =>
  /\((?:401|403|404|410)\)/.test(problem)
    ? "check the API key and the IDs under projects; Dayferry retries automatically"
    : "Dayferry retries automatically";

/** Whether nothing can be synced while this lasts. */
export const stopsSync = (trouble: Trouble): boolean =>
  trouble.kind === "service-unreachable" ||
  (trouble.kind === "certificate" && trouble.until === null) ||
  (trouble.kind === "key-refused" && trouble.person === null);

/** Where the account seems to be, as far as its clocks tell. */
function seemingZone({ offsets = [], zones = [] }: ZoneMismatch): string {
  if (offsets.length === 0) return "";
  const clocks = [...new Set(offsets)].join(" and ");
  return zones.length === 0
    ? `; its clocks are at ${clocks}, as those of no zone are`
    : `; its clocks are at ${clocks}, as in ${zones.join(", ")}`;
}

type ZoneMismatch = Extract<Trouble, { readonly kind: "zone-mismatch" }>;

/** A trouble that holds now. */
export interface HeldTrouble {
  readonly trouble: Trouble;
  readonly since: Temporal.Instant;
}

/** The facts of a trouble as they are told to programs and shown on pages. */
export interface ToldTrouble {
  readonly id: string;
  readonly kind: TroubleKind;
  readonly verdict: TroubleTrait["verdict"];
  readonly since: Temporal.Instant;
  readonly title: string;
  /** One sentence: what is wrong, and what helps. */
  readonly sentence: string;
  readonly what: string;
  readonly remedy: string;
}

export function toldTrouble({ trouble, since }: HeldTrouble): ToldTrouble {
  const { kind } = trouble;
  const { title, what, remedy } = troubleWords(trouble);
  const verdict = verdictOf(trouble);
  const sentence = troubleSentence(trouble);
  return { id: troubleId(trouble), kind, verdict, since, title, sentence, what, remedy };
}

/** What is wrong and what helps, in one sentence. */
function troubleSentence(trouble: Trouble): string {
  const { what, remedy } = troubleWords(trouble);
  return `${capital(what)} → ${remedy}.`;
}

/**
 * What a log says of a trouble that has begun or is over: the same sentence, but for what items, people and their addresses are
 * called, which is nobody's business who reads a log.
 */
export function loggedTrouble(
  trouble: Trouble,
  phase: "begun" | "over",
): { readonly trouble: string; readonly what: string } {
  const nameless = withoutNames(trouble);
  const { what, over } = troubleWords(nameless);
  return {
    trouble: trouble.kind === "mail-refused" ? trouble.kind : troubleId(trouble),
    what: withoutAddresses(phase === "begun" ? what : over),
  };
}

function withoutNames(trouble: Trouble): Trouble {
  const { kind } = trouble;
  if (kind === "key-refused" && trouble.person) {
    const { id } = trouble.person;
    return { ...trouble, person: { id, name: `person ${id}` } };
  }
  if (kind === "person-webhook-failing") {
    const { id } = trouble.person;
    return { ...trouble, person: { id, name: `person ${id}` } };
  }
  if (kind === "mail-refused") return { ...trouble, address: "one address" };
  if (kind !== "edit-frozen" && kind !== "edit-repeated") return trouble;
  // What is wrong with an edit may quote what it is about.
  return { ...trouble, title: hiddenMark, problem: "see the page Edits" };
}

/** A server that refuses a mail repeats whose it is. */
const withoutAddresses = (text: string): string =>
  text.replaceAll(/[^\s<>"'@]{1,64}@[^\s<>"'@]{1,255}/g, hiddenMark);

export const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

const counted = (count: number, one: string, more: string): string =>
  `${count.toLocaleString("en")} ${count === 1 ? one : more}`;

const freeInWords = (disk: { readonly folder: string; readonly freeMebibytes: number }): string =>
  `${disk.freeMebibytes.toLocaleString("en")} MiB are free in ${disk.folder}`;

/** What was written as one text, as what is wrong and what helps. */
function parted(text: string, mark: string): Pick<TroubleWords, "what" | "remedy"> {
  const at = text.indexOf(mark);
  const [what, remedy] =
    at < 0 ? [text, "see docs/messages.md"] : [text.slice(0, at), text.slice(at + mark.length)];
  return { what: bare(what), remedy: bare(remedy) };
}

const bare = (text: string): string => text.replace(/\.$/, "");
