import { basename } from "node:path/posix";
import { type Request, type Response, Router } from "express";
import type { People, PersonDescription } from "../people/people.ts";
import type { WebhookSettings } from "../people/webhook-settings.ts";
import type { WebhookMessage } from "../remote/webhook.ts";
import { say } from "../texts/say.ts";
import { isConfirmed } from "./confirmed.ts";
import { formField, formGuard } from "./form-guard.ts";
import { removeWebhookQuestion } from "./pages/confirm-questions.ts";
import { notDonePage } from "./pages/people-pages.ts";
import { personInPath } from "./person-in-path.ts";
import { rootOf, sendPage } from "./send-page.ts";
import { type TestLimit, tooManyTests } from "./test-limit.ts";
import type { Viewers } from "./viewer.ts";

export interface WebhookRoutesDeps {
  readonly viewers: Viewers;
  readonly people: People;
  readonly webhooks: WebhookSettings;
  /** Limits and content of test messages. */
  readonly tests: TestLimit;
  readonly testFor: (person: PersonDescription) => WebhookMessage;
}

interface Said {
  readonly isGood: boolean;
  readonly text: string;
}

/** `/me/webhook` and, for the admin, `/people/ID/webhook`: a person's webhook, and a test of it. */
export function webhookRoutes({
  viewers,
  people,
  webhooks,
  tests,
  testFor,
}: WebhookRoutesDeps): Router {
  const router = Router();
  const places = ["/me/webhook", "/people/:id/webhook"];
  router.post(places, ...formGuard(viewers));

  async function show(
    { request, response }: { readonly request: Request; readonly response: Response },
    { person, said }: { readonly person: PersonDescription; readonly said: Said | null },
  ): Promise<void> {
    const { webhookPage } = await import("./pages/webhook-page.ts");
    const isOwn = request.params["id"] === undefined;
    const root = rootOf(request);
    const page = webhookPage(
      { person, webhook: webhooks.describe(person.id), said },
      {
        formToken: viewers.formToken(request),
        zone: viewers.viewerOf(request).zone,
        current: isOwn ? "me" : "people",
        back: isOwn ? `${root}me` : `${root}people#person-${person.id}`,
      },
    );
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
        : { isGood: false, text: say("pageFault.testFailed", { reason: posted.message }) };
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

  router.get(places, async (request: Request, response: Response) => {
    const person = personInPath(request, { people, viewers });
    if (person) await show({ request, response }, { person, said: null });
    else notThere(request, response);
  });

  router.post(places, async (request: Request, response: Response) => {
    const person = personInPath(request, { people, viewers });
    if (!person) {
      notThere(request, response);
      return;
    }
    const { current } = webhooks.describe(person.id);
    const question = () => removeWebhookQuestion(current?.host ?? "", basename(request.path));
    const isRemoval = formField(request.body, "do") === "remove" && current?.by === "person";
    if (isRemoval && !isConfirmed(request, response, question)) return;
    await show({ request, response }, { person, said: await act(person, request.body) });
  });
  return router;
}

function notThere(request: Request, response: Response): void {
  // The admin is no person of the workspace.
  if (request.params["id"] === undefined) response.redirect(303, `${rootOf(request)}people`);
  else sendPage(response.status(404), notDonePage(say("pageFault.noSuchPerson"), rootOf(request)));
}
