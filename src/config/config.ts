import type { HookScope } from "../domain/hook-event.ts";
import type { FolderId, ListId, PersonId, ProjectId } from "../domain/ids.ts";
import type { MailWishes } from "../domain/mail-kind.ts";
import type { Language } from "../texts/say.ts";

/** Pino's level names; `silent` turns logging off. */
export const logLevels = ["trace", "debug", "info", "warn", "error", "fatal", "silent"] as const;

/** All settings: validated, with defaults, secrets read from their files, and absolute paths. */
export interface Config {
  readonly dataDir: string;
  /** For people who have chosen none. */
  readonly language: Language;
  readonly service: ServiceConfig;
  /** `discover`: every project that the key has access to. */
  readonly projects: "discover" | readonly ConfiguredProject[];
  /** Empty if the file says `discover`. */
  readonly people: readonly ConfiguredPerson[];
  /** True if people are looked up in the service too. A listed person overrides the discovered one with the same id. */
  readonly discoverPeople: boolean;
  readonly polling: PollingConfig;
  readonly http: HttpConfig;
  readonly feeds: FeedsConfig;
  readonly calendars: CalendarsConfig;
  readonly edits: EditsConfig;
  readonly mail: MailConfig;
  readonly reminders: RemindersConfig;
  readonly operator: OperatorConfig;
  readonly webhooks: readonly EventHookConfig[];
  readonly metrics: MetricsConfig;
  readonly backups: BackupsConfig;
  readonly log: { readonly level: (typeof logLevels)[number] };
  /** Secret. Null = created on first start. */
  readonly adminToken: string | null;
}

export interface ServiceConfig {
  /** Without a trailing slash, like all other URLs. */
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
  /** Null = the service's name. */
  readonly name: string | null;
  readonly todolists: "discover" | readonly ListId[];
  readonly folders: "discover" | readonly FolderId[];
}

export interface ConfiguredPerson {
  readonly id: PersonId;
  /** Null = as in the service; the same for the e-mail address. */
  readonly name: string | null;
  readonly email: string | null;
  /** IANA zone; null = the account's. */
  readonly timeZone: string | null;
  /** Whether the person may change items in their calendars and submit edits. */
  readonly calendars: "write" | "read";
  /** Which mails the person gets. */
  readonly mail: MailWishes;
  /** A webhook besides or instead of mails; null = none. */
  readonly webhook: (WebhookConfig & { readonly withMail: boolean }) | null;
  /** Secret. Null = the person's edits use the account's key. */
  readonly apiKey: string | null;
}

export interface PollingConfig {
  readonly maxAge: Temporal.Duration;
  /** The share of the quota for reads, from 0.1 to 1. */
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
  /** Which proxies are trusted with the client's address: none, one, several in a row, or these addresses. */
  readonly trustProxy: boolean | number | readonly string[];
  /** Null if no proxy names users. */
  readonly identityHeader: IdentityHeader | null;
  /** Null if no shared cache may store feeds. */
  readonly sharedCache: SharedCacheConfig | null;
  /** Where `serve --read-only` refers people to for changes; null = nowhere. */
  readonly primaryUrl: string | null;
}

/** How long HTTP caches in front may store feeds, and how they are purged. */
export interface SharedCacheConfig {
  /** How old a copy may be that is served without revalidation. */
  readonly maxAge: Temporal.Duration;
  /** How long after that it is served while a new one is fetched. */
  readonly staleWhileRevalidate: Temporal.Duration;
  /** How long after `maxAge` it is served if the daemon does not respond. */
  readonly staleIfError: Temporal.Duration;
  /** Null = copies only expire. */
  readonly purge: PurgeConfig | null;
}

/** A request that makes a cache drop a feed. `{key}`, `{path}`, `{url}` and `{token}` are filled in. */
export interface PurgeConfig {
  readonly url: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  /** Secret; null = none. */
  readonly token: string | null;
  readonly timeout: Temporal.Duration;
}

/** A webhook for messages. */
export interface WebhookConfig {
  /** Secret: whoever knows it can send or read there. http or https. */
  readonly url: string;
  readonly format: "json" | "ntfy";
  /** Secret, sent as `Authorization: Bearer`; null = none. */
  readonly token: string | null;
  /** Secret that signs messages; null = unsigned. */
  readonly secret: string | null;
}

