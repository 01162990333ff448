import { type Response, Router } from "express";
import { directoryFor } from "../domain/visibility.ts";
import { callerPerson, type Operation } from "../operations/operation.ts";
import { createWebhook, deleteWebhook, testWebhook } from "../operations/webhook-operations.ts";
import type { EventWebhooks } from "../people/event-webhooks.ts";
import { say } from "../texts/say.ts";
import { isConfirmed } from "./confirmed.ts";
import { formField, formFields, formGuard } from "./form-guard.ts";
import { deleteHookQuestion } from "./pages/confirm-questions.ts";
import type { HookPlace } from "./pages/hook-page.ts";
import { redirectTo, sendPage } from "./send-page.ts";
import { tooManyTests } from "./test-limit.ts";
import { frameOf } from "./viewer.ts";
import type { WebContext } from "./web-context.ts";

interface HookPageContext extends WebContext {
  readonly eventWebhooks: EventWebhooks;
}

type News = Partial<Pick<HookPlace, "secret" | "news">>;

const good = (text: string): News => ({ news: { isGood: true, text } });
const bad = (text: string): News => ({ news: { isGood: false, text } });

/** Messages on the page, for each webhook. */
const mostDeliveries = 20;

/** `/webhooks`: webhooks for events; a person's own, and all for the admin. */
export function hookPageRoutes(context: HookPageContext): Router {
  const { viewers, tests, eventWebhooks, store } = context;
  const router = Router();
  router.post("/webhooks", ...formGuard(viewers));

  const ownerOf = ({ req }: Response) => callerPerson({ viewer: viewers.viewerOf(req) });

  async function show(response: Response, { secret = null, news = null }: News = {}) {
    const { hookPage } = await import("./pages/hook-page.ts");
    const viewer = viewers.viewerOf(response.req);
    const owner = ownerOf(response);
    const about = { owner, limit: mostDeliveries };
    const list = eventWebhooks.list(owner).map((hook) => ({
      hook,
      deliveries: eventWebhooks.deliveries(String(hook.id), about) ?? [],
    }));
    const projects = directoryFor(store.directory, viewer).projects();
    const frame = { ...frameOf(response, viewers), isAdmin: viewer.kind === "admin" };
    const page = hookPage({ list, secret, news, projects }, frame);
    sendPage(response.status(news && !news.isGood ? 422 : 200), page);
  }

  /** The operation's value, or its failure as news. */
  async function run(
    operation: Operation,
    input: Readonly<Record<string, unknown>>,
    response: Response,
  ): Promise<{ readonly value: unknown } | { readonly failed: News }> {
    const caller = { viewer: viewers.viewerOf(response.req), channel: "dashboard" } as const;
    const outcome = await operation.run(input, { ...context, caller });
    return outcome.ok ? outcome.value : { failed: bad(outcome.failure.detail) };
  }

  async function create(response: Response): Promise<News> {
    const { body } = response.req;
    const project = formField(body, "project");
    const wish = {
      ...{ url: formField(body, "url"), name: formField(body, "name") },
      events: formFields(body, "events"),
      ...(project !== "" && { project }),
    };
    const made = await run(createWebhook, wish, response);
    if ("failed" in made) return made.failed;
    const { secret }: { readonly secret: string } = Object(made.value);
    response.set("Cache-Control", "no-store");
    return { secret };
  }

  async function test(response: Response, webhook: string): Promise<News> {
    const seconds = tests.ask(`event webhook ${webhook}`);
    if (seconds !== null) return bad(tooManyTests(seconds));
    const tested = await run(testWebhook, { webhook }, response);
    if ("failed" in tested) return tested.failed;
    const { problem }: { readonly problem: string | null } = Object(tested.value);
    if (problem === null) return good(say("pageFault.testSent"));
    return bad(say("pageFault.testFailed", { reason: problem }));
  }

  router.get("/webhooks", (_request, response) => show(response));

  router.post("/webhooks", async (request, response) => {
    const webhook = formField(request.body, "webhook");
    const wish = formField(request.body, "do");
    if (wish === "test") return show(response, await test(response, webhook));
    if (wish !== "delete") return show(response, await create(response));
    const hook = eventWebhooks.list(ownerOf(response)).find(({ id }) => String(id) === webhook);
    if (hook && !isConfirmed(response, () => deleteHookQuestion(hook.name))) return;
    const deleted = await run(deleteWebhook, { webhook }, response);
    if ("failed" in deleted) return show(response, deleted.failed);
    redirectTo(response, "webhooks");
  });

  return router;
}
