import { describe, expect, it } from "vitest";
import { drainRig } from "./delivery/drain-rig.ts";
import { acceptRig, calendar, vevent } from "./rig.ts";

const daily = (...lines: readonly string[]) =>
  calendar(
    vevent(
      "standup@example.com",
      "SUMMARY:Stand-up",
      "DTSTART:20270322T090000Z",
      "DTEND:20270322T091500Z",
      ...lines,
    ),
  );
const thrice = daily("RRULE:FREQ=DAILY;COUNT=3");
const by = { channel: "dashboard", actor: null } as const;

describe("a repeating event in a file", () => {
  it("becomes single events, which the preview lists with the sending time", () => {
    const rig = acceptRig({ quota: { requests: 2, per: Temporal.Duration.from({ seconds: 10 }) } });
    const told = rig.plan(thrice, { dryRun: true });
    expect(rig.edits()).toEqual([]);
    expect(told.items.map(({ uid, series, words }) => [uid, series, words[1]?.to])).toEqual([
      [
        "standup@example.com",
        "standup@example.com",
        "Mon 22 Mar 2027, 10:00–10:15 (Europe/Berlin)",
      ],
      [
        "standup@example.com-20270323T090000",
        "standup@example.com",
        "Tue 23 Mar 2027, 10:00–10:15 (Europe/Berlin)",
      ],
      [
        "standup@example.com-20270324T090000",
        "standup@example.com",
        "Wed 24 Mar 2027, 10:00–10:15 (Europe/Berlin)",
      ],
    ]);
    expect(told.sendingSeconds).toBe(10);
  });

  it("is compared with its single events if it is sent again", () => {
    const rig = acceptRig();
    rig.plan(thrice);
    expect(rig.plan(thrice).items.map(({ action }) => action)).toEqual(Array(3).fill("unchanged"));
    const later = thrice.replace("SUMMARY:Stand-up", "SUMMARY:Later");
    expect(rig.plan(later).items.map(({ action }) => action)).toEqual(Array(3).fill("update"));
  });

  it("is refused with one reason if it has no end", () => {
    const [item, ...others] = acceptRig().plan(daily("RRULE:FREQ=DAILY"), { dryRun: true }).items;
    expect(others).toEqual([]);
    expect(item).toMatchObject({
      action: "refused",
      series: null,
      problems: [{ code: "recurrence", message: "RRULE has no end; give it a COUNT or an UNTIL" }],
    });
  });
});

describe("undo of a series", () => {
  it("deletes what was sent and drops the rest, from any of its edits", async () => {
    const rig = await drainRig();
    const before = rig.workspaceEvents().length;
    rig.send(thrice);
    for (let sent = 0; sent < 2; sent++) await rig.step();
    expect(rig.states()).toEqual(["confirmed", "confirmed", "pending"]);
    expect(rig.editActions.show(3)?.series).toEqual([1, 2, 3]);
    const undone = rig.editActions.undoSeries(3, by);
    expect(undone).toMatchObject({ kind: "done", left: [] });
    await rig.drainAll();
    expect(rig.workspaceEvents()).toHaveLength(before);
    expect(rig.states().slice(0, 3)).toEqual(["undone", "undone", "discarded"]);
    expect(rig.editActions.undoSeries(3, by)).toEqual({ kind: "done", edits: [], left: [] });
  });

  it("says which edits are left, and refuses an edit without a series", async () => {
    const rig = await drainRig();
    rig.send(thrice);
    await rig.drainAll();
    rig.editActions.undo(2, by);
    const { left } = Object(rig.editActions.undoSeries(1, by));
    expect(left).toEqual([{ edit: 2, reason: expect.stringContaining("undo") }]);
    rig.send(calendar(vevent("one@example.com", "SUMMARY:One", "DTSTART;VALUE=DATE:20270322")));
    const [single] = rig.store.journal.list({ limit: 1 });
    expect(rig.editActions.undoSeries(single?.id ?? 0, by).kind).toBe("refused");
    expect(rig.editActions.undoSeries(99, by)).toEqual({ kind: "unknown" });
  });
});
