import { readBasic } from "@dayferry/http-values";
import type { Request, RequestHandler, Response } from "express";
import { unreachable } from "../domain/result.ts";
import type { Viewer } from "../domain/visibility.ts";
import { say } from "../texts/say.ts";
import { createAccess } from "./access.ts";
import type { AdminAuth } from "./admin-auth.ts";
import { readForm } from "./form-guard.ts";
import { goingOn } from "./go-on.ts";
import { isOwnForm, keptForm, longestKept } from "./kept-form.ts";
import { loginPage } from "./pages/login.ts";
import type { PersonLogin } from "./person-login.ts";
import { forbidden, notFound, type Problem, sendProblem } from "./problem-json.ts";
import { rootOf, sendPage } from "./send-page.ts";
import type { WebContext } from "./web-context.ts";
import { turnAway } from "./wrong-secret.ts";

interface AccessGuardContext extends Pick<WebContext, "viewers" | "tokens" | "baseUrl"> {
  readonly auth: AdminAuth;
  readonly login: PersonLogin;
}

/**
 * Enforces the access table: identifies the user, and refuses what they may not access. A URL without a row is answered with
 * 404. Handlers behind it can call `viewerOf` wherever the table requires a person or the admin.
 */
export function accessGuard(context: AccessGuardContext): RequestHandler {
  const { auth, viewers, login, tokens, baseUrl } = context;
  const find = createAccess();

  async function viewerOfProgram(
    request: Request,
    response: Response,
    door: "program" | "agent",
  ): Promise<Viewer | null> {
    const { authorization } = request.headers;
    const credentials = readBasic(authorization);
    if (credentials) {
      const person = await login(credentials, { request, response });
      return person && viewers.person(person);
    }
    const [, candidate] = /^Bearer +(\S+)$/i.exec(authorization ?? "") ?? [];
    if (candidate && auth.isToken(candidate)) return viewers.admin();
    const known = candidate && door === "agent" ? tokens.check(candidate) : null;
    if (known) {
      viewers.noteScope(request, known.scope);
      return viewers.person(known.person);
    }
    const seconds = candidate ? await auth.noteWrong(request, "bearer") : null;
    if (seconds === null) refuseProgram(response, candidate !== undefined);
    else turnAway(response, seconds);
    return null;
  }

  return async (request, response, next) => {
    const admission = find(request.method, request.path);
    if (admission.kind === "unknown") {
      sendProblem(
        response,
        notFound(say("accessFault.nothing", { method: request.method, path: request.path })),
      );
      return;
    }
    if (admission.kind === "method") {
      response.set("Allow", allowed(admission.allowed));
      sendProblem(response, wrongMethod(request));
      return;
    }
    const { who, door } = admission.rule;
    if (door === "own") return next();
    if (!safe.has(request.method) && !isOwnSite(request, baseUrl)) {
      sendProblem(response, forbidden(say("accessFault.otherSite")));
      return;
    }
    switch (who) {
      case "anyone":
      case "secret":
        return next();
      case "person":
      case "admin": {
        const isProgram = door !== "page";
        const viewer = isProgram
          ? await viewerOfProgram(request, response, door)
          : viewers.find(request);
        if (!viewer) {
          if (!isProgram) askForLogIn(request, response, viewers.proxied(request));
          return;
        }
        if (isProgram) viewers.note(request, viewer);
        if (who === "admin" && viewer.kind !== "admin") {
          const wanted = isProgram ? say("accessFault.bearerAdmin") : say("accessFault.adminOnly");
          sendProblem(response, forbidden(wanted));
        } else next();
        return;
      }
      default:
        unreachable(who);
    }
  };
}

/** Redirects a browser to the sign-in page, and from there to the requested page; submitted form data are kept. */
function askForLogIn(request: Request, response: Response, proxied: string | null): void {
  if (proxied !== null) {
    const detail = say("accessFault.stranger", { login: proxied });
    sendProblem(response, forbidden(detail));
    return;
  }
  if (request.accepts(["application/json", "text/html"]) !== "text/html") {
    sendProblem(response, unauthorized(say("accessFault.cookie")));
    return;
  }
  const lead = () => response.set("Cache-Control", "no-store").redirect(303, goingOn(request));
  if (!isOwnForm(request)) {
    lead();
    return;
  }
  readKeptForm(request, response, (error?: unknown) => {
    const kept = error === undefined ? keptForm(request) : null;
    if (kept === null) {
      lead();
      return;
    }
    const root = rootOf(request);
    response.status(403);
    sendPage(response, loginPage({ fault: null, login: "", next: "", kept, root }));
  });
}

const readKeptForm = readForm(longestKept);

function refuseProgram(response: Response, hasToken: boolean): void {
  response.setHeader("WWW-Authenticate", 'Bearer realm="Dayferry"');
  const detail = hasToken ? say("accessFault.token") : say("accessFault.bearer");
  sendProblem(response, unauthorized(detail));
}

const unauthorized = (detail: string): Problem => ({ status: 401, title: "Unauthorized", detail });

const wrongMethod = ({ method, path }: Request): Problem => ({
  status: 405,
  title: "Method not allowed",
  detail: say("accessFault.method", { path, method }),
});

const allowed = (methods: readonly string[]): string =>
  methods.flatMap((method) => (method === "GET" ? ["GET", "HEAD"] : [method])).join(", ");

/** Methods without side effects. Source: RFC 9110 9.2.1. */
const safe: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);

/**
 * True unless another site's page makes the browser send this: browsers add a password entered here to such requests, and a
 * foreign form could sign a person in as someone else. Programs send no origin. `publicUrl`: gives the host known to browsers,
 * if a proxy uses another one. Source: Fetch Metadata 2.4 (Sec-Fetch-Site), RFC 6454 7 (Origin).
 */
function isOwnSite({ headers, host }: Request, publicUrl: () => string): boolean {
  const site = headers["sec-fetch-site"];
  if (site !== undefined) return site === "same-origin" || site === "none";
  const { origin } = headers;
  // Browsers that hide the page's origin send no header; "null" stands for a page without a URL.
  if (origin === undefined) return true;
  const from = URL.parse(origin)?.host;
  return from !== undefined && [host, new URL(publicUrl()).host].includes(from);
}
