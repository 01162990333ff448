import { type Request, type Response, Router } from "express";
import { isId, type PersonId, personId } from "../domain/ids.ts";
import { isMailChoice, type MailWishes } from "../domain/mail-kind.ts";
import type { Outbox } from "../mail/outbox.ts";
import { passwordUse } from "../people/password-use.ts";
import type { People, PersonDescription } from "../people/people.ts";
import type { WebhookSettings } from "../people/webhook-settings.ts";
import type { MailAhead } from "../reminders/reminders.ts";
import type { RecentMail } from "../store/mails/ledger.ts";
import type { Store } from "../store/store.ts";
import { say } from "../texts/say.ts";
import { isConfirmed } from "./confirmed.ts";
import { formField, formGuard } from "./form-guard.ts";
import { endPasswordQuestion, logOutOthersQuestion } from "./pages/confirm-questions.ts";
import type { MailSwitches } from "./pages/people-mail-page.ts";
import { notDonePage, passwordPage } from "./pages/people-pages.ts";
import { notFound, sendProblem } from "./problem-json.ts";
import { queryText } from "./request-query.ts";
import { rootOf, sendPage } from "./send-page.ts";
import type { Viewers } from "./viewer.ts";

export interface PeoplePageRoutesDeps {
  readonly viewers: Viewers;
  readonly people: People;
  readonly store: Pick<
    Store,
    | "accessTokens"
    | "appPasswords"
    | "editSearch"
    | "journal"
    | "ledger"
    | "logIns"
    | "mailChoices"
    | "view"
  >;
  /** Kinds of mail that the configuration grants a person. */
  readonly wishes: (person: PersonId) => MailWishes;
  /** Mails due within a week, up to a limit. */
  readonly mailsAhead: (most: number) => Promise<readonly MailAhead[]>;
  /** Null if mails go to a mail server. */
  readonly outbox: Outbox | null;
  /** Null if reminders are sent by mail only. */
  readonly webhooks: Pick<WebhookSettings, "describe"> | null;
  readonly baseUrl: () => string;
}

const mostShown = 50;

