import express, { type ErrorRequestHandler, type Express, type RequestHandler } from "express";
import type { ZoneData } from "../domain/zone-data.ts";
import type { EditActions } from "../edits/actions/edit-actions.ts";
import type { ChannelStates } from "../edits/channel-states.ts";
import type { ActionLinks } from "../edits/links/action-links.ts";
import type { ServiceActions } from "../edits/workspace/service-actions.ts";
import type { PublishedFeeds } from "../feeds/published-feeds.ts";
import type { Log } from "../log.ts";
import type { PasswordCheck } from "../people/passwords.ts";
import type { People } from "../people/people.ts";
import type { Rights } from "../people/rights.ts";
import type { Throttle } from "../people/throttle.ts";
import type { StorageHealth, StorageTrouble } from "../store/storage-health.ts";
import type { Store } from "../store/store.ts";
import type { FastPathState } from "../sync/fast-path.ts";
import type { Outlook } from "../sync/outlook.ts";
import type { GateState } from "../upstream/gate.ts";
import { actRoutes } from "./act-routes.ts";
import { createAdminAuth } from "./admin-auth.ts";
import { apiRoutes } from "./api-routes.ts";
import { editRoutes } from "./edit-routes.ts";
import { feedRoutes } from "./feed-routes.ts";
import { formRoutes } from "./form-routes.ts";
import { healthRoutes } from "./health-routes.ts";
import type { LoopDelay } from "./loop-delay.ts";
import { pageRoutes } from "./page-routes.ts";
import { peopleRoutes } from "./people-routes.ts";
import { createPersonLogin } from "./person-login.ts";
import { forbidden, notFound, type Problem, sendProblem } from "./problem-json.ts";
import { type ReportRoutesDeps, reportRoutes } from "./report-routes.ts";
import { withoutPrefix } from "./send-page.ts";
import { readStatus } from "./status.ts";
import { type UnsubscribeRoutesDeps, unsubscribeRoutes } from "./unsubscribe-routes.ts";
import { workspaceRoutes } from "./workspace-routes.ts";

interface HttpDeps {
  readonly version: string;
  readonly zoneData: ZoneData;
  readonly store: Store;
  readonly feeds: PublishedFeeds;
  readonly editActions: EditActions;
  /** Null where nothing is asked of the service on a person's request. */
  readonly workspace: ServiceActions | null;
  /** Null where feeds have no action links. */
  readonly links: ActionLinks | null;
  /** The CalDAV server, which answers its own addresses and leaves the others; null where there is none. */
  readonly caldav: RequestHandler | null;
  readonly people: People;
  readonly passwords: PasswordCheck;
  /** Shared with CalDAV, which asks for app passwords as well. */
  readonly throttle: Throttle;
  readonly rights: Rights;
  /** By which readers turn mails off; absent where no mail has such a link. */
  readonly mailLinks?: Omit<UnsubscribeRoutesDeps, "store">;
  /** Absent where no reports are served. */
  readonly reports?: Pick<ReportRoutesDeps, "reports" | "file">;
  readonly ready: () => boolean;
  readonly fastPath: () => FastPathState;
  /** Whether what is served has been read since the start. */
  readonly fresh: () => boolean;
  readonly outlook: () => Outlook;
  readonly gate: () => GateState;
  readonly clockLead: () => Temporal.Duration | null;
  readonly channels: () => ChannelStates;
  readonly loopDelay: () => LoopDelay;
  readonly adminToken: string;
  /** Address under which calendars reach this server, without a slash at the end. */
  readonly baseUrl: () => string;
  readonly trustProxy: boolean;
  readonly zone: string;
  readonly clock: () => Temporal.Instant;
  /** As many unpredictable bytes as asked for. */
  readonly randomBytes: (size: number) => Uint8Array;
  readonly log: Log;
}

