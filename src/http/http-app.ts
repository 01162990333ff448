import { createEventLoopBudget, type EventLoopBudget } from "@dayferry/event-loop";
import express, {
  type ErrorRequestHandler,
  type Express,
  type RequestHandler,
  type Router,
} from "express";
import type { DailyBackups } from "../backups/daily-backups.ts";
import type { IdentityHeader } from "../config/config.ts";
import { everyMailKind } from "../domain/mail-kind.ts";
import type { ReminderTimes } from "../domain/reminder-times.ts";
import { stopsSync, troubleWords } from "../domain/trouble.ts";
import type { ZoneData } from "../domain/zone-data.ts";
import type { EditActions } from "../edits/actions/edit-actions.ts";
import { createRepeatedEdits } from "../edits/delivery/repeated-edits.ts";
import type { FormOutcome, FormRequest } from "../edits/forms/accept-form.ts";
import type { AcceptFile } from "../edits/intake/accept.ts";
import type { ActionLinks } from "../edits/links/action-links.ts";
import type { ServiceActions } from "../edits/workspace/service-actions.ts";
import type { Log } from "../log.ts";
import type { Outbox } from "../mail/outbox.ts";
import type { AccessTokens } from "../people/access-tokens.ts";
import type { MailedLogIns } from "../people/mailed-log-in.ts";
import type { PasswordCheck } from "../people/passwords.ts";
import type { People } from "../people/people.ts";
import type { Rights } from "../people/rights.ts";
import type { Throttle } from "../people/throttle.ts";
import type { MailAhead } from "../reminders/reminders.ts";
import { retryAfterOf, type StorageHealth, type StorageTrouble } from "../store/storage-health.ts";
import type { Store } from "../store/store.ts";
import { defaultLanguage, type Language } from "../texts/say.ts";
import { accessGuard } from "./access-guard.ts";
import { actRoutes } from "./act-routes.ts";
import { createAdminAuth } from "./admin-auth.ts";
import { type ApiRoutesDeps, apiRoutes } from "./api-routes.ts";
import { type AssetFolders, createAssets, ownFolders } from "./assets.ts";
import { backupRoutes } from "./backup-routes.ts";
import { calendarRoutes } from "./calendar-routes.ts";
import { connectRoutes } from "./connect-routes.ts";
import type { DaemonState } from "./daemon-state.ts";
import { editPageRoutes } from "./edit-page-routes.ts";
import { feedPageRoutes } from "./feed-page-routes.ts";
import { feedRoutes, feedsAtHand } from "./feed-routes.ts";
import { formRoutes } from "./form-routes.ts";
import { healthRoutes } from "./health-routes.ts";
import { createLive, processTimers } from "./live.ts";
import { loginRoutes, tokenInAddress } from "./login-routes.ts";
import { mcpRoutes } from "./mcp-routes.ts";
import { metricsRoutes, type Scraper } from "./metrics-routes.ts";
import { operationRoutes } from "./operation-routes.ts";
import { pageRoutes } from "./page-routes.ts";
import { peoplePageRoutes } from "./people-page-routes.ts";
import { createPersonLogin } from "./person-login.ts";
import { notFound, type Problem, sendProblem } from "./problem-json.ts";
import { createProxyIdentity } from "./proxy-identity.ts";
import { languageRoutes, speakToReader } from "./reader-language.ts";
import { reminderRoutes } from "./reminder-routes.ts";
import { type ReportRoutesDeps, reportRoutes } from "./report-routes.ts";
import { tallyRequests } from "./request-tallies.ts";
import { searchRoutes } from "./search-routes.ts";
import { bareHeaders, surroundPages, themeOf, withoutPrefix } from "./send-page.ts";
import { createSharedCache, type SharedCache } from "./shared-cache.ts";
import { readStatus, type Status } from "./status.ts";
import { type StatusRoutesDeps, statusRoutes } from "./status-routes.ts";
import { createTestLimit } from "./test-limit.ts";
import type { DemoProgress } from "./today.ts";
import { tokenPageRoutes } from "./token-page-routes.ts";
import { proxyTrust, type TrustProxy } from "./trusted-proxies.ts";
import { type UnsubscribeRoutesDeps, unsubscribeRoutes } from "./unsubscribe-routes.ts";
import { createViewers, type Viewers } from "./viewer.ts";
import { type WebhookRoutesDeps, webhookRoutes } from "./webhook-routes.ts";

