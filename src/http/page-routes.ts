import { type Request, type Response, Router } from "express";
import helmet from "helmet";
import type { EditActions } from "../edits/actions/edit-actions.ts";
import type { PublishedFeeds } from "../feeds/published-feeds.ts";
import type { People } from "../people/people.ts";
import type { AdminAuth } from "./admin-auth.ts";
import { formField, formGuard, readForm } from "./form-guard.ts";
import { style } from "./pages/layout.ts";
import { loginPage, tooManyPage } from "./pages/login.ts";
import { startPage } from "./pages/start.ts";
import { rootOf, sendPage } from "./send-page.ts";
import type { Status } from "./status.ts";

export interface PageRoutesDeps {
  readonly auth: AdminAuth;
  readonly editActions: EditActions;
  readonly feeds: PublishedFeeds;
  readonly people: People;
  readonly status: () => Status;
  readonly baseUrl: () => string;
}

/** The pages for people. The admin token is asked for once, or comes once in the address that `demo` prints. */
export function pageRoutes(deps: PageRoutesDeps): Router {
  const { auth, editActions } = deps;
  const router = Router();
  router.use(
    helmet({
      // A home server often has no https: its own pages must still load.
      contentSecurityPolicy: { directives: { upgradeInsecureRequests: null } },
      strictTransportSecurity: false,
      referrerPolicy: { policy: "no-referrer" },
    }),
  );

  router.get("/style.css", (_request, response) => {
    response.type("text/css").set("Cache-Control", "public, max-age=3600").send(style);
  });

  const refuse = async (request: Request, response: Response, by: "form" | "address") => {
    const seconds = await auth.noteWrong(request, by);
    if (seconds === null) sendPage(response.status(403), loginPage({ wrong: true }));
    else sendPage(response.status(429).set("Retry-After", String(seconds)), tooManyPage);
  };

  router.get("/", async (request, response) => {
    const { token } = request.query;
    if (typeof token === "string" && auth.isToken(token)) {
      response.setHeader("Set-Cookie", auth.beginSession(request));
      response.redirect(303, rootOf(request));
    } else if (auth.hasSession(request)) {
      const data = {
        status: deps.status(),
        feeds: deps.feeds.list(),
        people: deps.people.list(),
        edits: editActions.list({ state: undefined, limit: 20 }) ?? [],
        waiting: ["parked", "held"].flatMap(
          (state) => editActions.list({ state, limit: 50 }) ?? [],
        ),
        baseUrl: deps.baseUrl(),
        formToken: auth.formToken(request),
      };
      sendPage(response, startPage(data));
    } else if (token === undefined) sendPage(response, loginPage({ wrong: false }));
    else await refuse(request, response, "address");
  });

  router.post("/login", readForm(), async (request, response) => {
    const given = formField(request.body, "token");
    if (!auth.isToken(given.trim())) return refuse(request, response, "form");
    response.setHeader("Set-Cookie", auth.beginSession(request));
    response.redirect(303, rootOf(request));
  });

  router.post("/logout", ...formGuard(auth), (request, response) => {
    response.setHeader("Set-Cookie", auth.endSession(request));
    response.redirect(303, rootOf(request));
  });
  return router;
}
