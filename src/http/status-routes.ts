import { type Response, Router } from "express";
import { formGuard } from "./form-guard.ts";
import type { StatusFinding } from "./pages/status-page.ts";
import { redirectTo, sendPage } from "./send-page.ts";
import { tooManyTests } from "./test-limit.ts";
import { frameOf } from "./viewer.ts";
import type { WebContext } from "./web-context.ts";

/** `/status`: the daemon's state and settings, for the admin; `/status/check` runs all checks. */
export function statusRoutes(context: WebContext): Router {
  const { viewers, status, backups, eventWebhooks, operator, tests } = context;
  const router = Router();

  async function show(
    response: Response,
    findings: readonly StatusFinding[] | null,
  ): Promise<void> {
    const settings = operator ? await operator.settings() : [];
    // Loaded on first use, because it is rarely opened.
    const { statusPage } = await import("./pages/status-page.ts");
    const about = {
      findings,
      settings,
      backups: backups?.list() ?? null,
      hooks: eventWebhooks?.list(null).length ?? null,
      canTest: operator?.test !== undefined,
    };
    sendPage(response, statusPage(status(), about, frameOf(response, viewers)));
  }

  router.get("/status", (_request, response) => show(response, null));

  // A browser requests these URLs if a person reloads the results.
  const checks = ["/status/check", "/status/test"];
  router.get(checks, (_request, response: Response) => redirectTo(response, "status"));

  router.post(checks, ...formGuard(viewers));

  router.post("/status/check", async (_request, response) => {
    await show(response, (await operator?.examine(status())) ?? []);
  });

  router.post("/status/test", async (_request, response) => {
    const seconds = tests.ask("operator");
    if (seconds === null) {
      await show(response, (await operator?.test?.()) ?? []);
      return;
    }
    response.status(429).set("Retry-After", String(seconds));
    const what = tooManyTests(seconds);
    const none = { verdict: "doubtful", subject: "test message", what, remedy: null } as const;
    await show(response, [none]);
  });
  return router;
}
