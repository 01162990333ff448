import { type Response, Router } from "express";
import type { PersonId } from "../domain/ids.ts";
import { everyMailKind, isMailChoice } from "../domain/mail-kind.ts";
import { tokenScopes } from "../store/calendars/token-table.ts";
import type { RecentMail } from "../store/mails/ledger.ts";
import { say } from "../texts/say.ts";
import { isConfirmed } from "./confirmed.ts";
import { formField, formGuard } from "./form-guard.ts";
import { logOutOthersQuestion } from "./pages/confirm-questions.ts";
import type { MailSwitches } from "./pages/people-mail-page.ts";
import type { TokenPlace } from "./pages/token-page.ts";
import { type PersonPlace, personPlaceOf, settingsOf } from "./person-place.ts";
import { notFound, sendProblem } from "./problem-json.ts";
import { queryText } from "./request-query.ts";
import { redirectTo, rootOf, sendPage } from "./send-page.ts";
import { frameOf } from "./viewer.ts";
import type { WebContext } from "./web-context.ts";

const mostShown = 50;

/** `/people`, for the admin: people and mails; `/me`, for everyone else: their own settings, and tokens for agents. */
export function peoplePageRoutes(context: WebContext): Router {
  const { viewers, people, store, tokens, outbox = null, mailLinks, webhooks } = context;
  const router = Router();
  const settingsFor = (person: PersonId) => ({
    mails: {
      off: store.mailChoices.offOf(person),
      granted: mailLinks?.wishes(person) ?? everyMailKind,
    } satisfies MailSwitches,
    webhook: webhooks?.webhooks.describe(person) ?? null,
  });

  router.get("/people", async (request, response) => {
    const { peopleAndMailPage } = await import("./pages/people-mail-page.ts");
    const unfolded = queryText(request, "mails");
    const data = {
      people: people.list().map((person) => ({
        person,
        ...settingsFor(person.id),
        logIns: store.logIns.of(person.id).length,
        // The person whose setting was just changed stays expanded.
        isOpen: String(person.id) === unfolded,
      })),
      state: store.ledger.state(),
      ahead: (await context.mailsAhead?.(mostShown)) ?? [],
      recent: store.ledger.recent(mostShown).map((mail) => ({ ...mail, title: titleOf(mail) })),
      outbox: outbox && (await outbox.list(mostShown)),
    };
    sendPage(response, peopleAndMailPage(data, frameOf(response, viewers)));
  });

  function titleOf({ item, edit }: RecentMail): string | null {
    const about = item ?? (edit === null ? null : (store.journal.get(edit)?.item ?? null));
    return about === null ? null : (store.view.get(about)?.item.title ?? null);
  }

  router.get("/people/outbox/:file", async (request, response) => {
    const mail = (await outbox?.read(request.params.file)) ?? null;
    if (!mail) return sendProblem(response, notFound(say("requestFault.noMail")));
    const { outboxMailPage } = await import("./pages/people-mail-page.ts");
    sendPage(response, outboxMailPage(mail, frameOf(response, viewers)));
  });

  // A mail's markup is untrusted, so it is shown in a document of its own, without scripts, forms or this server's origin.
  router.get("/people/outbox/:file/html", async (request, response) => {
    const { html = null } = (await outbox?.read(request.params.file)) ?? {};
    if (html === null) return sendProblem(response, notFound(say("requestFault.noMail")));
    response
      .set("Content-Security-Policy", mailPolicy)
      .set("Referrer-Policy", "no-referrer")
      .type("html")
      .send(html);
  });

  const mailSettings = ["/me/mails", "/people/:id/mails"];
  router.post([...mailSettings, "/me/log-ins", "/me/tokens"], ...formGuard(viewers));

  router.post(mailSettings, (request, response: Response) => {
    const place = personPlaceOf(response, context);
    if (!place) return;
    const [off, on] = [formField(request.body, "off"), formField(request.body, "on")];
    if (isMailChoice(off)) store.mailChoices.turnOff(place.person.id, off);
    else if (isMailChoice(on)) store.mailChoices.turnOn(place.person.id, on);
    redirectTo(response, settingsOf(place, "mails"));
  });

  router.get("/me", async (request, response) => {
    const place = personPlaceOf(response, context);
    if (!place) return;
    const { person } = place;
    const { mePage } = await import("./pages/me-page.ts");
    const own = {
      person,
      ...settingsFor(person.id),
      logIns: store.logIns.of(person.id),
      tokens: store.accessTokens.of(person.id).length,
      hooks: context.eventWebhooks?.list(person.id).length ?? null,
      current: viewers.sessionOf(request)?.id ?? null,
    };
    sendPage(response, mePage(own, frameOf(response, viewers)));
  });

  router.post("/me/log-ins", (request, response) => {
    const place = personPlaceOf(response, context);
    if (!place) return;
    const { id: person } = place.person;
    const ended = formField(request.body, "end");
    const current = viewers.sessionOf(request)?.id ?? null;
    if (ended === "others") {
      const others = store.logIns.of(person).filter(({ id }) => id !== current);
      const question = () => logOutOthersQuestion(others.length, `${rootOf(request)}me#log-ins`);
      if (others.length > 0 && !isConfirmed(response, question)) return;
      store.logIns.endOf(person, current);
    }
    const one = store.logIns.of(person).find(({ id }) => String(id) === ended);
    if (one) store.logIns.end(one.id);
    // Ending the current session leads to the sign-in page.
    redirectTo(response, "me#log-ins");
  });
  async function sendTokens(
    response: Response,
    { person }: PersonPlace,
    news: Pick<TokenPlace, "issued" | "problem">,
  ): Promise<void> {
    const { tokenPage } = await import("./pages/token-page.ts");
    const list = store.accessTokens.of(person.id);
    const own = { list, url: `${context.baseUrl()}/mcp`, ...news };
    sendPage(response, tokenPage(own, frameOf(response, viewers)));
  }

  router.get("/me/tokens", async (_request, response) => {
    const place = personPlaceOf(response, context);
    if (place) await sendTokens(response, place, { issued: null, problem: null });
  });

  router.post("/me/tokens", async ({ body }, response) => {
    const place = personPlaceOf(response, context);
    if (!place) return;
    const revoked = Number(formField(body, "revoke"));
    if (revoked > 0) {
      store.accessTokens.remove(revoked, place.person.id);
      return redirectTo(response, "me/tokens");
    }
    const name = formField(body, "name").trim().slice(0, 80);
    const scope = tokenScopes.find((one) => one === formField(body, "scope")) ?? "propose";
    if (name === "") {
      const problem = say("token.noName");
      return sendTokens(response.status(422), place, { issued: null, problem });
    }
    const { token } = tokens.issue(place.person.id, { name, scope });
    await sendTokens(response, place, { issued: token, problem: null });
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
