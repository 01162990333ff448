import { type Request, type Response, Router } from "express";
import type { DailyBackups } from "../backups/daily-backups.ts";
import type { EffectiveSetting } from "../config/effective.ts";
import { formGuard } from "./form-guard.ts";
import type { StatusFinding } from "./pages/status-page.ts";
import { rootOf, sendPage } from "./send-page.ts";
import type { Status } from "./status.ts";
import { type TestLimit, tooManyTests } from "./test-limit.ts";
import type { Viewers } from "./viewer.ts";

export interface StatusRoutesDeps {
  readonly viewers: Viewers;
  readonly status: () => Status;
  readonly tests: TestLimit;
  /** Absent if no backups are made. */
  readonly backups?: Pick<DailyBackups, "list">;
  readonly operator?:
    | {
        readonly settings: () => Promise<readonly EffectiveSetting[]>;
        /** Checks everything, including the mail server: some seconds. */
        readonly examine: (status: Status) => Promise<readonly StatusFinding[]>;
        /** Sends a test message by each way to the operator; absent if nothing is sent. */
        readonly test?: () => Promise<readonly StatusFinding[]>;
      }
    | undefined;
}

/** `/status`: the daemon's state and settings, for the admin; `/status/check` runs all checks. */
export function statusRoutes({
  viewers,
  status,
  backups,
  operator,
  tests,
}: StatusRoutesDeps): Router {
  const router = Router();

  async function show(
    { request, response }: { readonly request: Request; readonly response: Response },
    findings: readonly StatusFinding[] | null,
  ): Promise<void> {
    const settings = operator ? await operator.settings() : [];
    // Rarely opened.
    const { statusPage } = await import("./pages/status-page.ts");
    const about = {
      findings,
      settings,
      backups: backups?.list() ?? null,
      formToken: viewers.formToken(request),
      root: rootOf(request),
      canTest: operator?.test !== undefined,
    };
    sendPage(response, statusPage(status(), about));
  }

  router.get("/status", (request, response) => show({ request, response }, null));

  // Somebody reloads the page with the results.
  router.get(["/status/check", "/status/test"], (request, response) => {
    response.redirect(303, `${rootOf(request)}status`);
  });

  router.post(["/status/check", "/status/test"], ...formGuard(viewers));

  router.post("/status/check", async (request, response) => {
    await show({ request, response }, operator ? await operator.examine(status()) : []);
  });

  router.post("/status/test", async (request, response) => {
    const seconds = tests.ask("operator");
    if (seconds === null) {
      await show({ request, response }, (await operator?.test?.()) ?? []);
      return;
    }
    response.status(429).set("Retry-After", String(seconds));
    const what = tooManyTests(seconds);
    const none = { verdict: "doubtful", subject: "test message", what, remedy: null } as const;
    await show({ request, response }, [none]);
  });
  return router;
}