/** `/people`, for the admin: people and mails; `/me`, for everyone else: their own settings. */
export function peoplePageRoutes(deps: PeoplePageRoutesDeps): Router {
  const { viewers, people, store, wishes, outbox } = deps;
  const router = Router();
  const frameOf = (request: Request) => ({
    root: rootOf(request),
    formToken: viewers.formToken(request),
    zone: viewers.viewerOf(request).zone,
  });
  const switchesOf = (person: PersonId): MailSwitches => ({
    off: store.mailChoices.offOf(person),
    granted: wishes(person),
  });

  router.get("/people", async (request, response) => {
    const { peopleAndMailPage } = await import("./pages/people-mail-page.ts");
    const data = {
      people: people.list().map((person) => ({
        person,
        mails: switchesOf(person.id),
        logIns: store.logIns.of(person.id).length,
        webhook: deps.webhooks?.describe(person.id) ?? null,
      })),
      state: store.ledger.state(),
      ahead: await deps.mailsAhead(mostShown),
      recent: store.ledger.recent(mostShown).map((mail) => ({ ...mail, title: titleOf(mail) })),
      outbox: outbox && (await outbox.list(mostShown)),
      // The person whose setting was just changed stays expanded.
      unfolded: personIn(queryText(request, "mails") ?? "")?.id ?? null,
    };
    sendPage(response, peopleAndMailPage(data, frameOf(request)));
  });

  function titleOf({ item, edit }: RecentMail): string | null {
    const about = item ?? (edit === null ? null : (store.journal.get(edit)?.item ?? null));
    return about === null ? null : (store.view.get(about)?.item.title ?? null);
  }

  router.get("/people/outbox/:file", async (request, response) => {
    const mail = (await outbox?.read(request.params.file)) ?? null;
    if (!mail) return sendProblem(response, notFound("there is no such mail"));
    const { outboxMailPage } = await import("./pages/people-mail-page.ts");
    sendPage(response, outboxMailPage(mail, frameOf(request)));
  });

  // Untrusted markup: in its own document, without scripts, forms or this server's origin.
  router.get("/people/outbox/:file/html", async (request, response) => {
    const mail = (await outbox?.read(request.params.file)) ?? null;
    if (!mail || mail.html === null)
      return sendProblem(response, notFound("there is no such mail"));
    response
      .set("Content-Security-Policy", mailPolicy)
      .set("Referrer-Policy", "no-referrer")
      .type("html")
      .send(mail.html);
  });

  router.post(
    ["/people/:id/mails", "/me/mails", "/me/password", "/me/password/clear", "/me/log-ins"],
    ...formGuard(viewers),
  );

  router.post("/people/:id/mails", (request, response) => {
    const person = personIn(request.params.id);
    if (!person) notDone(response, say("pageFault.noPerson", { id: request.params.id }));
    else {
      choose(person.id, request.body);
      response.redirect(303, `${rootOf(request)}people?mails=${person.id}#person-${person.id}`);
    }
  });

  const personIn = (id: string): PersonDescription | null =>
    isId(Number(id)) ? people.get(personId(Number(id))) : null;

  function choose(person: PersonId, body: unknown): void {
    const [off, on] = [formField(body, "off"), formField(body, "on")];
    if (isMailChoice(off)) store.mailChoices.turnOff(person, off);
    else if (isMailChoice(on)) store.mailChoices.turnOn(person, on);
  }

  /** The viewing person; null for the admin, who is no person of the workspace. */
  function own(request: Request): PersonDescription | null {
    const viewer = viewers.viewerOf(request);
    return viewer.kind === "person" ? people.get(viewer.person) : null;
  }

  router.get("/me", async (request, response) => {
    const person = own(request);
    if (!person) return response.redirect(303, `${rootOf(request)}people`);
    const { mePage } = await import("./pages/me-page.ts");
    const place = {
      person,
      mails: switchesOf(person.id),
      logIns: store.logIns.of(person.id),
      webhook: deps.webhooks?.describe(person.id) ?? null,
      tokens: store.accessTokens.of(person.id).length,
      current: viewers.sessionOf(request)?.id ?? null,
    };
    sendPage(response, mePage(place, frameOf(request)));
  });

  router.post("/me/mails", (request, response) => {
    const person = own(request);
    if (person) choose(person.id, request.body);
    response.redirect(303, `${rootOf(request)}me#mails`);
  });

  /** True if the viewer's own password, if any, may be replaced or removed. */
  function mayEnd(
    request: Request,
    response: Response,
    { person, isNew }: { readonly person: PersonDescription | null; readonly isNew: boolean },
  ): boolean {
    if (!person?.hasPassword) return true;
    const asking = {
      ...{ zone: viewers.viewerOf(request).zone, isNew, isOwn: true },
      use: passwordUse(person.id, store),
      back: `${rootOf(request)}me#password`,
    };
    return isConfirmed(request, response, () => endPasswordQuestion(person, asking));
  }

  router.post("/me/password", (request, response) => {
    const person = own(request);
    if (!mayEnd(request, response, { person, isNew: true })) return;
    const given = person && people.setPassword(person.id, viewers.sessionOf(request)?.id);
    if (given?.kind === "set") {
      const profile = `${rootOf(request)}people/${given.person.id}/dayferry.mobileconfig`;
      const [back, connect] = [`${rootOf(request)}me`, `${rootOf(request)}connect`];
      const about = { ...given, baseUrl: deps.baseUrl(), profile, back, connect };
      sendPage(response, passwordPage(about));
    } else notDone(response, say("pageFault.noAdminPassword"));
  });

  router.post("/me/password/clear", (request, response) => {
    const person = own(request);
    if (!mayEnd(request, response, { person, isNew: false })) return;
    if (person) people.clearPassword(person.id, viewers.sessionOf(request)?.id);
    response.redirect(303, `${rootOf(request)}me#password`);
  });

  router.post("/me/log-ins", (request, response) => {
    const person = own(request);
    const ended = formField(request.body, "end");
    const current = viewers.sessionOf(request)?.id ?? null;
    if (person && ended === "others") {
      const others = store.logIns.of(person.id).filter(({ id }) => id !== current);
      const question = () => logOutOthersQuestion(others.length, `${rootOf(request)}me#log-ins`);
      if (others.length > 0 && !isConfirmed(request, response, question)) return;
      store.logIns.endOf(person.id, current);
    }
    const mine = person ? store.logIns.of(person.id) : [];
    const one = mine.find(({ id }) => String(id) === ended);
    if (one) store.logIns.end(one.id);
    // Ending the current session leads to the sign-in page.
    response.redirect(303, `${rootOf(request)}me#log-ins`);
  });
  return router;
}

/** Source: CSP 3 6.3 (sandbox): no scripts, no forms, and an origin of its own. */
const mailPolicy = [
  "sandbox allow-popups",
  "default-src 'none'",
  "style-src 'unsafe-inline'",
  "img-src data:",
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'self'",
].join("; ");

function notDone(response: Response, reason: string): void {
  sendPage(response.status(404), notDonePage(reason, rootOf(response.req)));
}
