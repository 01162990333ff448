import { createEventLoopBudget } from "@dayferry/event-loop";
import express, {
  type ErrorRequestHandler,
  type Express,
  type RequestHandler,
  type Router,
} from "express";
import { stopsSync, troubleWords } from "../domain/trouble.ts";
import type { Viewer } from "../domain/visibility.ts";
import { createRepeatedEdits } from "../edits/delivery/repeated-edits.ts";
import type { Log } from "../log.ts";
import { retryAfterOf, type StorageHealth, type StorageTrouble } from "../store/storage-health.ts";
import type { Store } from "../store/store.ts";
import { say } from "../texts/say.ts";
import { retold } from "../texts/stored.ts";
import { accessGuard } from "./access-guard.ts";
import { actRoutes } from "./act-routes.ts";
import { createAdminAuth } from "./admin-auth.ts";
import { apiRoutes } from "./api-routes.ts";
import { createAssets, ownFolders } from "./assets.ts";
import { backupRoutes } from "./backup-routes.ts";
import { calendarRoutes } from "./calendar-routes.ts";
import { connectRoutes } from "./connect-routes.ts";
import { editPageRoutes } from "./edit-page-routes.ts";
import { feedPageRoutes } from "./feed-page-routes.ts";
import { feedRoutes, feedsAtHand } from "./feed-routes.ts";
import { healthRoutes } from "./health-routes.ts";
import { hookPageRoutes } from "./hook-page-routes.ts";
import type { HttpDeps } from "./http-deps.ts";
import { createLive, processTimers } from "./live.ts";
import { loginRoutes, tokenInAddress } from "./login-routes.ts";
import { mcpRoutes } from "./mcp-routes.ts";
import { metricsRoutes } from "./metrics-routes.ts";
import { operationRoutes } from "./operation-routes.ts";
import { pageRoutes } from "./page-routes.ts";
import { passwordRoutes } from "./password-routes.ts";
import { peoplePageRoutes } from "./people-page-routes.ts";
import { createPersonLogin } from "./person-login.ts";
import { notFound, type Problem, sendProblem } from "./problem-json.ts";
import { createProxyIdentity } from "./proxy-identity.ts";
import { languageRoutes, speakToReader } from "./reader-language.ts";
import { reminderRoutes } from "./reminder-routes.ts";
import { reportRoutes } from "./report-routes.ts";
import { tallyRequests } from "./request-tallies.ts";
import { searchRoutes } from "./search-routes.ts";
import { bareHeaders, surroundPages, themeOf, withoutPrefix } from "./send-page.ts";
import { createSharedCache, type SharedCache } from "./shared-cache.ts";
import { readStatus } from "./status.ts";
import { statusRoutes } from "./status-routes.ts";
import { statusSummary } from "./status-summary.ts";
import { createTestLimit } from "./test-limit.ts";
import { createToday } from "./today.ts";
import { proxyTrust } from "./trusted-proxies.ts";
import { unsubscribeRoutes } from "./unsubscribe-routes.ts";
import { createViewers, type Viewers } from "./viewer.ts";
import type { WebContext } from "./web-context.ts";
import { webhookRoutes } from "./webhook-routes.ts";

