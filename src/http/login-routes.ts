import { wholeMinutes } from "@dayferry/ical";
import { type Request, type Response, Router } from "express";
import { linkLength } from "../people/mailed-log-in.ts";
import type { AdminAuth } from "./admin-auth.ts";
import { formField, formGuard, readForm } from "./form-guard.ts";
import { checkedNext } from "./go-on.ts";
import { type KeptForm, keptField, longestKept, readKept } from "./kept-form.ts";
import { linkGuard } from "./link-guard.ts";
import { keptFormPage } from "./pages/kept-form-page.ts";
import {
  confirmLogInPage,
  deadLinkPage,
  type LogInFault,
  linkSentPage,
  loginPage,
  tooManyPage,
} from "./pages/login.ts";
import { queryText } from "./request-query.ts";
import { redirectTo, rootOf, sendPage } from "./send-page.ts";
import type { Viewers } from "./viewer.ts";
import type { WebContext } from "./web-context.ts";
import { noteWrong } from "./wrong-secret.ts";

/**
 * Accepts the admin token in the start page's URL, as printed by `demo`. Must be registered before everything that requires
 * signing in.
 */
export function tokenInAddress(auth: AdminAuth, viewers: Viewers): Router {
  const router = Router();
  router.get("/", async (request, response, next) => {
    const token = queryText(request, "token");
    if (token === undefined) return next();
    if (auth.isToken(token)) {
      const { cookie } = viewers.logIn(request, { person: null, way: "token" });
      response.setHeader("Set-Cookie", cookie);
      const next = checkedNext(queryText(request, "next") ?? "");
      redirectTo(response.set("Cache-Control", "no-store"), next);
      // An image on another site can request such a URL, so a wrong token must not end a session.
    } else if (viewers.find(request)) next();
    else {
      const seconds = await auth.noteWrong(request, "address");
      refuse({ request, response, seconds }, "token");
    }
  });
  return router;
}

/**
 * Signs people in and out: by app password, by a link by mail, and the admin by the token. `proxyLogout`: the proxy's sign-out
 * URL; null if it has none.
 */
export function loginRoutes(
  { viewers, passwords, mailedLogIns, throttle, store, log }: WebContext,
  { auth, proxyLogout }: { readonly auth: AdminAuth; readonly proxyLogout: string | null },
): Router {
  const router = Router();

  router.get("/login", (request, response) => {
    const next = checkedNext(queryText(request, "next") ?? "");
    const viewer = viewers.find(request);
    // A person authenticated by a proxy may sign in as the admin here.
    if (viewer && viewers.sessionOf(request)) redirectTo(response, next);
    else {
      const root = rootOf(request);
      sendPage(response, loginPage({ fault: null, login: "", next, kept: null, root }));
    }
  });

  router.post("/login", readLogIn, async (request, response) => {
    const token = formField(request.body, "token").trim();
    if ("token" in Object(request.body)) {
      if (auth.isToken(token)) begin({ request, response }, { person: null, way: "token" });
      else {
        const seconds = await auth.noteWrong(request, "form");
        refuse({ request, response, seconds }, "token");
      }
      return;
    }
    const login = formField(request.body, "login").trim();
    const password = formField(request.body, "password");
    // Nothing was entered, so there is nothing to count.
    if (password === "") return refuse({ request, response, seconds: null }, "no-password");
    const person = passwords.check(login, password);
    if (person) {
      throttle.right(request.ip ?? "", login);
      begin({ request, response }, { person, way: "password" });
      return;
    }
    const seconds = await noteWrong(throttle, { request, login });
    refuse({ request, response, seconds }, "password");
  });

  router.post("/login/link", readLogIn, async (request, response) => {
    const login = formField(request.body, "login").trim().slice(0, 200);
    if (login === "") return refuse({ request, response, seconds: null }, "nobody");
    // Counted like a wrong password, whether the address is known or not.
    const seconds = await noteWrong(throttle, { request, login: "link by mail" });
    if (seconds !== null) return refuse({ request, response, seconds }, "nobody");
    const next = checkedNext(formField(request.body, "next"));
    // Runs after the answer, so that the answer's timing reveals nothing.
    response.once("finish", () => askForLink(login, next));
    const minutes = wholeMinutes(linkLength);
    const kept = keptBy(request);
    sendPage(response, linkSentPage({ login, kept, root: rootOf(request) }, minutes));
  });

  function askForLink(login: string, next: string): void {
    try {
      mailedLogIns.ask(login, next);
    } catch (error) {
      if (!store.health.note(error)) log.error("login link could not be created", { error });
    }
  }

  router.use("/login/:signed", ...linkGuard());

  router.get("/login/:signed", (request, response) => {
    const opened = mailedLogIns.look(request.params.signed);
    if (opened) sendPage(response, confirmLogInPage(opened.person));
    else sendPage(response.status(410), deadLinkPage(rootOf(request)));
  });

  router.post("/login/:signed", (request, response) => {
    const opened = mailedLogIns.use(request.params.signed);
    if (!opened) {
      sendPage(response.status(410), deadLinkPage(rootOf(request)));
      return;
    }
    const { cookie } = viewers.logIn(request, { person: opened.person, way: "link" });
    response.setHeader("Set-Cookie", cookie);
    redirectTo(response, checkedNext(opened.next));
  });

  router.post("/logout", ...formGuard(viewers), (request, response) => {
    const isProxied = viewers.sessionOf(request) === null;
    response.setHeader("Set-Cookie", viewers.logOut(request));
    if (isProxied && proxyLogout !== null) response.redirect(303, proxyLogout);
    else redirectTo(response, "login");
  });

  function begin({ request, response }: Exchange, by: Parameters<Viewers["logIn"]>[1]): void {
    const next = checkedNext(formField(request.body, "next"));
    const { cookie, formToken } = viewers.logIn(request, by);
    response.setHeader("Set-Cookie", cookie);
    const kept = keptBy(request);
    if (kept) sendPage(response, keptFormPage({ kept, formToken, root: rootOf(request) }));
    else redirectTo(response, next);
  }
  return router;
}

/** Size limit of a sign-in, which may carry another form as text. */
const readLogIn = readForm(2 * longestKept);

const keptBy = ({ body }: Request): KeptForm | null => readKept(formField(body, keptField));

interface Exchange {
  readonly request: Request;
  readonly response: Response;
}

/** Shows the sign-in page with the error, or with how long to wait. */
function refuse(
  { request, response, seconds }: Exchange & { readonly seconds: number | null },
  fault: LogInFault,
): void {
  if (seconds !== null) {
    sendPage(response.status(429).set("Retry-After", String(seconds)), tooManyPage());
    return;
  }
  const login = formField(request.body, "login").trim().slice(0, 200);
  const given = formField(request.body, "next");
  const next = checkedNext(given);
  response.status(fault === "nobody" ? 400 : 403);
  sendPage(
    response,
    loginPage({ fault, login, next, kept: keptBy(request), root: rootOf(request) }),
  );
}
