import { setImmediate as pause } from "node:timers/promises";
import { readCalendar, readCalendarObject } from "@dayferry/ical";
import { describe, expect, it } from "vitest";
import { octets, zone } from "../../../packages/ical/test/files.ts";
import { createCalendarReader, longestAtOnce } from "../../../src/ics/read/calendar-reader.ts";

const filler = `DESCRIPTION:${"long ".repeat(longestAtOnce / 5)}`;
const component = (name: string, ...lines: readonly string[]) =>
  [`BEGIN:${name}`, ...lines, `END:${name}`].join("\r\n");
const calendar = (...components: readonly string[]) =>
  octets(
    `${component("VCALENDAR", "VERSION:2.0", "METHOD:PUBLISH", "PRODID:-//Test//EN", ...components)}\r\n`,
  );
const stamps = ["DTSTAMP:20260701T080000Z", "LAST-MODIFIED:20260702T090000Z"];

const ownZone = component(
  "VTIMEZONE",
  "TZID:Ours",
  component("STANDARD", "DTSTART:16010101T000000", "TZOFFSETFROM:+0537", "TZOFFSETTO:+0537"),
);
const alarm = component("VALARM", "ACTION:DISPLAY", "TRIGGER:-PT90M", "DESCRIPTION:x");
const day = component("VEVENT", "UID:day", ...stamps, "DTSTART;VALUE=DATE:20260701", filler, alarm);
const all = calendar(
  ownZone,
  day,
  component(
    "VEVENT",
    "UID:times",
    "DTSTART;TZID=Europe/Berlin:20261025T023000",
    "DTEND;TZID=Ours:20261026T023000",
    "ATTACH;VALUE=BINARY;ENCODING=BASE64;FILENAME=a.txt:QUJD",
    "ATTENDEE:mailto:Ana@example.com",
    "LOCATION:Here",
  ),
  component("VEVENT", "UID:moment", "DTSTART:20260701T080000Z", "X-DAYFERRY-BASE:3"),
  component(
    "VTODO",
    "UID:todo",
    "DTSTART;VALUE=DATE:20260701",
    "DUE:20260702T100000",
    "COMPLETED:20260702T110000Z",
    "PERCENT-COMPLETE:100",
    "CATEGORIES:a,b",
  ),
  component("VEVENT", "UID:wrong", "DTSTART:20261301T080000Z"),
  component("VEVENT", "UID:weekly", "DTSTART:20260701T080000Z", "RRULE:FREQ=WEEKLY"),
  ...Array.from({ length: 120 }, (_, at) =>
    component("VTODO", `UID:many-${at}`, `SUMMARY:${at}`, "DURATION:P1D"),
  ),
  component("VJOURNAL", "UID:journal"),
);

describe("a file read in a thread gives the same result", () => {
  it.each<[string, Uint8Array]>([
    ["in a long file of everything", all],
    ["in a short file", calendar(component("VEVENT", "UID:a", "DTSTART:20260701T080000Z"))],
    ["in a long file without items", calendar(component("VJOURNAL", "UID:journal", filler))],
    ["in a long file that is cut", all.subarray(0, all.length - 30)],
    ["in a long file of another charset", Buffer.from(all).fill(0xff, 500, 501)],
    ["in more octets than are read", new Uint8Array(5_000_001).fill(65)],
    ["in a view into other octets", Buffer.concat([octets("x"), all]).subarray(1)],
  ])("%s", async (_what, bytes) => {
    const read = await createCalendarReader({ zone, pause }).file(bytes);
    expect(read).toEqual(readCalendar(bytes, { zone }));
  });

  it("for several at once", async () => {
    const reader = createCalendarReader({ zone, pause });
    const files = ["one", "two", "three"].map((uid) =>
      calendar(component("VTODO", `UID:${uid}`, filler)),
    );
    const found = await Promise.all(files.map((bytes) => reader.file(bytes)));
    const uids = found.map((read) => (read.ok ? read.value.items.map(({ uid }) => uid) : null));
    expect(uids).toEqual([["one"], ["two"], ["three"]]);
  });
});

describe("an object read in a thread gives the same result", () => {
  const object = (text: string) =>
    octets(`${component("VCALENDAR", "VERSION:2.0", "PRODID:-//Test//EN", text)}\r\n`);
  it.each<[string, Uint8Array]>([
    ["in a long object", object(day)],
    ["in a long object that repeats", object(day.replace("END:", "RRULE:FREQ=DAILY\r\nEND:"))],
    ["in a long file of several", all],
    ["in a short object", object(component("VTODO", "UID:a"))],
  ])("%s", async (_what, bytes) => {
    const read = await createCalendarReader({ zone, pause }).object(bytes);
    expect(read).toEqual(readCalendarObject(bytes, { zone }));
  });
});

describe("reading in a thread refuses", () => {
  it("what takes too long, and reads the next one", async () => {
    let timeout = Temporal.Duration.from({ milliseconds: 1 });
    const reader = createCalendarReader({
      zone,
      pause,
      get timeout() {
        return timeout;
      },
    });
    expect(await reader.file(all)).toMatchObject({
      ok: false,
      failure: [
        { code: "too-costly", message: { id: "ical.tooSlow", values: { seconds: 0.001 } } },
      ],
    });
    expect(await reader.object(all)).toMatchObject({
      ok: false,
      failure: { message: { id: "ical.tooSlow", values: { seconds: 0.001 } } },
    });
    timeout = Temporal.Duration.from({ minutes: 5 });
    expect((await reader.file(all)).ok).toBe(true);
  });

  it("what needs too much memory", async () => {
    const lines = "X-A:1\r\n".repeat(300_000);
    const bytes = calendar(`BEGIN:VEVENT\r\nUID:a\r\nEND:VEVENT\r\n${lines}X-END:1`);
    const reader = createCalendarReader({ zone, pause, mostMb: 16 });
    expect(await reader.file(bytes)).toMatchObject({
      ok: false,
      failure: [{ code: "too-costly", message: { id: "ical.tooMuchMemory" } }],
    });
  });
});
