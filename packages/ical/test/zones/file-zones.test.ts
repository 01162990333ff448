import { describe, expect, it } from "vitest";
import { calendar, problemsOf, readFine, readOne, zone } from "../files.ts";

describe("zones of the file", () => {
  const withZone = (tzid: string, ...block: readonly string[]) =>
    calendar(
      ...["BEGIN:VTIMEZONE", `TZID:${tzid}`, ...block, "END:VTIMEZONE"],
      ...["BEGIN:VEVENT", "UID:u1", `DTSTART;TZID=${tzid}:20260701T100000`, "END:VEVENT"],
    );
  const standard = (from: string, to: string) => [
    "BEGIN:STANDARD",
    "DTSTART:16010101T000000",
    `TZOFFSETFROM:${from}`,
    `TZOFFSETTO:${to}`,
    "END:STANDARD",
  ];
  it.each([
    ["Customized Time Zone", standard("+0530", "+0530"), "2026-07-01T10:00:00+05:30[+05:30]"],
    ["Mine", standard("-030000", "-030000"), "2026-07-01T10:00:00-03:00[-03:00]"],
    ["Mine", standard("+0100", "+0200"), "2026-07-01T10:00:00+02:00[+02:00]"],
    ["Mine", standard("+011530", "+011530"), "2026-07-01T08:44:30+00:00[UTC]"],
    ["Mine", ["X-LIC-LOCATION:Asia/Tokyo"], "2026-07-01T10:00:00+09:00[Asia/Tokyo]"],
    ["Asia/Tokyo", standard("+0100", "+0100"), "2026-07-01T10:00:00+09:00[Asia/Tokyo]"],
  ])("resolve %s with %j", (tzid, block, expected) => {
    const found = readOne(withZone(tzid, ...block)).when;
    expect(found?.start.toString()).toBe(expected);
  });

  it.each([
    [[...standard("+0100", "+0100"), ...standard("+0200", "+0200")]],
    [standard("+0100", "soon")],
    [standard("+9900", "+9900")],
    [["X-LIC-LOCATION:Mars/Base"]],
    [[]],
  ])("stay unknown with %j", (block) => {
    expect(problemsOf(withZone("Mine", ...block))).toMatchObject([
      [expect.any(Number), "u1", "unknown-zone"],
    ]);
  });

  it("do not move floating times", () => {
    const bytes = calendar(
      ...["BEGIN:VTIMEZONE", "TZID:Asia/Tokyo", "END:VTIMEZONE"],
      ...["BEGIN:VEVENT", "UID:u1", "DTSTART:20260701T100000", "END:VEVENT"],
    );
    expect(readOne(bytes).when?.start.toString()).toBe(`2026-07-01T10:00:00+02:00[${zone}]`);
  });

  it("are looked up for 200 names at most", () => {
    const events = Array.from({ length: 201 }, (_, at) => [
      "BEGIN:VEVENT",
      `UID:${at}`,
      `DTSTART;TZID=${at < 200 ? `Mars/Base${at}` : "Europe/Rome"}:20260701T100000`,
      "END:VEVENT",
    ]).flat();
    const found = readFine(calendar(...events)).items.filter((item) => item.problems.length === 1);
    expect(found).toHaveLength(201);
  });
});