/** The HTTP server: feeds first, as they are requested most; then CalDAV, health, the API and the pages. */
export function createApp(deps: HttpDeps): Express {
  const { feeds, store, clock, log, baseUrl } = deps;
  const eventLoop = deps.eventLoop ?? createEventLoopBudget();
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
  // The client's address is the one named by a trusted proxy, not one claimed by the client itself.
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
  const parts = { ...deps, eventLoop, viewers, status, tests: createTestLimit(deps) };
  const today = createToday(parts);
  const statusReader = {
    details: status,
    summary: (viewer: Viewer) => statusSummary(today(viewer, status())),
  };
  const context = { ...parts, today, statusReader };
  app.use(speakToReader(context));
  if (deps.refuseWrites) app.use(deps.refuseWrites);
  app.use(tokenInAddress(auth, viewers));
  const login = createPersonLogin(deps);
  app.use(accessGuard({ ...context, auth, login }));
  app.use(feedRoutes({ feeds, sharedCache, log, health: store.health }));
  if (deps.caldav) app.use(deps.caldav);
  app.use(assetRouter);
  app.get("/live", openLive(deps, viewers));
  app.use((_request, response, next) => {
    // Everything below depends on the reader and the moment, so caching is off; cacheable answers override this.
    response.set({ "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff" });
    next();
  });
  app.use(appRouter);
  app.use(loginRoutes(context, { auth, proxyLogout: identity.logout }));
  app.use(languageRoutes(context));
  app.use(...apiRouters(context));
  app.use(...pageRouters(context));
  app.use((request, response) => {
    sendProblem(
      response,
      notFound(say("accessFault.nothing", { method: request.method, path: request.path })),
    );
  });
  app.use(errorHandler(log, store.health));
  return app;
}

/** Routes for programs and for links in mails. */
function apiRouters(context: WebContext): readonly [Router, ...Router[]] {
  const { scrape, mailLinks, store } = context;
  return [
    healthRoutes(context),
    ...(scrape ? [metricsRoutes(scrape)] : []),
    actRoutes(context),
    ...(mailLinks ? [unsubscribeRoutes({ ...mailLinks, store })] : []),
    operationRoutes(context),
    apiRoutes(context),
    mcpRoutes(context),
  ];
}

/** The pages. */
function pageRouters(context: WebContext): readonly [Router, ...Router[]] {
  const { mailLinks, webhooks, eventWebhooks, backups, reports, acceptForm } = context;
  return [
    peoplePageRoutes(context),
    passwordRoutes(context),
    ...(mailLinks ? [reminderRoutes({ ...context, times: mailLinks.times })] : []),
    ...(eventWebhooks ? [hookPageRoutes({ ...context, eventWebhooks })] : []),
    ...(webhooks ? [webhookRoutes({ ...context, ...webhooks })] : []),
    feedPageRoutes(context),
    connectRoutes(context),
    pageRoutes(context),
    searchRoutes(context),
    statusRoutes(context),
    ...(backups ? [backupRoutes(context)] : []),
    ...(reports ? [reportRoutes({ ...context, reports })] : []),
    ...(acceptForm ? [calendarRoutes({ ...context, acceptForm })] : []),
    editPageRoutes(context),
  ];
}

const noSharedCache = ({ meta: { installation } }: Store): SharedCache =>
  createSharedCache({ config: null, installation, onServed() {} });

/** The event stream for open pages, which ends when the server stops. */
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

/**
 * The path to write into logs, without the text after `/feeds/`, `/act/`, `/unsubscribe/` and `/login/`, which is as good as a
 * password.
 */
const openPath = (path: string): string =>
  path.replace(/^\/(feeds|act|unsubscribe|login)\/.*/i, "/$1/…");

/** Nothing was stored for this request. Source: RFC 4918 11.5 (507). */
const storageProblem = (trouble: StorageTrouble): Problem => ({
  status: trouble.kind === "full" ? 507 : 503,
  title: trouble.kind === "damaged" ? "Database damaged" : "Cannot be stored",
  detail: retold(trouble.problem),
  retryAfter: retryAfterOf(trouble),
});

function problemOf(status: number): Problem {
  if (status === 413) {
    const message = say("requestFault.bodyTooLarge");
    const errors = [{ line: null, uid: null, code: "too-large", message }];
    return { status, title: "Too large", detail: message, more: { errors } };
  }
  if (status < 500) return { status, title: "Bad request", detail: say("requestFault.unread") };
  return {
    status: 500,
    title: "Internal error",
    detail: say("requestFault.failed"),
  };
}

/** Errors thrown by Express and its body readers have a status. */
function statusOf(error: unknown): number {
  if (!(error instanceof Error && "status" in error)) return 500;
  const { status } = error;
  return typeof status === "number" && status >= 400 && status < 600 ? status : 500;
}