interface HttpDeps extends DaemonState {
  readonly zoneData: ZoneData;
  readonly editActions: EditActions;
  /** Accepts calendar files. */
  readonly acceptFile: AcceptFile;
  /** Accepts forms; null if pages are read-only. */
  readonly acceptForm: ((request: FormRequest) => FormOutcome) | null;
  /** Cache headers for feeds; none are cached without it. */
  readonly sharedCache?: SharedCache;
  /** Refuses writes, if a copy of another daemon's database is served. */
  readonly refuseWrites?: RequestHandler;
  /** Null if nothing is sent to the service on request. */
  readonly workspace: ServiceActions | null;
  /** Null if feeds have no action links. */
  readonly links: ActionLinks | null;
  /** The CalDAV server, which answers its own URLs only; null if there is none. */
  readonly caldav: RequestHandler | null;
  /** True if the CalDAV server tells phones of changes. Default: false. */
  readonly hasPush?: boolean;
  readonly people: People;
  readonly passwords: PasswordCheck;
  readonly mailedLogIns: MailedLogIns;
  /** How a proxy in front names users; null if it does not. */
  readonly identityHeader: IdentityHeader | null;
  /** Shared with CalDAV, which accepts app passwords too. */
  readonly throttle: Throttle;
  readonly rights: Rights;
  readonly tokens: AccessTokens;
  /** Mails due within a week, up to a limit; none if no mail is sent. */
  readonly mailsAhead?: (most: number) => Promise<readonly MailAhead[]>;
  /** Absent if mails go to a mail server. */
  readonly outbox?: Outbox | null;
  /** Unsubscribe links. Absent if mails have none. */
  readonly mailLinks?: Omit<UnsubscribeRoutesDeps, "store"> & { readonly times: ReminderTimes };
  /** People's webhooks; absent if nothing is sent. */
  readonly webhooks?: Pick<WebhookRoutesDeps, "webhooks" | "testFor">;
  /** Absent if no reports are served. */
  readonly reports?: Pick<ReportRoutesDeps, "reports" | "file">;
  /** Shared by the process. */
  readonly eventLoop?: EventLoopBudget;
  /** Checks the configured zone; absent if nothing is sent to the service. */
  readonly probeZone?: ApiRoutesDeps["probeZone"];
  /** Answers `/metrics`; null if this port has none. */
  readonly scrape?: Scraper | null;
  /** URL of the metrics, for the status page; null if there are none. */
  readonly metricsUrl?: () => string | null;
  /** The current one. */
  readonly adminToken: () => string;
  /** For readers whose language is unknown. Default: English. */
  readonly language?: Language;
  /** Public URL of this server, without a trailing slash. */
  readonly baseUrl: () => string;
  readonly trustProxy: TrustProxy;
  /** URL template of the service's own pages; null if unknown. */
  readonly webUrl: string | null;
  readonly zone: string;
  /** Returns unpredictable bytes. */
  readonly randomBytes: (size: number) => Uint8Array;
  /** Folders of the pages' files; by default those of this checkout. */
  readonly assetFolders?: AssetFolders;
  readonly log: Log;
  /** True if mails go to a server, not into a folder. */
  readonly sendsMail: boolean;
  /** Absent for a real account. */
  readonly demo?: DemoProgress;
  /** Absent if no backups are made. */
  readonly backups?: Pick<DailyBackups, "make" | "list">;
  /** Absent if there is nothing to set up. */
  readonly operator?: StatusRoutesDeps["operator"];
  /** Ends the streams of open pages; absent if nothing is ever stopped. */
  readonly signal?: AbortSignal;
  /** Milliseconds of a monotonic clock. */
  readonly monotonic: () => number;
}

