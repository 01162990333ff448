import { describe, expect, it } from "vitest";
import { serviceId } from "../../../src/domain/ids.ts";
import type { TaskItem } from "../../../src/domain/item.ts";
import { vevent, vtodo } from "../../edits/rig.ts";
import { chore, events, milestones, object, objectRig, tasks } from "./object-rig.ts";

// The service has only days and demands titles; times of day, and a missing title, stay in the octets that came.

const uid = "chore@example.com";
const path = `${tasks}/c.ics`;
const day = (text: string) => Temporal.PlainDate.from(text);

type Rig = ReturnType<typeof objectRig>;

/** Gives the service what was put last, and then something else, as a sweep finds it. */
function served(rig: Rig, change: Partial<Omit<TaskItem, "id">> = {}): void {
  const edit = rig.store.journal.claimNext();
  const made = edit && rig.store.view.get(edit.item)?.item;
  if (!edit || made?.kind === "event" || !made) throw new Error("no task is on its way");
  const answer = { ...made, id: serviceId(700) };
  rig.store.journal.confirm(edit, answer);
  rig.store.mirror.put({ ...answer, ...change, id: serviceId(700) }, "tasks:3001");
}

describe("a PUT of a to-do with a time of day", () => {
  it.each([
    ["in a zone, of the date that it writes", "DUE;TZID=Asia/Tokyo:20261202T010000", "2026-12-02"],
    ["in UTC, of the account's date", "DUE:20261201T233000Z", "2026-12-02"],
    ["without a zone", "DUE:20261201T233000", "2026-12-01"],
    ["by its length", "DTSTART:20261201T090000\r\nDURATION:PT2H", "2026-12-01"],
  ])("uses the day %s, and returns its octets", (_name, line, due) => {
    const rig = objectRig();
    const answer = rig.put(path, chore(line));
    expect(answer.status).toBe(201);
    expect(answer.headers?.["ETag"]).toBe(rig.etag(path));
    expect(rig.itemOf(uid)).toMatchObject({ dueOn: day(due) });
    expect(rig.text(path)).toBe(object(chore(line)));
    served(rig);
    expect(rig.text(path)).toBe(object(chore(line)));
  });

  it("keeps start and due date in order despite their zones", () => {
    const rig = objectRig();
    const lines = [
      "DTSTART;TZID=Asia/Tokyo:20261202T010000",
      "DUE;TZID=America/New_York:20261201T180000",
    ];
    expect(rig.put(path, chore(...lines)).status).toBe(201);
    expect(rig.itemOf(uid)).toMatchObject({ startOn: day("2026-12-01"), dueOn: day("2026-12-02") });
  });

  it.each([
    ["UTC", "DUE:20261201T170000Z", "DUE:20261202T170000Z"],
    ["UTC, over a change of the clocks", "DUE:20261024T170000Z", "DUE:20261025T180000Z"],
    ["a zone", "DUE;TZID=Europe/Berlin:20261201T180000", "DUE;TZID=Europe/Berlin:20261202T180000"],
    ["no zone", "DUE:20261201T181530", "DUE:20261202T181530"],
  ])("keeps a time in %s if the workspace moves the day", (_name, line, moved) => {
    const rig = objectRig();
    rig.put(path, chore(line));
    const { dueOn } = { dueOn: null, ...rig.itemOf(uid) };
    served(rig, { dueOn: dueOn?.add({ days: 1 }) ?? null });
    const lines = rig.text(path).split("\r\n");
    expect(lines.filter((one) => one.startsWith("DUE"))).toEqual([moved]);
  });

  const [start, due] = ["DTSTART:20261201T090000", "DUE:20261201T180000"];
  it.each<[string, readonly string[], Partial<Omit<TaskItem, "id">>, readonly string[]]>([
    [
      "both to another day",
      [start, due],
      { startOn: day("2026-12-03"), dueOn: day("2026-12-03") },
      ["DTSTART:20261203T090000", "DUE:20261203T180000"],
    ],
    [
      "the due date alone",
      [start, due],
      { dueOn: day("2026-12-03") },
      [start, "DUE:20261203T180000"],
    ],
    ["the due date away", [start, due], { dueOn: null }, [start]],
    [
      "a due date beside a start",
      [start],
      { dueOn: day("2026-12-03") },
      [start, "DUE:20261203T090000"],
    ],
    [
      "a due date to a day on which its time is too early",
      [due.replace("DUE", "DTSTART"), "DUE:20261205T090000"],
      { dueOn: day("2026-12-01") },
      ["DUE:20261201T090000"],
    ],
  ])("keeps both values of one kind if the workspace sets %s", (_name, lines, change, expected) => {
    const rig = objectRig();
    rig.put(path, chore(...lines));
    served(rig, change);
    const shown = rig.text(path).split("\r\n");
    expect(shown.filter((one) => /^(?:DTSTART|DUE)[;:]/.test(one))).toEqual(expected);
  });

  it("changes only the time, without an edit", () => {
    const rig = objectRig();
    rig.put(path, chore("DUE:20261201T170000Z"));
    const answer = rig.put(path, chore("DUE:20261201T180000Z"));
    expect(answer.headers?.["ETag"]).toBe(rig.etag(path));
    expect(rig.text(path)).toContain("DUE:20261201T180000Z");
    expect(rig.edits()).toHaveLength(1);
  });

  it("makes a milestone on its day", () => {
    const rig = objectRig();
    expect(rig.put(`${milestones}/m.ics`, chore("DUE:20261201T170000Z")).status).toBe(201);
    expect(rig.text(`${milestones}/m.ics`)).toContain("DUE:20261201T170000Z");
    expect(rig.itemOf(uid)).toMatchObject({
      milestone: true,
      when: { kind: "dates", start: day("2026-12-01") },
    });
  });
});

