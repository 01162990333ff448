import { Router } from "express";
import { todayPage } from "./pages/today-page.ts";
import { sendPage } from "./send-page.ts";
import { createToday, type TodayDeps } from "./today.ts";
import type { Viewers } from "./viewer.ts";

export interface PageRoutesDeps extends TodayDeps {
  readonly viewers: Viewers;
}

/** `/`: today's state for the viewer, and what can be resolved at once. */
export function pageRoutes(deps: PageRoutesDeps): Router {
  const { viewers, status } = deps;
  const today = createToday(deps);
  const router = Router();

  router.get("/", (request, response) => {
    const viewer = viewers.viewerOf(request);
    const formToken = viewers.formToken(request);
    sendPage(response, todayPage(today(viewer, status()), formToken));
  });
  return router;
}