/** The HTTP server: feeds first, as they are requested most; then CalDAV, health, the API and the pages. */
export function createApp(deps: HttpDeps): Express {
  const { feeds, store, clock, log, baseUrl } = deps;
  const auth = createAdminAuth(deps);
  const identity = createProxyIdentity({ header: deps.identityHeader, log });
  const viewers = createViewers({ ...deps, identity });
  const startedAt = clock();
  let forwardedAt: Temporal.Instant | null = null;
  const repeated = createRepeatedEdits(store);
  const status = () => readStatus({ ...deps, repeated, startedAt, forwardedAt });
  const outageNow = () => {
    const held = deps.troubles?.().find(({ trouble }) => stopsSync(trouble));
    if (!held) return null;
    const { what, remedy } = troubleWords(held.trouble);
    return { what, remedy, syncedAt: store.sources.lastReadAt(), now: clock() };
  };

  const app = express();
  app.disable("x-powered-by");
  app.disable("etag");
  // The address named by a trusted proxy counts, not those that its client claims.
  const trusts = proxyTrust(deps.trustProxy);
  app.set("trust proxy", trusts);
  app.use(({ headers, socket }, _response, next) => {
    const isForwarded = (headers["x-forwarded-for"] ?? headers["forwarded"]) !== undefined;
    if (isForwarded && !trusts(socket.remoteAddress ?? "", 0)) forwardedAt = clock();
    next();
  });
  app.use(withoutPrefix(baseUrl));
  if (deps.tallies) app.use(tallyRequests(deps.tallies, deps));
  const { sharedCache = noSharedCache(store) } = deps;
  app.use(feedsAtHand({ feeds, sharedCache }));
  app.use((_request, response, next) => {
    // By default no answer may run scripts, be framed, or leak its URL.
    response.set(bareHeaders);
    next();
  });
  const {
    assets,
    router: assetRouter,
    app: appRouter,
  } = createAssets(deps.assetFolders ?? ownFolders);
  app.use(
    surroundPages((request) => {
      const viewer = viewers.find(request);
      const formToken = viewers.formToken(request);
      const zone = viewer?.zone ?? deps.zone;
      const theme = themeOf(request);
      return { viewer, formToken, zone, theme, assets: assets(), outage: viewer && outageNow() };
    }),
  );
  const speaking = { ...deps, viewers, language: deps.language ?? defaultLanguage };
  app.use(speakToReader(speaking));
  if (deps.refuseWrites) app.use(deps.refuseWrites);
  app.use(tokenInAddress({ auth, viewers }));
  const login = createPersonLogin(deps);
  app.use(accessGuard({ ...deps, auth, viewers, login, publicUrl: baseUrl }));
  app.use(feedRoutes({ feeds, sharedCache, log, health: store.health }));
  if (deps.caldav) app.use(deps.caldav);
  app.use(assetRouter);
  app.get("/live", openLive(deps, viewers));
  app.use((_request, response, next) => {
    // Everything below is for one reader and one moment; cacheable answers override this.
    response.set({ "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff" });
    next();
  });
  app.use(appRouter);
  app.use(
    loginRoutes({ ...deps, auth, viewers, proxyLogout: identity.logout, health: store.health }),
  );
  app.use(languageRoutes(speaking));
  app.use(...apiRouters(deps, { viewers, status }));
  app.use(mcpRoutes(operationDeps(deps, viewers)));
  app.use(...pageRouters(deps, { viewers, status }));
  app.use((request, response) => {
    sendProblem(response, notFound(`there is nothing at ${request.method} ${request.path}`));
  });
  app.use(errorHandler(log, store.health));
  return app;
}

interface Shown {
  readonly viewers: Viewers;
  readonly status: () => Status;
}

/** Dependencies of everything that runs operations. */
const operationDeps = (deps: HttpDeps, viewers: Viewers) => ({
  ...deps,
  eventLoop: deps.eventLoop ?? createEventLoopBudget(),
  viewers,
});

/** What programs and links in mails request. */
function apiRouters(deps: HttpDeps, { viewers, status }: Shown): readonly [Router, ...Router[]] {
  const { store, ready, fresh, copy, scrape, mailLinks, reports } = deps;
  return [
    healthRoutes({ ready, fresh, storage: () => store.health.trouble(), copy }),
    ...(scrape ? [metricsRoutes(scrape)] : []),
    actRoutes({ links: deps.links, editActions: deps.editActions }),
    ...(mailLinks ? [unsubscribeRoutes({ ...mailLinks, store })] : []),
    operationRoutes(operationDeps(deps, viewers)),
    ...(reports ? [reportRoutes({ ...deps, ...reports, viewers })] : []),
    apiRoutes({ status, probeZone: deps.probeZone }),
  ];
}