describe("a PUT without a title", () => {
  it.each([
    ["a to-do", path, vtodo(uid, "DTSTAMP:20261120T120000Z")],
    ["an empty one", path, vtodo(uid, "DTSTAMP:20261120T120000Z", "SUMMARY:")],
    ["an event", `${events}/c.ics`, vevent(uid, "DTSTART:20261201T100000Z")],
  ])("gets a title for the service, and %s is returned as sent", (_name, at, item) => {
    const rig = objectRig();
    const answer = rig.put(at, item);
    expect(answer).toMatchObject({ status: 201, headers: { ETag: rig.etag(at) } });
    expect(rig.itemOf(uid)).toMatchObject({ title: "(untitled)" });
    expect(rig.text(at)).toBe(object(item));
    expect(rig.put(at, item, { "if-match": rig.etag(at) }).headers?.["ETag"]).toBe(rig.etag(at));
    expect(rig.edits()).toHaveLength(1);
  });

  it("shows a title set in the workspace, and none after another change", () => {
    const rig = objectRig();
    rig.put(path, vtodo(uid, "DTSTAMP:20261120T120000Z"));
    served(rig, { dueOn: day("2026-12-01") });
    expect(rig.text(path)).toContain("DUE;VALUE=DATE:20261201");
    expect(rig.text(path)).not.toContain("SUMMARY");
    served(named(rig));
    expect(rig.text(path)).toContain("SUMMARY:Named");
  });

  it("gets a title again if it is emptied", () => {
    const rig = objectRig();
    rig.put(path, chore());
    expect(
      rig.ask("PUT", path, {
        body: object(chore("SUMMARY:")).replace("SUMMARY:Chore\r\n", ""),
      }).status,
    ).toBe(204);
    expect(rig.itemOf(uid)).toMatchObject({ title: "(untitled)" });
  });
});

/** Another person names the task. */
function named(rig: Rig): Rig {
  rig.send(object(chore().replace("SUMMARY:Chore", "SUMMARY:Named")));
  return rig;
}