/** A webhook for events of the workspace. */
export interface EventHookConfig extends WebhookConfig, HookScope {
  readonly name: string;
}

/** Who gets messages about troubles. */
export interface OperatorConfig {
  /** E-mail addresses. */
  readonly mail: readonly string[];
  readonly webhooks: readonly (WebhookConfig & { readonly name: string })[];
  /** How often the message about a lasting trouble is repeated; null = never. */
  readonly again: Temporal.Duration | null;
}

/** Metrics for a monitoring system. */
export interface MetricsConfig {
  readonly enabled: boolean;
  readonly host: string;
  /** Null = on the main port, where `host` is ignored; 0 = any free port. */
  readonly port: number | null;
}

/** How an authenticating proxy in front names users. */
export interface IdentityHeader {
  /** Name of the header, in lower case. */
  readonly name: string;
  /** Addresses and networks from which it is trusted. */
  readonly from: readonly string[];
  /** The admins: e-mail addresses, or other names that the proxy uses. */
  readonly admins: readonly string[];
  /** Where people sign out of the proxy; null = nowhere. */
  readonly logout: string | null;
}

export interface FeedsConfig {
  readonly past: Temporal.Duration;
  readonly future: Temporal.Duration;
  /** How long completed items stay. */
  readonly completed: Temporal.Duration;
  readonly private: "omit" | "busy" | "show";
  readonly tasks: "due" | "span" | "none";
  /** True if dates in a task's custom fields are published as items of their own. */
  readonly customDates: boolean;
  readonly assignees: boolean;
  readonly actionLinks: boolean;
}

/** The CalDAV calendars. */
export interface CalendarsConfig {
  /** True if each project has its milestones as a list of to-dos besides its event calendar. */
  readonly milestones: boolean;
  /** Push services that messages to phones may go through. */
  readonly push: "public" | "any" | "off";
}

export interface EditsConfig {
  readonly mode: "apply" | "review";
  readonly conflicts: "ask" | "theirs" | "ours";
  readonly labels: "known" | "create";
  /** Watched folder; null = none. */
  readonly inbox: string | null;
  readonly subscriptions: readonly ConfiguredSubscription[];
}

/** A remote calendar whose changes become edits. */
export interface ConfiguredSubscription {
  readonly name: string;
  /** Secret: whoever knows it can read the calendar. http or https. */
  readonly url: string;
  readonly project: ProjectId;
  /** Whose edits these are; null = the account's. */
  readonly person: PersonId | null;
  readonly every: Temporal.Duration;
  /** How events that only the remote calendar has are treated. */
  readonly new: "ignore" | "create";
  /** How items that the remote calendar no longer has are treated. */
  readonly gone: "ignore" | "delete";
  /** True if the URL may point into a private network, as for one's own calendar server. */
  readonly allowPrivate: boolean;
}

export interface MailConfig {
  readonly from: { readonly name: string; readonly address: string };
  /** smtp: or smtps:, optionally with a login (secret); null = mails are written to `directory`. */
  readonly smtpUrl: string | null;
  /** Secret; overrides a password in `smtpUrl`. */
  readonly smtpPassword: string | null;
  readonly directory: string;
  /** Mails per minute, for everyone together. */
  readonly perMinute: number;
}

export interface RemindersConfig {
  readonly events: boolean;
  /** Times before the day, at `at`. */
  readonly milestones: readonly Temporal.Duration[];
  readonly tasks: readonly Temporal.Duration[];
  /** True if items still open on the day after their due date are mailed, once. */
  readonly overdue: boolean;
  /** In the recipient's zone. */
  readonly at: Temporal.PlainTime;
  readonly digest: DigestConfig | null;
  /** How late a missed reminder may still be sent. */
  readonly catchUp: Temporal.Duration;
}

/** When digests are sent, in the recipient's zone; null = never. */
export interface DigestConfig {
  readonly at: Temporal.PlainTime;
  /** 1 = Monday to 7 = Sunday; null = every day. */
  readonly weekday: number | null;
}

/** Automatic backups. */
export interface BackupsConfig {
  readonly enabled: boolean;
  /** In the account's zone. */
  readonly at: Temporal.PlainTime;
  /** How many daily, weekly and monthly backups are kept. */
  readonly keep: { readonly daily: number; readonly weekly: number; readonly monthly: number };
  readonly directory: string;
  /** Secret. Encrypts the keys; null leaves them out. */
  readonly passphrase: string | null;
}