/** The HTTP server: feeds first and bare, as they are asked for most; then CalDAV, health, the API and the pages. */
export function createApp(deps: HttpDeps): Express {
  const { feeds, editActions, store, people, rights, clock, log, ready, fresh, baseUrl } = deps;
  const auth = createAdminAuth(deps);
  const startedAt = clock();
  let forwardedAt: Temporal.Instant | null = null;
  const status = () => readStatus({ ...deps, startedAt, forwardedAt });

  const app = express();
  app.disable("x-powered-by");
  app.disable("etag");
  // One proxy: the address that it names counts, not those that its client claims.
  app.set("trust proxy", deps.trustProxy ? 1 : false);
  if (!deps.trustProxy) {
    app.use(({ headers }, _response, next) => {
      if (headers["x-forwarded-for"] ?? headers["forwarded"]) forwardedAt = clock();
      next();
    });
  }
  app.use(withoutPrefix(baseUrl));
  app.use(feedRoutes({ feeds, clock, log }));
  if (deps.caldav) app.use(deps.caldav);
  app.use((_request, response, next) => {
    // All that follows is for one reader, or of this moment; what may be kept says so itself.
    response.set({ "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff" });
    next();
  });
  app.use("/api", refuseCrossSite(baseUrl));
  app.use(healthRoutes({ ready, fresh, storage: () => store.health.trouble() }));
  app.use(actRoutes({ links: deps.links, editActions }));
  if (deps.mailLinks) app.use(unsubscribeRoutes({ ...deps.mailLinks, store }));
  app.use(editRoutes({ auth, editActions, rights, login: createPersonLogin(deps) }));
  app.use(peopleRoutes({ auth, people, baseUrl }));
  if (deps.workspace) app.use(workspaceRoutes({ auth, workspace: deps.workspace }));
  if (deps.reports) app.use(reportRoutes({ ...deps, ...deps.reports, auth }));
  app.use(apiRoutes({ auth, store, feeds, status, baseUrl }));
  app.use(pageRoutes({ auth, editActions, feeds, people, status, baseUrl }));
  app.use(
    formRoutes({ auth, editActions, people, baseUrl, installation: store.meta.installation }),
  );
  app.use((request, response) => {
    sendProblem(response, notFound(`there is nothing at ${request.method} ${request.path}`));
  });
  app.use(errorHandler({ log, health: store.health }));
  return app;
}

/**
 * Refuses what a page of another site has a browser send: browsers add the password that a person has once entered here by
 * themselves, also to a form of somebody else. Programs say nothing of where they come from. `publicUrl` has the host under which
 * browsers know this server, where a proxy names another one.
 * Source: Fetch Metadata 2.4 (Sec-Fetch-Site), RFC 6454 7 (Origin).
 */
function refuseCrossSite(publicUrl: () => string): RequestHandler {
  return (request, response, next) => {
    const { method, headers } = request;
    const site = headers["sec-fetch-site"];
    const isOwn =
      site === undefined
        ? isOwnOrigin(headers.origin, [request.host, new URL(publicUrl()).host])
        : site === "same-origin" || site === "none";
    if (safe.has(method) || isOwn) next();
    else sendProblem(response, forbidden("a page of another site cannot ask for this"));
  };
}

/** What changes nothing. Source: RFC 9110 9.2.1. */
const safe: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);

/** A browser that says nothing of its page sends none; "null" is a page without an address. */
function isOwnOrigin(origin: string | undefined, hosts: readonly (string | undefined)[]): boolean {
  if (origin === undefined) return true;
  const host = URL.parse(origin)?.host;
  return host !== undefined && hosts.includes(host);
}

function errorHandler({
  log,
  health,
}: {
  readonly log: Log;
  readonly health: StorageHealth;
}): ErrorRequestHandler {
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

/** A path that may be logged: what follows `/feeds/`, `/act/` or `/unsubscribe/` is as good as a password. */
const openPath = (path: string): string => path.replace(/^\/(feeds|act|unsubscribe)\/.*/i, "/$1/…");

/** Nothing of the request was kept. Source: RFC 4918 11.5 (507). */
const storageProblem = ({ kind, problem }: StorageTrouble): Problem => ({
  status: kind === "full" ? 507 : 503,
  title: "Cannot be stored",
  detail: problem,
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
    detail: "the request failed here; the log says why",
  };
}

/** Errors of express and its body readers carry the status that they mean. */
function statusOf(error: unknown): number {
  if (!(error instanceof Error && "status" in error)) return 500;
  const { status } = error;
  return typeof status === "number" && status >= 400 && status < 600 ? status : 500;
}
