import { describe, expect, it } from "vitest";
import { anEvent, aTask, times } from "../support/items.ts";
import { bob, bodyOf, calendarRig, open, storedObject, textOf } from "./rig.ts";

/** An event that a program just put under its own UID. */
function keptRig(more: readonly string[] = []) {
  const rig = calendarRig();
  const item = anEvent(1, { title: "Mine", when: times("2026-11-23T10:00", "2026-11-23T11:00") });
  const body = bodyOf("own@program", "Mine", more);
  const { key, edit } = rig.store.together(() => {
    const made = rig.appendCreation(item, "own@program");
    rig.calendars.keep(storedObject(made.key, "own@program", body));
    return made;
  });
  const calendar = open(rig, "events-2001");
  const object = () => rig.calendars.object(calendar, "own@program.ics") ?? expect.fail();
  return { ...rig, key, edit, item, body, calendar, object, text: () => textOf(rig, object()) };
}

describe("stored octets of a program", () => {
  it("are returned unchanged, even after the service's response and a restart", () => {
    const rig = keptRig(["X-COLOUR:red", "BEGIN:VALARM", "TRIGGER:-P1D", "END:VALARM"]);
    expect(rig.text()).toBe(rig.body);
    const { etag } = rig.object();
    const claimed = rig.store.journal.claimNext() ?? expect.fail();
    rig.clock.advance({ seconds: 5 });
    rig.store.journal.confirm(claimed, { ...rig.item, createdAt: rig.clock() });
    expect(rig.object().etag).toBe(etag);
    const again = rig.reopened();
    expect(again.object(rig.calendar, "own@program.ics")?.etag).toBe(etag);
    expect(again.kept({ key: rig.key, component: "VEVENT" })).toMatchObject({
      agent: "Program/1",
      actor: 11,
    });
  });

  it("take in a change by someone else, keep the rest, and raise SEQUENCE", () => {
    const rig = keptRig(["X-COLOUR:red"]);
    const { etag } = rig.object();
    rig.wish(rig.key, "update", { title: "Theirs" });
    expect(rig.object().etag).not.toBe(etag);
    expect(rig.text()).toContain("SUMMARY:Theirs");
    expect(rig.text()).toContain("X-COLOUR:red");
    expect(rig.text()).toContain("LOCATION:Room 3");
    expect(Number(/SEQUENCE:(\d+)/.exec(rig.text())?.[1])).toBeGreaterThan(4);
    expect(rig.calendars.kept({ key: rig.key, component: "VEVENT" })).toBeNull();
  });

  it("are not restored if a change is reverted, and SEQUENCE never falls", () => {
    const rig = keptRig();
    const first = rig.object().etag;
    const sequence = () => Number(/SEQUENCE:(\d+)/.exec(rig.text())?.[1]);
    rig.wish(rig.key, "update", { title: "Theirs" });
    const between = sequence();
    rig.wish(rig.key, "update", { title: "Mine" });
    expect(rig.object().etag).not.toBe(first);
    expect(sequence()).toBeGreaterThan(between);
    expect(rig.text()).toContain("SUMMARY:Mine");
  });

  it("show the service's item again if an edit is parked", () => {
    const rig = keptRig();
    const claimed = rig.store.journal.claimNext() ?? expect.fail();
    rig.store.journal.confirm(claimed, { ...rig.item, title: "Mine" });
    rig.store.together(() => {
      rig.wish(rig.key, "update", { title: "Wished" });
      rig.calendars.keep(storedObject(rig.key, "own@program", bodyOf("own@program", "Wished")));
    });
    expect(rig.text()).toContain("SUMMARY:Wished");
    const again = rig.store.journal.claimNext() ?? expect.fail();
    rig.store.journal.settle(again, { kind: "park", reason: "conflict", problem: "both" });
    expect(rig.text()).toContain("SUMMARY:Mine");
    expect(rig.text()).toContain("LOCATION:Room 3");
  });

  it("are reported once if only they differ, and not at all if they are the same", () => {
    const rig = keptRig();
    const { etag } = rig.object();
    const token = rig.calendars.token(rig.calendar);
    const other = bodyOf("own@program", "Mine", ["X-COLOUR:blue"]);
    rig.store.together(() => rig.calendars.keep(storedObject(rig.key, "own@program", other)));
    expect(rig.text()).toBe(other);
    const changes = rig.calendars.changes(rig.calendar, { token, limit: null });
    expect(changes?.put.map((object) => object.etag)).toEqual([rig.object().etag]);
    expect(rig.object().etag).not.toBe(etag);
    const latest = rig.store.changes.latest();
    rig.store.together(() => rig.calendars.keep(storedObject(rig.key, "own@program", other)));
    expect(rig.store.changes.latest()).toBe(latest);
  });

  it("stay if a completion is confirmed with another time", () => {
    const rig = calendarRig();
    const key = rig.put(aTask(1));
    const { uid } = rig.seen(key);
    const body = `BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:x\r\nBEGIN:VTODO\r\nUID:${uid}\r\nSUMMARY:Task 1\r\nSTATUS:COMPLETED\r\nCOMPLETED:20261120T115900Z\r\nDUE;VALUE=DATE:20261124\r\nEND:VTODO\r\nEND:VCALENDAR\r\n`;
    rig.store.together(() => {
      rig.wish(key, "complete", { completed: true });
      rig.calendars.keep(storedObject(key, uid, body));
    });
    const calendar = open(rig, "tasks-3001");
    expect(textOf(rig, rig.calendars.objectOfUid(calendar, uid))).toBe(body);
    rig.clock.advance({ seconds: 7 });
    const claimed = rig.store.journal.claimNext() ?? expect.fail();
    const done = aTask(1, { completed: true, percent: 100, completedAt: rig.clock() });
    rig.store.journal.confirm(claimed, done);
    expect(textOf(rig, rig.calendars.objectOfUid(calendar, uid))).toBe(body);
  });

  it("take in properties that another channel adds", () => {
    const rig = keptRig();
    const raw =
      "BEGIN:VEVENT\nUID:own@program\nSUMMARY:Old\nLOCATION:Room 9\nURL:https://x.example\nEND:VEVENT";
    rig.store.together(() => {
      const upload = { item: rig.key, component: "VEVENT", channel: "upload" } as const;
      expect(rig.store.objects.put({ ...upload, uid: "own@program", raw })).toBe(true);
      rig.store.changes.note(rig.key);
    });
    expect(rig.text()).toContain("LOCATION:Room 9");
    expect(rig.text()).not.toContain("LOCATION:Room 3");
    expect(rig.text()).toContain("SUMMARY:Mine");
  });

  it("are our text if only another channel has sent properties", () => {
    const rig = calendarRig();
    const key = rig.put(anEvent(1, { reminder: Temporal.Duration.from({ minutes: 15 }) }));
    const { uid } = rig.seen(key);
    const alarm = (trigger: string) =>
      `BEGIN:VALARM\nACTION:DISPLAY\nTRIGGER:${trigger}\nEND:VALARM`;
    const raw = `BEGIN:VEVENT\nUID:${uid}\nSUMMARY:Old\nLOCATION:Room 9\n${alarm("-PT15M")}\n${alarm("-P1D")}\nEND:VEVENT`;
    rig.store.objects.put({ item: key, component: "VEVENT", channel: "upload", uid, raw });
    const text = textOf(rig, rig.calendars.objectOfUid(open(rig, "events-2001"), uid));
    expect(text).toContain("LOCATION:Room 9");
    expect(text).toContain("SUMMARY:Event 1");
    expect(text.match(/BEGIN:VALARM/g)).toHaveLength(2);
    expect(text).toContain("TRIGGER:-P1D");
    expect(text.indexOf("LOCATION")).toBeLessThan(text.indexOf("BEGIN:VALARM"));
  });

  it.each([
    [
      "that cannot be the reminder first",
      ["ACTION:EMAIL\nTRIGGER:-PT10M", "ACTION:DISPLAY\nTRIGGER:-PT15M"],
      2,
    ],
    ["after the start", ["ACTION:DISPLAY\nTRIGGER:PT9H"], 2],
    [
      "that was snoozed",
      ["ACTION:DISPLAY\nTRIGGER:-PT15M", "TRIGGER:-PT1M\nRELATED-TO;RELTYPE=SNOOZE:a"],
      2,
    ],
    ["that repeats", ["ACTION:DISPLAY\nTRIGGER:-PT15M\nREPEAT:2\nDURATION:PT1M"], 1],
  ])("are all alarms as sent if another channel has sent one %s", (_what, alarms, count) => {
    const rig = calendarRig();
    const key = rig.put(anEvent(1, { reminder: Temporal.Duration.from({ minutes: 15 }) }));
    const { uid } = rig.seen(key);
    const sent = alarms.map((lines) => `BEGIN:VALARM\n${lines}\nEND:VALARM`);
    const raw = [
      "BEGIN:VEVENT",
      `UID:${uid}`,
      "DTSTART:20261124T100000Z",
      ...sent,
      "END:VEVENT",
    ].join("\n");
    rig.store.objects.put({ item: key, component: "VEVENT", channel: "upload", uid, raw });
    const text = textOf(rig, rig.calendars.objectOfUid(open(rig, "events-2001"), uid));
    expect(text.match(/BEGIN:VALARM/g)).toHaveLength(count);
    for (const lines of alarms.filter((one) => !/TRIGGER:-PT15M$/.test(one)))
      expect(text.replaceAll("\r\n", "\n")).toContain(lines);
  });

  it("are not visible if their transaction was rolled back", () => {
    const rig = calendarRig();
    const key = rig.put(anEvent(1));
    const calendar = open(rig, "events-2001");
    const before = rig.calendars.objects(calendar);
    const { uid } = rig.seen(key);
    expect(() =>
      rig.store.durably(() => {
        rig.wish(key, "update", { title: "Never" });
        rig.calendars.keep(storedObject(key, uid, bodyOf(uid, "Never")));
        expect(textOf(rig, rig.calendars.objectOfUid(calendar, uid))).toContain("Never");
        throw new Error("power cut");
      }),
    ).toThrow("power cut");
    // Uses the revision that was undone.
    rig.put(aTask(9));
    expect(rig.calendars.objects(calendar)).toEqual(before);
    expect(rig.calendars.objects(open(rig, "tasks-3001"))).toHaveLength(1);
  });
});

