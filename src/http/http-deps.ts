import type { EventLoopBudget } from "@dayferry/event-loop";
import type { RequestHandler } from "express";
import type { IdentityHeader } from "../config/config.ts";
import type { EffectiveSetting } from "../config/effective.ts";
import type { PersonId } from "../domain/ids.ts";
import type { MailWishes } from "../domain/mail-kind.ts";
import type { ReminderTimes } from "../domain/reminder-times.ts";
import type { ChoiceSigner } from "../domain/signed-links.ts";
import type { ZoneData } from "../domain/zone-data.ts";
import type { ActionLinks } from "../edits/links/action-links.ts";
import type { Log } from "../log.ts";
import type { Outbox } from "../mail/outbox.ts";
import type { OperationModules } from "../operations/operation.ts";
import type { MailedLogIns } from "../people/mailed-log-in.ts";
import type { PasswordCheck } from "../people/passwords.ts";
import type { PersonDescription } from "../people/people.ts";
import type { Throttle } from "../people/throttle.ts";
import type { WebhookSettings } from "../people/webhook-settings.ts";
import type { MailAhead } from "../reminders/reminders.ts";
import type { WebhookMessage } from "../remote/webhook.ts";
import type { Language } from "../texts/say.ts";
import type { ZoneProof } from "../troubles/zone-probe.ts";
import type { AssetFolders } from "./assets.ts";
import type { DaemonState } from "./daemon-state.ts";
import type { Scraper } from "./metrics-routes.ts";
import type { StatusFinding } from "./pages/status-page.ts";
import type { SharedCache } from "./shared-cache.ts";
import type { Status } from "./status.ts";
import type { TrustProxy } from "./trusted-proxies.ts";

/** Progress of the demo. */
export interface DemoProgress {
  /** When the demo's own edits ended; null if they have not. */
  readonly toldAt: () => Temporal.Instant | null;
}

/** Everything that the HTTP server is built from. */
export interface HttpDeps
  extends DaemonState,
    Omit<OperationModules, "eventLoop" | "statusReader"> {
  readonly zoneData: ZoneData;
  /** Cache headers for feeds; none are cached without it. */
  readonly sharedCache?: SharedCache;
  /** Refuses writes, if a copy of another daemon's database is served. */
  readonly refuseWrites?: RequestHandler;
  /** Null if feeds have no action links; older ones are then void. */
  readonly links: ActionLinks | null;
  /** The CalDAV server, which answers its own URLs only; null if there is none. */
  readonly caldav: RequestHandler | null;
  /** True if the CalDAV server notifies phones of changes. Default: false. */
  readonly hasPush?: boolean;
  readonly passwords: PasswordCheck;
  readonly mailedLogIns: MailedLogIns;
  /** How a proxy in front names users; null if it does not. */
  readonly identityHeader: IdentityHeader | null;
  /** Shared with CalDAV, which accepts app passwords too. */
  readonly throttle: Throttle;
  /** Mails due within a week, up to a limit; none if no mail is sent. */
  readonly mailsAhead?: (most: number) => Promise<readonly MailAhead[]>;
  /** Absent or null if mails go to a mail server. */
  readonly outbox?: Outbox | null;
  /** Unsubscribe links, and what the configuration says about mails. Absent if mails have no links. */
  readonly mailLinks?: {
    readonly signer: ChoiceSigner;
    /** Kinds of mail that the configuration grants a person; others cannot be turned on. */
    readonly wishes: (person: PersonId) => MailWishes;
    /** When people are reminded who have chosen no times. */
    readonly times: ReminderTimes;
  };
  /** People's webhooks, and the content of test messages; absent if nothing is sent. */
  readonly webhooks?: {
    readonly webhooks: WebhookSettings;
    readonly testFor: (person: PersonDescription) => WebhookMessage;
  };
  /** Shared by all parts of the process. */
  readonly eventLoop?: EventLoopBudget;
  /** Checks the configured zone; absent if nothing is sent to the service. */
  readonly probeZone?: ((signal: AbortSignal) => Promise<ZoneProof>) | undefined;
  /** Answers `/metrics`; null if this port has none. */
  readonly scrape?: Scraper | null;
  /** URL of the metrics, for the status page; null if there are none. */
  readonly metricsUrl?: () => string | null;
  /** The current admin token. */
  readonly adminToken: () => string;
  /** For readers whose language is unknown. Default: English. */
  readonly language?: Language;
  readonly trustProxy: TrustProxy;
  /** URL template of the service's own pages; null if unknown. */
  readonly webUrl: string | null;
  /** The account's zone. */
  readonly zone: string;
  /** Returns unpredictable bytes. */
  readonly randomBytes: (size: number) => Uint8Array;
  /** Folders of the pages' files; by default those of this checkout. */
  readonly assetFolders?: AssetFolders;
  readonly log: Log;
  /** True if mails go to a server, not into a folder. */
  readonly sendsMail: boolean;
  /** What the demo does by itself, so that it is not taken for a person's own steps; absent for a real account. */
  readonly demo?: DemoProgress;
  /** What only the operator sees and does; absent if there is nothing to set up. */
  readonly operator?: {
    readonly settings: () => Promise<readonly EffectiveSetting[]>;
    /** Checks everything, including the mail server, which takes some seconds. */
    readonly examine: (status: Status) => Promise<readonly StatusFinding[]>;
    /** Sends a test message by each way to the operator; absent if nothing is sent. */
    readonly test?: () => Promise<readonly StatusFinding[]>;
  };
  /** Ends the streams of open pages; absent if nothing is ever stopped. */
  readonly signal?: AbortSignal;
  /** Milliseconds of a monotonic clock. */
  readonly monotonic: () => number;
}
