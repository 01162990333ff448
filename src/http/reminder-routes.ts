import { type Request, type Response, Router } from "express";
import type { ReminderTimes } from "../domain/reminder-times.ts";
import { fail, ok, type Result } from "../domain/result.ts";
import type { People } from "../people/people.ts";
import { inDays } from "../reminders/reminder.ts";
import type { Store } from "../store/store.ts";
import { say } from "../texts/say.ts";
import { formField, formFields, formGuard } from "./form-guard.ts";
import { notDonePage } from "./pages/people-pages.ts";
import { personInPath } from "./person-in-path.ts";
import { rootOf, sendPage } from "./send-page.ts";
import type { Viewers } from "./viewer.ts";

interface ReminderRoutesDeps {
  readonly viewers: Viewers;
  readonly people: People;
  readonly store: Pick<Store, "personReminders">;
  /** The configured times, which apply to everyone who has chosen none. */
  readonly times: ReminderTimes;
}

/** `/me/reminders` and, for the admin, `/people/ID/reminders`: when a person is reminded. */
export function reminderRoutes({ viewers, people, store, times }: ReminderRoutesDeps): Router {
  const router = Router();
  const places = ["/me/reminders", "/people/:id/reminders"];
  router.post(places, ...formGuard(viewers));

  router.get(places, (request: Request, response: Response) => show(request, response, null));

  router.post(places, async (request: Request, response: Response) => {
    const person = personInPath(request, { people, viewers });
    const isForgotten = formField(request.body, "do") === "forget";
    const wish = isForgotten ? ok(null) : readTimes(request.body, times);
    if (person && wish.ok) {
      if (wish.value) store.personReminders.choose(person.id, wish.value);
      else store.personReminders.forget(person.id);
    }
    await show(request, response, wish.ok ? say("reminderTimes.saved") : wish.failure, wish.ok);
  });

  async function show(
    request: Request,
    response: Response,
    said: string | null,
    isGood = true,
  ): Promise<void> {
    const person = personInPath(request, { people, viewers });
    const root = rootOf(request);
    const isOwn = request.params["id"] === undefined;
    if (!person) {
      // The admin is not a person of the workspace.
      if (isOwn) response.redirect(303, `${root}people`);
      else sendPage(response.status(404), notDonePage(say("pageFault.noSuchPerson"), root));
      return;
    }
    const { reminderPage } = await import("./pages/reminder-page.ts");
    const page = reminderPage(
      { person, configured: times, chosen: store.personReminders.of(person.id) },
      {
        formToken: viewers.formToken(request),
        current: isOwn ? "me" : "people",
        back: isOwn ? `${root}me#mails` : `${root}people?mails=${person.id}#person-${person.id}`,
        said: said === null ? null : { isGood, text: said },
      },
    );
    sendPage(response.status(isGood ? 200 : 422), page);
  }
  return router;
}

/** A form's times. Without configured digests there is no time for them. */
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

/** A year before the day is more than anybody plans. */
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