describe("withdrawing stored octets", () => {
  it("of a held move buries the new place, and keeps the name at the old one", () => {
    const rig = calendarRig();
    const key = rig.put(anEvent(1));
    const { uid } = rig.seen(key);
    const [home, target] = [open(rig, "events-2001"), open(rig, "events-2002")];
    const others = open(rig, "events-2001", bob);
    const tokens = [home, target, others].map((each) => rig.calendars.token(each));
    rig.store.together(() => rig.calendars.retract(target, { key, name: "there.ics" }));
    const told = [home, target, others].map((each, at) =>
      rig.calendars.changes(each, { token: tokens[at] ?? "", limit: null }),
    );
    expect(told.map((one) => one?.buried.filter((name) => name !== "there.ics"))).toEqual([
      [],
      [],
      [],
    ]);
    expect(told[1]?.buried).toEqual(["there.ics"]);
    expect(told[2]?.buried).toEqual([]);
    for (const calendars of [rig.calendars, rig.reopened()]) {
      expect(calendars.object(home, `${uid}.ics`)?.key).toBe(key);
      expect(calendars.object(home, "there.ics")).toBeNull();
    }
  });

  it("of a held creation buries it for its person alone, and restores it once approved", () => {
    const rig = calendarRig();
    const calendar = open(rig, "events-2001");
    const others = open(rig, "events-2001", bob);
    const tokens = [calendar, others].map((each) => rig.calendars.token(each));
    const { key, edit } = rig.store.together(() => {
      const key = rig.store.mirror.createIdentity("event", "held@program");
      const base = { ...anEvent(1), id: null };
      const edit = rig.append({ item: key, action: "create", base, state: "held" });
      rig.calendars.retract(calendar, { key, name: "held.ics" });
      return { key, edit };
    });
    const buried = [calendar, others].map(
      (each, at) => rig.calendars.changes(each, { token: tokens[at] ?? "", limit: null })?.buried,
    );
    expect(buried).toEqual([["held.ics"], []]);
    const token = rig.calendars.token(others);
    rig.store.journal.resume(edit);
    expect(rig.calendars.object(calendar, "held.ics")?.key).toBe(key);
    rig.store.journal.discard(edit);
    rig.store.mirror.bury(key);
    const later = rig.calendars.changes(others, { token, limit: null });
    expect(later?.put).toEqual([]);
  });
});