/** The pages. */
function pageRouters(deps: HttpDeps, { viewers, status }: Shown): readonly [Router, ...Router[]] {
  const { store, people, baseUrl, webhooks, backups, acceptForm, editActions, acceptFile } = deps;
  const tests = createTestLimit(deps);
  return [
    peoplePageRoutes({
      viewers,
      people,
      store,
      wishes: deps.mailLinks?.wishes ?? (() => everyMailKind),
      mailsAhead: deps.mailsAhead ?? (() => Promise.resolve([])),
      outbox: deps.outbox ?? null,
      webhooks: webhooks?.webhooks ?? null,
      baseUrl,
    }),
    ...(deps.mailLinks
      ? [reminderRoutes({ viewers, people, store, times: deps.mailLinks.times })]
      : []),
    tokenPageRoutes({ ...deps, viewers }),
    ...(webhooks ? [webhookRoutes({ viewers, people, tests, ...webhooks })] : []),
    feedPageRoutes(operationDeps(deps, viewers)),
    connectRoutes({ ...deps, hasPush: deps.hasPush ?? false, viewers }),
    pageRoutes({ ...operationDeps(deps, viewers), status }),
    searchRoutes(operationDeps(deps, viewers)),
    statusRoutes({ ...deps, viewers, status, tests }),
    ...(backups ? [backupRoutes({ viewers, backups })] : []),
    ...(acceptForm ? [calendarRoutes({ ...deps, acceptForm, viewers })] : []),
    editPageRoutes({ viewers, editActions, acceptFile, rights: deps.rights, store }),
    formRoutes({ store, viewers, people, baseUrl, installation: store.meta.installation }),
  ];
}

const noSharedCache = ({ meta: { installation } }: Store): SharedCache =>
  createSharedCache({ config: null, installation, onServed() {} });

/** The stream for open pages, until the server stops. */
function openLive(deps: HttpDeps, viewers: Viewers): RequestHandler {
  const live = createLive({
    watch: deps.store.topics,
    directory: deps.store.directory,
    find: (request) => viewers.again(request),
    timers: processTimers(deps.monotonic),
    run: Buffer.from(deps.randomBytes(6)).toString("base64url"),
  });
  deps.signal?.addEventListener("abort", () => live.close(), { once: true });
  return live.handler;
}

function errorHandler(log: Log, health: StorageHealth): ErrorRequestHandler {
  return (error: unknown, request, response, next) => {
    const trouble = health.note(error) ? health.trouble() : null;
    if (response.headersSent) {
      next(error);
      return;
    }
    if (trouble) {
      sendProblem(response, storageProblem(trouble));
      return;
    }
    const status = statusOf(error);
    if (status >= 500)
      log.error("request failed", { method: request.method, path: openPath(request.path), error });
    sendProblem(response, problemOf(status));
  };
}

/** A path for logs: whatever follows `/feeds/`, `/act/`, `/unsubscribe/` or `/login/` is as good as a password. */
const openPath = (path: string): string =>
  path.replace(/^\/(feeds|act|unsubscribe|login)\/.*/i, "/$1/…");

/** Nothing of the request was stored. Source: RFC 4918 11.5 (507). */
const storageProblem = (trouble: StorageTrouble): Problem => ({
  status: trouble.kind === "full" ? 507 : 503,
  title: trouble.kind === "damaged" ? "Database damaged" : "Cannot be stored",
  detail: trouble.problem,
  retryAfter: retryAfterOf(trouble),
});

function problemOf(status: number): Problem {
  if (status === 413) {
    const message = "the body is larger than the 5 MB that a calendar file may have";
    const errors = [{ line: null, uid: null, code: "too-large", message }];
    return { status, title: "Too large", detail: message, more: { errors } };
  }
  if (status < 500) return { status, title: "Bad request", detail: "the request cannot be read" };
  return {
    status: 500,
    title: "Internal error",
    detail: "the request failed; see the log for the reason",
  };
}

/** Errors of express and its body readers have a status. */
function statusOf(error: unknown): number {
  if (!(error instanceof Error && "status" in error)) return 500;
  const { status } = error;
  return typeof status === "number" && status >= 400 && status < 600 ? status : 500;
}
