import { inTurns } from "@dayferry/event-loop";
import { Router } from "express";
import { type AgendaFilter, createAgenda } from "../calendars/agenda.ts";
import { onlookerOf } from "./agenda-query.ts";
import { todayPage } from "./pages/today-page.ts";
import { sendPage } from "./send-page.ts";
import type { WebContext } from "./web-context.ts";

const listedDays = 7;
/** The list ends with the day on which it reaches this many items. */
const listedItems = 12;
const openItems: AgendaFilter = {
  projects: new Set(),
  kinds: new Set(),
  assigned: null,
  completed: false,
};

/** `/`: today's state for the viewer, what can be resolved at once, and the next days. */
export function pageRoutes(context: WebContext): Router {
  const { viewers, status, today, store, eventLoop } = context;
  const agenda = createAgenda(store);
  const router = Router();

  router.get("/", async (request, response) => {
    const viewer = viewers.viewerOf(request);
    const formToken = viewers.formToken(request);
    const present = status();
    const from = present.now.toZonedDateTimeISO(viewer.zone).toPlainDate();
    const steps = agenda.listing(
      { from, to: from.add({ days: listedDays }), zone: viewer.zone },
      { onlooker: onlookerOf(viewer), filter: openItems, enough: listedItems },
    );
    const week = await inTurns(steps, eventLoop);
    sendPage(response, todayPage({ ...today(viewer, present), week }, formToken));
  });
  return router;
}
