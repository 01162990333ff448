import { expect, it } from "vitest";
import { createReminders } from "../../src/reminders/reminders.ts";
import { aMailer, anInbox, everyKind, leads, subjects } from "../reminders/rig.ts";
import { roomy, stage, until } from "../sync/support/stage.ts";
import { addTask, placeAt } from "../sync/support/workspace.ts";

const zone = "Europe/Berlin";

/** The sync and the mails of one daemon, with three tasks of one person that are due the day after tomorrow. */
async function running() {
  let ahead = Temporal.Duration.from({ minutes: 0 });
  const clock = () => Temporal.Now.instant().add(ahead);
  const it = await stage({ quota: roomy, now: clock });
  const place = placeAt(it, 0);
  const today = clock().toZonedDateTimeISO(zone).toPlainDate();
  const [, done = 0, deleted = 0] = ["Stays", "Done", "Deleted"].map((title) =>
    addTask(it, place, { title, assigned: [it.by], due_date: today.add({ days: 2 }).toString() }),
  );
  const inbox = await anInbox();
  const reminders = createReminders({
    store: it.store,
    mailer: aMailer(inbox),
    from: { name: "Dayferry", address: "dayferry@example.com" },
    zone,
    options: {
      events: false,
      milestones: [],
      tasks: leads("P1D"),
      overdue: false,
      at: Temporal.PlainTime.from("00:00"),
      digest: null,
      catchUp: Temporal.Duration.from({ hours: 24 }),
    },
    perMinute: 1000,
    wishes: () => everyKind,
    choiceUrl: null,
    actions: null,
    swept: () => it.sync.caughtUp && it.sync.settled,
    rereadAll: () => it.sync.rereadAll(),
    webUrl: null,
    clock,
    random: () => 0,
    onEvent: () => undefined,
  });
  const look = () => reminders.step(new AbortController().signal);
  const sleepADay = () => {
    const tomorrow = today.add({ days: 1 }).toZonedDateTime({ timeZone: zone, plainTime: "12:00" });
    ahead = Temporal.Now.instant().until(tomorrow.toInstant());
  };
  return { it, place, inbox, look, sleepADay, done, deleted };
}

it("after sleep, a machine reminds only of what is still open", async () => {
  const { it, place, inbox, look, sleepADay, done, deleted } = await running();
  await it.sweep();
  await look();
  expect(inbox.asked).toEqual([]);

  sleepADay();
  const { tasks } = it.sandbox.workspace;
  tasks.update({ ...place, task: done }, { completed: true });
  tasks.remove({ ...place, task: deleted });
  await look();
  expect(inbox.asked).toEqual([]);
  const stop = new AbortController();
  const sweeping = it.sync.run(stop.signal);
  await until(() => it.sync.settled && it.sandbox.requests.entries().length > 40);
  await look();
  await look();
  stop.abort();
  await sweeping;
  expect(subjects(inbox)).toEqual([expect.stringContaining("Stays")]);
});
