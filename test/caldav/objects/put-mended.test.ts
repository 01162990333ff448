import { describe, expect, it } from "vitest";
import { vevent } from "../../edits/rig.ts";
import { events, object, objectRig, told } from "./object-rig.ts";

const path = `${events}/a.ics`;
const event = (...lines: readonly string[]) =>
  object(vevent("a@example.com", "SUMMARY:A", "DTSTART:20270601T090000Z", ...lines));

describe("a PUT with lines that only lenient readers accept", () => {
  const cases: readonly [string, string, string][] = [
    ["spaces", event("DTEND ; VALUE = DATE-TIME:20270601T100000Z"), "DTEND;VALUE=DATE-TIME:2027"],
    [
      "quotation marks",
      event('ATTENDEE;CN="A \\"N\\" R":mailto:a@b.c'),
      "CN=A ^'N^' R:mailto:a@b.c",
    ],
    ["small letters", event("DTEND:20270601t100000z"), "DTEND:20270601T100000Z"],
    ["an idle T", event("DURATION:P1DT"), "DURATION:P1D\r\n"],
    ["an empty end", event("DTEND:", "DURATION:PT1H"), "DTSTART:20270601T090000Z\r\nDURATION:PT1H"],
    ["control characters", event("X-A:a\u0000b\u0007"), "X-A:ab\r\n"],
    ["lone CRs", event().replaceAll("\r\n", "\r"), "SUMMARY:A\r\n"],
  ];
  it.each(cases)("keeps %s repaired, and returns no ETag", (_what, body, kept) => {
    const rig = objectRig();
    const answer = rig.ask("PUT", path, { body });
    expect([answer.status, answer.headers?.["ETag"]]).toEqual([201, undefined]);
    expect(rig.text(path)).toContain(kept);
    expect(rig.ask("PUT", path, { body: rig.text(path) }).headers).toHaveProperty("ETag");
  });

  it.each([
    ["names with underscores", event("CATEGORY_COLOR:-1", "X-A_B.c:1"), "X-A_B.c:1"],
    [
      "an offset for a zone",
      event("X-A:1").replace(":20270601T090000Z", ";TZID=GMT+02:00:20270601T090000"),
      "GMT+02:00",
    ],
  ])("keeps %s unchanged", (_what, body, kept) => {
    const rig = objectRig();
    expect(rig.ask("PUT", path, { body })).toMatchObject({
      status: 201,
      headers: { ETag: expect.stringMatching(/^"[^"]+"$/) },
    });
    expect(rig.text(path)).toBe(body);
    expect(rig.text(path)).toContain(kept);
  });

  it.each([
    ["a bad line", event("bad"), "409 c:valid-calendar-data"],
    ["an alarm without END", event("BEGIN:VALARM", "TRIGGER:-PT5M"), "409 c:valid-calendar-data"],
    ["text after the end", `${event()}hello\r\n`, "409 c:valid-calendar-data"],
    ["a second calendar", event() + event(), "409 c:valid-calendar-object-resource"],
  ])("refuses %s, and keeps nothing", (_what, body, expected) => {
    const rig = objectRig();
    expect(told(rig.ask("PUT", path, { body }))).toBe(expected);
    expect(rig.ask("GET", path).status).toBe(404);
  });
});
