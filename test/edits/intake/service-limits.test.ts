import { describe, expect, it } from "vitest";
import { anEvent, aTask } from "../../support/items.ts";
import { acceptRig, calendar, codes, list, vevent, vtodo, withItem } from "../rig.ts";

const alarm = (trigger: string) => [
  "BEGIN:VALARM",
  "ACTION:DISPLAY",
  "DESCRIPTION:Soon",
  `TRIGGER${trigger}`,
  "END:VALARM",
];

const event = (...lines: readonly string[]) =>
  calendar(vevent("new@example.com", "SUMMARY:New", ...lines));
const todo = (...lines: readonly string[]) =>
  calendar(vtodo("new@example.com", "SUMMARY:New", ...lines));

/** The report of a dry run, once it was shown to equal that of applying the file. */
function said(text: string) {
  const rig = acceptRig();
  const dry = rig.one(text, { dryRun: true, listId: list });
  expect(rig.edits()).toEqual([]);
  const { editId, ...applied } = rig.one(text, { listId: list });
  expect({ ...applied, editId: null, did: dry.did }).toEqual(dry);
  expect(rig.edits()).toHaveLength(applied.action === "refused" ? 0 : 1);
  expect(editId === null).toBe(applied.action === "refused");
  return {
    action: dry.action,
    codes: codes(dry),
    messages: dry.problems.map((one) => one.message),
  };
}

describe("limits of the service, in a dry run and applied", () => {
  it.each<[string, string, string]>([
    ["a start in the second pass", event("DTSTART:20261025T013000Z"), "repeated-hour"],
    [
      "a start in the second pass as another zone says it",
      event("DTSTART;TZID=America/New_York:20261024T213000"),
      "repeated-hour",
    ],
    [
      "an end in the second pass",
      event("DTSTART:20261024T220000Z", "DTEND:20261025T013000Z"),
      "repeated-hour",
    ],
    [
      "an end in the second pass by a duration",
      event("DTSTART;TZID=Europe/Berlin:20261025T020000", "DURATION:PT90M"),
      "repeated-hour",
    ],
    ["a year before all calendars", event("DTSTART:00010101T100000Z"), "years"],
    ["a year of two digits", event("DTSTART;VALUE=DATE:00261124"), "years"],
    ["the end of time", event("DTSTART;VALUE=DATE:99991231"), "years"],
    ["a duration of millennia", event("DTSTART:20261124T100000Z", "DURATION:P999999W"), "years"],
    ["a to-do of long ago", todo("DUE;VALUE=DATE:00261124"), "years"],
    ["a description without an end", todo(`DESCRIPTION:${"a".repeat(500_001)}`), "too-long"],
    ["a comment without an end", todo(`COMMENT:${"a".repeat(500_001)}`), "too-long"],
    ["a category without an end", todo(`CATEGORIES:${"a".repeat(500_001)}`), "too-long"],
  ])("refuse %s", (_name, text, code) => {
    expect(said(text)).toMatchObject({ action: "refused", codes: [code] });
  });

  it.each<[string, string]>([
    ["the first pass", event("DTSTART:20261025T003000Z", "DTEND:20261025T004500Z")],
    [
      "what surrounds the repeated hour",
      event("DTSTART:20261025T003000Z", "DTEND:20261025T020000Z"),
    ],
    ["a whole day of 25 hours", event("DTSTART;VALUE=DATE:20261025")],
    ["a day of the Middle Ages", event("DTSTART;VALUE=DATE:10661014")],
    ["a minute of local mean time", event("DTSTART;TZID=Europe/Berlin:18500101T100000")],
  ])("accept %s", (_name, text) => {
    expect(said(text)).toMatchObject({ action: "create", codes: [] });
  });

  it.each([
    ["seconds", event("DTSTART:20261124T100020Z", "DTEND:20261124T103000Z"), /2026-11-24 11:00:20/],
    [
      "a minute that does not exist there",
      event("DTSTART:18500101T100000Z"),
      /1850-01-01 10:53:28/,
    ],
    ["a reminder with seconds", event("DTSTART:20261124T100000Z", ...alarm(":-PT90S")), /PT90S/],
  ])("accept %s with a note that they are cut", (_name, text, message) => {
    const { action, codes: notes, messages } = said(text);
    expect([action, notes]).toEqual(["create", ["seconds"]]);
    expect(messages[0]).toMatch(message);
  });

  it.each([
    ["beyond a year", alarm(":-P367D")],
    ["of another millennium", alarm(";VALUE=DATE-TIME:00010101T000000Z")],
    ["of all digits", alarm(":-P999999DT999999H999999M999999S")],
  ])("accept an event with a reminder %s, which is kept here", (_name, lines) => {
    const text = event("DTSTART:20261124T100000Z", ...lines);
    expect(said(text)).toMatchObject({ action: "create", codes: ["not-stored"] });
  });

  it.each([
    ["event", "DTSTART:20261025T013000Z"],
    ["event", "DTSTART:99980101T100000Z\r\nDURATION:P800D"],
    ["task", "DUE;VALUE=DATE:99991231"],
  ])("refuse to move an existing item beyond them: %s %s", (kind, line) => {
    const rig = acceptRig();
    const isTask = kind === "task";
    const uid = rig.put(isTask ? aTask(7) : anEvent(501));
    const text = calendar((isTask ? vtodo : vevent)(uid, line));
    for (const dryRun of [true, false]) {
      expect(rig.one(text, { dryRun })).toMatchObject({ action: "refused", kind });
    }
    expect(rig.edits()).toEqual([]);
  });

  it("refuse a start whose length would end in the repeated hour", () => {
    const { rig, uid } = withItem(acceptRig(), anEvent(501));
    const answer = rig.one(calendar(vevent(uid, "DTSTART:20261025T003000Z")));
    expect(codes(answer)).toEqual(["repeated-hour"]);
    expect(answer.problems[0]?.message).toMatch(/^the end, 2026-10-25T01:30Z/);
  });

  it("accept the longest description, and leave a longer one as the service has it", () => {
    const description = "a ".repeat(400_000).trim();
    const { rig, uid } = withItem(acceptRig(), anEvent(1, { title: "Old", description }));
    const change = (text: string) =>
      calendar(vevent(uid, "SUMMARY:New", "DTSTART:20261201T100000Z", `DESCRIPTION:${text}`));
    expect(rig.one(change(`${description} b`))).toMatchObject({
      action: "refused",
      problems: [{ code: "too-long" }],
    });
    const [edit] = rig.edits();
    expect(edit).toBeUndefined();
    expect(rig.one(change(description)).action).toBe("update");
    expect(rig.edits()[0]?.patch).not.toHaveProperty("description");
    expect(rig.one(change("a".repeat(500_000))).action).toBe("update");
  });

  it("accept another change if the times stay as they are", () => {
    const { rig, uid } = withItem(acceptRig(), anEvent(501));
    const answer = rig.one(
      calendar(
        vevent(uid, "SUMMARY:Renamed", "DTSTART:20261123T090000Z", "DTEND:20261123T100000Z"),
      ),
    );
    expect(answer).toMatchObject({ action: "update", problems: [] });
  });
});
