import { type Response, Router } from "express";
import type { ReminderTimes } from "../domain/reminder-times.ts";
import { fail, ok, type Result } from "../domain/result.ts";
import { inDays } from "../reminders/reminder.ts";
import { say } from "../texts/say.ts";
import { formField, formFields, formGuard } from "./form-guard.ts";
import type { Said } from "./pages/components.ts";
import { type PersonPlace, personPlaceOf } from "./person-place.ts";
import { sendPage } from "./send-page.ts";
import { frameOf } from "./viewer.ts";
import type { WebContext } from "./web-context.ts";

/**
 * `/me/reminders` and, for the admin, `/people/ID/reminders`: when a person is reminded. `times`: the default for people who
 * have chosen none.
 */
export function reminderRoutes(context: WebContext & { readonly times: ReminderTimes }): Router {
  const { viewers, store, times } = context;
  const router = Router();
  const places = ["/me/reminders", "/people/:id/reminders"];
  router.post(places, ...formGuard(viewers));

  async function show(response: Response, place: PersonPlace, said: Said | null): Promise<void> {
    const { reminderPage } = await import("./pages/reminder-page.ts");
    const chosen = store.personReminders.of(place.person.id);
    const page = reminderPage(
      { ...place, configured: times, chosen, said },
      frameOf(response, viewers),
    );
    sendPage(response.status(said && !said.isGood ? 422 : 200), page);
  }

  router.get(places, async (_request, response: Response) => {
    const place = personPlaceOf(response, context);
    if (place) await show(response, place, null);
  });

  router.post(places, async ({ body }, response: Response) => {
    const place = personPlaceOf(response, context);
    if (!place) return;
    const wish = formField(body, "do") === "forget" ? ok(null) : readTimes(body, times);
    if (wish.ok && wish.value) store.personReminders.choose(place.person.id, wish.value);
    else if (wish.ok) store.personReminders.forget(place.person.id);
    const text = wish.ok ? say("reminderTimes.saved") : wish.failure;
    await show(response, place, { isGood: wish.ok, text });
  });
  return router;
}

/** The times in a form. Without configured digests, the form has no time for them. */
function readTimes(body: unknown, { digestAt }: ReminderTimes): Result<ReminderTimes, string> {
  const leads = (name: string) => formFields(body, name).map(leadOf);
  const [milestones, tasks] = [leads("milestones"), leads("tasks")];
  const at = timeOf(formField(body, "at"));
  const digest = digestAt === null ? null : timeOf(formField(body, "digestAt"));
  const isRead = [...milestones, ...tasks, at].every((value) => value !== null);
  if (!isRead || !at || (digestAt !== null && digest === null)) {
    return fail(say("reminderTimes.invalid"));
  }
  const known = (all: typeof tasks) => all.filter((lead) => lead !== null);
  return ok({ milestones: known(milestones), tasks: known(tasks), at, digestAt: digest });
}

const timeOf = (text: string): Temporal.PlainTime | null =>
  /^([01]\d|2[0-3]):[0-5]\d$/.test(text) ? Temporal.PlainTime.from(text) : null;

/** Reminders more than a year ahead are refused. */
const longest = Temporal.Duration.from({ days: 366 });

function leadOf(text: string): Temporal.Duration | null {
  try {
    const lead = inDays(Temporal.Duration.from(text));
    const relativeTo = Temporal.PlainDate.from("2026-01-01");
    const isLead = lead.sign >= 0 && Temporal.Duration.compare(lead, longest, { relativeTo }) <= 0;
    return isLead ? lead : null;
  } catch {
    return null;
  }
}
