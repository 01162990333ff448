import { describe, expect, it } from "vitest";
import { vevent } from "../../edits/rig.ts";
import { chore, events, object, objectRig, party, tasks, told } from "./object-rig.ts";

describe("a PUT that creates", () => {
  it.each([
    ["text/plain", "409 c:supported-calendar-data"],
    ["application/octet-stream", "201"],
    ["text/calendar;charset=utf-8;component=vevent", "201"],
    ["TEXT/CALENDAR", "201"],
  ])("answers an object of type %s with %s", (type, expected) => {
    const rig = objectRig();
    expect(told(rig.put(`${events}/a.ics`, party, { "content-type": type }))).toBe(expected);
  });

  it.each([
    ["iso-8859-1", "Fête", "409 c:supported-calendar-data"],
    ['"ISO-8859-15"', "Fête", "409 c:supported-calendar-data"],
    ["iso-8859-1", "Feast", "201"],
    ["us-ascii", "Feast", "201"],
    ['"UTF-8"', "Fête", "201"],
    ["utf8", "Fête", "201"],
  ])("answers an object of the charset %s with the title %s by %s", (charset, title, expected) => {
    const rig = objectRig();
    const type = `text/calendar; component=vevent; charset=${charset}`;
    const item = party.replace(/SUMMARY:.*/, `SUMMARY:${title}`);
    expect(told(rig.put(`${events}/a.ics`, item, { "content-type": type }))).toBe(expected);
  });

  it("reads octets without a type as what they are", () => {
    const rig = objectRig();
    const headers = { "content-type": "application/octet-stream" };
    const path = `${events}/a.ics`;
    for (const body of ["", "BEGIN:VCARD\r\nEND:VCARD\r\n", "<html></html>"]) {
      const answer = rig.ask("PUT", path, { body, headers });
      expect(told(answer)).toBe("409 c:supported-calendar-data");
    }
    const marked = `\ufeff\r\n${object(party)}`;
    expect(rig.ask("PUT", path, { body: marked, headers }).status).not.toBe(403);
  });

  it("accepts an object without a type", () => {
    const rig = objectRig();
    expect(rig.ask("PUT", `${events}/a.ics`, { body: object(party) }).status).toBe(201);
  });

  const series = vevent(
    "s@example.com",
    "SUMMARY:S",
    "DTSTART:20261224T100000Z",
    "RRULE:FREQ=DAILY",
  );
  it.each([
    ["a to-do among events", events, chore(), "409 c:supported-calendar-component"],
    ["an event among tasks", tasks, party, "409 c:supported-calendar-component"],
    ["a series", events, series, "409 c:max-instances"],
    ["a METHOD", events, `METHOD:REQUEST\r\n${party}`, "409 c:valid-calendar-object-resource"],
    ["two items", events, `${party}\r\n${series}`, "409 c:valid-calendar-object-resource"],
    [
      "a start on a date with an end at a time",
      events,
      party.replace(/DTEND.*/, "DTEND:20261225T100000Z"),
      "409 c:valid-calendar-data",
    ],
    [
      "a start at a time with an end on a date",
      events,
      party.replace(/DTSTART.*/, "DTSTART:20261224T100000Z"),
      "409 c:valid-calendar-data",
    ],
    ["nothing readable", events, "BEGIN:VEVENT\r\nnonsense", "409 c:valid-calendar-data"],
    [
      "a start in the second pass of a repeated hour",
      events,
      vevent("late@example.com", "SUMMARY:Late", "DTSTART:20261025T013000Z"),
      "409 c:valid-calendar-object-resource",
    ],
    [
      "a year that cannot be written",
      events,
      vevent("old@example.com", "SUMMARY:Old", "DTSTART;VALUE=DATE:00010101"),
      "409 c:valid-calendar-object-resource",
    ],
  ])("refuses %s and keeps nothing", (_name, calendar, item, expected) => {
    const rig = objectRig();
    const answer = rig.put(`${calendar}/a.ics`, item);
    expect(told(answer)).toBe(expected);
    expect(String(answer.body)).toMatch(/<df:reason>.{10,}<\/df:reason>/);
    expect(rig.edits()).toEqual([]);
    expect(rig.get(`${calendar}/a.ics`).status).toBe(404);
  });

  it("refuses a body that is too large", () => {
    const rig = objectRig();
    const item = vevent("x@example.com", "SUMMARY:X", `DESCRIPTION:${"x".repeat(100_001)}`);
    expect(told(rig.put(`${events}/a.ics`, item))).toBe("409 c:max-resource-size");
  });

  it("names the object that already has the UID", () => {
    const rig = objectRig();
    rig.put(`${events}/one.ics`, party);
    const answer = rig.put(`${events}/two.ics`, party, { "if-none-match": "*" });
    expect(told(answer)).toBe("409 c:no-uid-conflict");
    expect(String(answer.body)).toContain(`<d:href>${events}/one.ics</d:href>`);
    expect(rig.names("events-2001")).toEqual(["one.ics"]);
  });
});

describe("a PUT of a to-do that other services would refuse", () => {
  it.each([
    ["DATE and DATE-TIME", ["DTSTART;VALUE=DATE:20270401", "DUE:20270402T150000Z"], "04-01 04-02"],
    ["DATE-TIME and DATE", ["DTSTART:20270401T080000Z", "DUE;VALUE=DATE:20270402"], "04-01 04-02"],
    [
      "a due time before the start",
      ["DTSTART:20270401T170000Z", "DUE:20270401T080000Z"],
      "04-01 04-01",
    ],
  ])("keeps the days of %s, and the octets", (_what, lines, days) => {
    const rig = objectRig();
    const item = chore(...lines);
    expect(rig.put(`${tasks}/a.ics`, item).status).toBe(201);
    const [edit] = rig.edits();
    const { startOn, dueOn } = { startOn: null, dueOn: null, ...edit?.patch };
    expect(`${String(startOn)} ${String(dueOn)}`.replaceAll("2027-", "")).toBe(days);
    expect(String(rig.get(`${tasks}/a.ics`).body)).toContain(lines.join("\r\n"));
  });

  it("removes control characters, and returns no ETag", () => {
    const rig = objectRig();
    const answer = rig.put(`${tasks}/a.ics`, chore("DESCRIPTION:a\u0007b"));
    expect([answer.status, answer.headers?.["ETag"]]).toEqual([201, undefined]);
    expect(String(rig.get(`${tasks}/a.ics`).body)).toContain("DESCRIPTION:ab\r\n");
  });

  it("keeps an unknown category in the octets, and says that the workspace has no such label", () => {
    const rig = objectRig();
    expect(rig.put(`${tasks}/a.ics`, chore("CATEGORIES:garden")).status).toBe(201);
    expect(rig.edits()).toMatchObject([{ action: "create", newLabels: [] }]);
    expect(String(rig.get(`${tasks}/a.ics`).body)).toContain("CATEGORIES:garden");
  });
});
