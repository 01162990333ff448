import { basename } from "node:path/posix";
import { type Response, Router } from "express";
import type { PersonDescription } from "../people/people.ts";
import { say } from "../texts/say.ts";
import { retold } from "../texts/stored.ts";
import { isConfirmed } from "./confirmed.ts";
import { formField, formGuard } from "./form-guard.ts";
import type { HttpDeps } from "./http-deps.ts";
import type { Said } from "./pages/components.ts";
import { removeWebhookQuestion } from "./pages/confirm-questions.ts";
import { type PersonPlace, personPlaceOf } from "./person-place.ts";
import { sendPage } from "./send-page.ts";
import { tooManyTests } from "./test-limit.ts";
import { frameOf } from "./viewer.ts";
import type { WebContext } from "./web-context.ts";

/** `/me/webhook` and, for the admin, `/people/ID/webhook`: a person's webhook, and a test of it. */
export function webhookRoutes(
  context: Omit<WebContext, "webhooks"> & NonNullable<HttpDeps["webhooks"]>,
): Router {
  const { viewers, webhooks, tests, testFor } = context;
  const router = Router();
  const places = ["/me/webhook", "/people/:id/webhook"];
  router.post(places, ...formGuard(viewers));

  async function show(response: Response, place: PersonPlace, said: Said | null): Promise<void> {
    const { webhookPage } = await import("./pages/webhook-page.ts");
    const webhook = webhooks.describe(place.person.id);
    const page = webhookPage({ ...place, webhook, said }, frameOf(response, viewers));
    sendPage(response.status(said && !said.isGood ? 422 : 200), page);
  }

  async function act(person: PersonDescription, body: unknown): Promise<Said> {
    const wish = formField(body, "do");
    if (wish === "test") {
      const seconds = tests.ask(`person ${person.id}`);
      if (seconds !== null) return { isGood: false, text: tooManyTests(seconds) };
      const posted = await webhooks.send(person.id, testFor(person));
      return posted.kind === "sent"
        ? { isGood: true, text: say("pageFault.testSent") }
        : { isGood: false, text: say("pageFault.testFailed", { reason: retold(posted.message) }) };
    }
    if (wish === "remove") {
      webhooks.remove(person.id);
      return { isGood: true, text: say("pageFault.webhookRemoved") };
    }
    const set = webhooks.set(person.id, {
      url: formField(body, "url"),
      format: formField(body, "format") === "json" ? "json" : "ntfy",
      token: formField(body, "token"),
      withMail: formField(body, "mail") !== "",
    });
    return set.ok
      ? { isGood: true, text: say("pageFault.webhookSaved") }
      : { isGood: false, text: set.failure };
  }

  router.get(places, async (_request, response: Response) => {
    const place = personPlaceOf(response, context);
    if (place) await show(response, place, null);
  });

  router.post(places, async ({ body, path }, response: Response) => {
    const place = personPlaceOf(response, context);
    if (!place) return;
    const { current } = webhooks.describe(place.person.id);
    const question = () => removeWebhookQuestion(current?.host ?? "", basename(path));
    const isRemoval = formField(body, "do") === "remove" && current?.by === "person";
    if (isRemoval && !isConfirmed(response, question)) return;
    await show(response, place, await act(place.person, body));
  });
  return router;
}
