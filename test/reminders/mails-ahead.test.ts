import { expect, it } from "vitest";
import { aMailer, ana, anEvent, anInbox, aRig, aTask, ben, leads } from "./rig.ts";

it("ahead() lists what falls due within a week for people who can be reached and want it, soonest first", async () => {
  const inbox = await anInbox();
  const digest = { at: Temporal.PlainTime.from("07:30"), weekday: null };
  const rig = aRig({
    mailer: aMailer(inbox),
    now: "2026-11-23T12:00:00Z",
    mails: { tasks: leads("P1D"), digest },
  });
  rig.put(anEvent({ assigned: [ana, ben] }), aTask());
  rig.store.mailChoices.turnOff(ben, "events");
  const all = await rig.ahead(50);
  expect(
    all.map(({ person, kind, item, dueAt }) => [
      person,
      kind,
      item?.title ?? null,
      dueAt.toString().slice(0, 16),
    ]),
  ).toEqual([
    [12, "digest", null, "2026-11-24T06:30"],
    [13, "digest", null, "2026-11-24T06:30"],
    [11, "digest", null, "2026-11-24T07:30"],
    [11, "events", "Design review", "2026-11-24T08:45"],
  ]);
  expect(await rig.ahead(1)).toEqual(all.slice(0, 1));
  rig.set("2026-11-10T12:00:00Z");
  expect((await rig.ahead(50)).every(({ kind }) => kind === "digest")).toBe(true);
  expect(inbox.asked).toEqual([]);
});
