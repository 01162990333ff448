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
  readonly operator: OperatorConfig;
  readonly metrics: MetricsConfig;
  readonly backups: BackupsConfig;
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
  /** Where messages go beside or in the place of mails; null = nowhere. */
  readonly webhook: (WebhookConfig & { readonly withMail: boolean }) | null;
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
  /** Whose word on where requests come from counts: nobody's, one proxy's, that of so many in a row, or of these addresses. */
  readonly trustProxy: boolean | number | readonly string[];
  /** Null where no proxy says who people are. */
  readonly identityHeader: IdentityHeader | null;
  /** Null where no shared cache may keep feeds. */
  readonly sharedCache: SharedCacheConfig | null;
  /** Where what is changed is sent to, as `serve --read-only` tells it; null = it is not told. */
  readonly primaryUrl: string | null;
}

/** For how long HTTP caches in front may keep feeds, and how they are told of changes. */
export interface SharedCacheConfig {
  /** How old a copy may be that is served without asking. */
  readonly maxAge: Temporal.Duration;
  /** How long beyond that it is served while a new one is fetched. */
  readonly staleWhileRevalidate: Temporal.Duration;
  /** How long beyond `maxAge` it is served while the daemon does not answer. */
  readonly staleIfError: Temporal.Duration;
  /** Null = copies end by their age alone. */
  readonly purge: PurgeConfig | null;
}

/** A request by which a cache drops what it has of a feed. `{key}`, `{path}`, `{url}` and `{token}` are filled in. */
export interface PurgeConfig {
  readonly url: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  /** Secret; null = none is sent. */
  readonly token: string | null;
  readonly timeout: Temporal.Duration;
}

/** Where messages go by HTTP. */
export interface WebhookConfig {
  /** Secret: whoever knows it can send there, or read there. http or https. */
  readonly url: string;
  readonly format: "json" | "ntfy";
  /** Secret, sent as `Authorization: Bearer`; null = none. */
  readonly token: string | null;
  /** Secret, with which messages are signed; null = they are not. */
  readonly secret: string | null;
}

/** Who is told of troubles. */
export interface OperatorConfig {
  /** E-mail addresses. */
  readonly mail: readonly string[];
  readonly webhooks: readonly (WebhookConfig & { readonly name: string })[];
  /** How often a trouble that lasts is told again; null = never. */
  readonly again: Temporal.Duration | null;
}

/** Figures for a monitoring system. */
export interface MetricsConfig {
  readonly enabled: boolean;
  readonly host: string;
  /** Null = on the port of everything else, where `host` counts for nothing; 0 = any free port. */
  readonly port: number | null;
}

/** How a proxy in front, which has people log in with it, says who they are. */
export interface IdentityHeader {
  /** The header's name, in small letters. */
  readonly name: string;
  /** Addresses and networks from which it is believed. */
  readonly from: readonly string[];
  /** Who is the admin: e-mail addresses, or whatever else the proxy calls them. */
  readonly admins: readonly string[];
  /** Where people end their log-in with the proxy; null = it has no such place. */
  readonly logout: string | null;
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

/** Backups that are made by themselves. */
export interface BackupsConfig {
  readonly enabled: boolean;
  /** On the account's clocks. */
  readonly at: Temporal.PlainTime;
  /** Of so many days, weeks and months one each. */
  readonly keep: { readonly daily: number; readonly weekly: number; readonly monthly: number };
  readonly directory: string;
  /** Secret. Seals the keys; null leaves them out. */
  readonly passphrase: string | null;
}
