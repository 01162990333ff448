import type { FolderId, ListId, PersonId, ProjectId } from "../domain/ids.ts";
import type { MailWishes } from "../domain/mail-kind.ts";

/** Pino's level names, loudest last but one. */
export const logLevels = ["trace", "debug", "info", "warn", "error", "fatal", "silent"] as const;

/** Everything an operator can set: checked, defaults filled in, secrets read from their files, paths absolute. */
export interface Config {
  readonly dataDir: string;
  readonly service: ServiceConfig;
  /** `discover`: every project that the key can see. */
  readonly projects: "discover" | readonly ConfiguredProject[];
  /** Empty when the file says `discover`. */
  readonly people: readonly ConfiguredPerson[];
  /** Whether people are looked up at the service as well; a listed person overrides the discovered one by id. */
  readonly discoverPeople: boolean;
  readonly polling: PollingConfig;
  readonly http: HttpConfig;
  readonly feeds: FeedsConfig;
  readonly calendars: CalendarsConfig;
  readonly edits: EditsConfig;
  readonly mail: MailConfig;
  readonly reminders: RemindersConfig;
  readonly log: { readonly level: (typeof logLevels)[number] };
  /** Secret. Null = one is made on the first start. */
  readonly adminToken: string | null;
}

export interface ServiceConfig {
  /** Without a slash at the end, as are the other addresses. */
  readonly baseUrl: string;
  readonly uploadUrl: string;
  /** Secret. */
  readonly apiKey: string;
  readonly contact: string;
  /** The account's IANA zone. */
  readonly timeZone: string;
  readonly quota: { readonly requests: number; readonly per: Temporal.Duration };
  readonly timeout: Temporal.Duration;
  /** Link template with `{project}`, `{kind}` and `{id}`; null = no links to the service. */
  readonly webUrl: string | null;
}

export interface ConfiguredProject {
  readonly id: ProjectId;
  /** Null = the name is taken from the service. */
  readonly name: string | null;
  readonly todolists: "discover" | readonly ListId[];
  readonly folders: "discover" | readonly FolderId[];
}

export interface ConfiguredPerson {
  readonly id: PersonId;
  /** Null = what the service says; so for the e-mail address. */
  readonly name: string | null;
  readonly email: string | null;
  /** IANA zone; null = the account's. */
  readonly timeZone: string | null;
  /** Whether the person may change anything in the own calendars, and hand edits in. */
  readonly calendars: "write" | "read";
  /** Which mails the person gets. */
  readonly mail: MailWishes;
  /** Secret. Null = the person's edits are sent with the account's key. */
  readonly apiKey: string | null;
}

export interface PollingConfig {
  readonly maxAge: Temporal.Duration;
  /** The part of the quota that reading may use, from 0.1 to 1. */
  readonly share: number;
  readonly comments: boolean;
  readonly history: boolean;
  readonly files: boolean;
}

export interface HttpConfig {
  readonly host: string;
  /** 0 = any free port. */
  readonly port: number;
  readonly publicUrl: string | null;
  readonly trustProxy: boolean;
}

export interface FeedsConfig {
  readonly past: Temporal.Duration;
  readonly future: Temporal.Duration;
  /** How long completed items stay. */
  readonly completed: Temporal.Duration;
  readonly private: "omit" | "busy" | "show";
  readonly tasks: "due" | "span" | "none";
  /** Whether a date in a custom field of a task is published as an item of its own. */
  readonly customDates: boolean;
  readonly assignees: boolean;
  readonly actionLinks: boolean;
}

/** The two-way calendars. */
export interface CalendarsConfig {
  /** Whether each project has its milestones as a list of to-dos beside the calendar of its events. */
  readonly milestones: boolean;
}

export interface EditsConfig {
  readonly mode: "apply" | "review";
  readonly conflicts: "ask" | "theirs" | "ours";
  readonly labels: "known" | "create";
  /** Watched folder; null = none. */
  readonly inbox: string | null;
  readonly subscriptions: readonly ConfiguredSubscription[];
}

/** A remote calendar whose changes are taken as edits. */
export interface ConfiguredSubscription {
  readonly name: string;
  /** Secret: whoever knows it reads the calendar. http or https. */
  readonly url: string;
  readonly project: ProjectId;
  /** Whose edits these are; null = the account's. */
  readonly person: PersonId | null;
  readonly every: Temporal.Duration;
  /** What becomes of events that only the remote calendar has. */
  readonly new: "ignore" | "create";
  /** What becomes of items that the remote calendar no longer has. */
  readonly gone: "ignore" | "delete";
  /** Whether the address may point into a private network, as that of a calendar server of one's own does. */
  readonly allowPrivate: boolean;
}

export interface MailConfig {
  readonly from: { readonly name: string; readonly address: string };
  /** smtp: or smtps:, may carry a login (secret); null = mails are written to `directory`. */
  readonly smtpUrl: string | null;
  /** Secret; takes precedence over a password in `smtpUrl`. */
  readonly smtpPassword: string | null;
  readonly directory: string;
  /** How many mails go out in any minute, all people together. */
  readonly perMinute: number;
}

export interface RemindersConfig {
  readonly events: boolean;
  /** Leads, counted back from the day at `at`. */
  readonly milestones: readonly Temporal.Duration[];
  readonly tasks: readonly Temporal.Duration[];
  /** Whether what is open on the day after it was due is mailed, once. */
  readonly overdue: boolean;
  /** On the clocks of who reads. */
  readonly at: Temporal.PlainTime;
  readonly digest: DigestConfig | null;
  /** How late a missed reminder may still be sent. */
  readonly catchUp: Temporal.Duration;
}

/** When digests are sent, on the clocks of who reads; null = none. */
export interface DigestConfig {
  readonly at: Temporal.PlainTime;
  /** 1 = Monday to 7 = Sunday; null = every day. */
  readonly weekday: number | null;
}
