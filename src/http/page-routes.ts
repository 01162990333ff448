import { type Response, Router, urlencoded } from "express";
import helmet from "helmet";
import type { Desk } from "../edits/desk/desk.ts";
import type { PublishedFeeds } from "../feeds/feeds.ts";
import { type Auth, sameSecret } from "./auth.ts";
import { loginLimit } from "./limits.ts";
import { style } from "./pages/layout.ts";
import { loginPage } from "./pages/login.ts";
import { startPage } from "./pages/start.ts";
import { sendProblem } from "./problem.ts";
import type { Status } from "./status.ts";

export interface PageRoutesDeps {
  readonly auth: Auth;
  readonly desk: Desk;
  readonly feeds: PublishedFeeds;
  readonly status: () => Status;
  readonly baseUrl: () => string;
}

/** The pages for people. The admin token is asked for once, or comes once in the address that `demo` prints. */
export function pageRoutes({ auth, desk, feeds, status, baseUrl }: PageRoutesDeps): Router {
  const router = Router();
  router.use(
    helmet({
      // A home server often has no https: its own pages must still load.
      contentSecurityPolicy: { directives: { upgradeInsecureRequests: null } },
      strictTransportSecurity: false,
      referrerPolicy: { policy: "no-referrer" },
    }),
  );
  const form = urlencoded({ extended: false, limit: 10_000 });

  router.get("/style.css", (_request, response) => {
    response.type("text/css").set("Cache-Control", "public, max-age=3600").send(style);
  });

  const guessing = loginLimit();
  router.get("/", (request, response, next) => {
    if (request.query["token"] === undefined) next();
    else return guessing(request, response, next);
  });

  router.get("/", (request, response) => {
    const { token } = request.query;
    if (typeof token === "string" && auth.isToken(token)) {
      response.setHeader("Set-Cookie", auth.beginSession(request));
      response.redirect(303, "/");
    } else if (auth.hasSession(request)) {
      const edits = desk.list({ state: undefined, limit: 20 }) ?? [];
      const formToken = auth.formToken(request);
      page(
        response,
        startPage({ status: status(), feeds: feeds.list(), edits, baseUrl: baseUrl(), formToken }),
      );
    } else page(response, loginPage({ wrong: token !== undefined }));
  });

  router.post("/login", guessing, form, (request, response) => {
    const given = field(request.body, "token");
    if (!auth.isToken(given.trim())) {
      page(response.status(403), loginPage({ wrong: true }));
      return;
    }
    response.setHeader("Set-Cookie", auth.beginSession(request));
    response.redirect(303, "/");
  });

  router.post("/logout", form, (request, response) => {
    if (
      !auth.hasSession(request) ||
      !sameSecret(field(request.body, "form"), auth.formToken(request))
    ) {
      sendProblem(response, {
        status: 403,
        title: "Forbidden",
        detail: "this form belongs to no session of yours: reload the page",
      });
      return;
    }
    response.setHeader("Set-Cookie", auth.endSession());
    response.redirect(303, "/");
  });
  return router;
}

function page(response: Response, markup: string): void {
  response.set("Cache-Control", "no-store").type("html").send(markup);
}

function field(body: unknown, name: string): string {
  const fields: Readonly<Record<string, unknown>> = { ...Object(body) };
  const value = fields[name];
  return typeof value === "string" ? value : "";
}
