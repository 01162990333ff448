import { describe, expect, it } from "vitest";
import type { PlannedItem } from "../../../src/edits/intake/plan-answer.ts";
import { acceptRig, calendar, codes, vevent, wishes } from "../rig.ts";

// Small files after public bug reports of comparable software.

const neighbour = vevent("n", "SUMMARY:N", "DTSTART:20270302T090000Z", "DTEND:20270302T100000Z");
const times = ["DTSTART:20270601T090000Z", "DTEND:20270601T100000Z"];
const nine = "2027-06-01T09:00:00Z/2027-06-01T10:00:00Z";
const zoned = (zone: string) => [
  `DTSTART;TZID=${zone}:20270601T090000`,
  `DTEND;TZID=${zone}:20270601T100000`,
];
const ownZone = (...lines: readonly string[]) =>
  ["BEGIN:VTIMEZONE", "TZID:Own", "BEGIN:STANDARD", ...lines, "END:STANDARD", "END:VTIMEZONE"].join(
    "\r\n",
  );
const offset = (minutes: number) =>
  ["FROM", "TO"].map((end) => `TZOFFSET${end}:+00${String(minutes % 60).padStart(2, "0")}`);
const own = vevent("u", "SUMMARY:U", ...zoned("Own"));

/** The place of a created item; the codes of a refusal. */
function outcome(item: PlannedItem | undefined): string | readonly string[] {
  if (item?.action !== "create") return item ? [...new Set(codes(item))] : [];
  return Object.values(Object(wishes(item)["when"])).join("/");
}

const event = (...lines: readonly string[]) =>
  calendar(vevent("u", "SUMMARY:U", ...lines), neighbour);

const files: readonly [string, string, string | readonly string[]][] = [
  [
    "spaces around parameters",
    event("DTSTART ; VALUE = DATE:20270301", "DTEND ; VALUE = DATE:20270302"),
    "2027-03-01/2027-03-02",
  ],
  ["names with underscores", event("CATEGORY_COLOR:-1", "X-ENTOURAGE_UUID:A", ...times), nine],
  [
    "a raw line break in a parameter",
    event(...times, "X-PLACE;X-TITLE=Am Hof 3", "1010 Wien", "Austria:geo:48.2,16.3"),
    ["bad-line"],
  ],
  ["quotation marks in a name", event('ATTENDEE;CN="A \\"N\\" R":mailto:a@b.c', ...times), nine],
  ["small letters in times", event("DTSTART:20270601t090000z", "DURATION:pt1h"), nine],
  ["an alarm without END", event("BEGIN:VALARM", "TRIGGER:-PT5M", ...times), ["mismatched-end"]],
  ["control characters", event("X-A:a\u0000\u0007b", ...times), nine],
  ["lone CRs", event(...times).replaceAll("\r\n", "\r"), nine],
  ["doubled CRs", event(...times).replaceAll("\r\n", "\r\r\n"), nine],
  ["a length with an idle T", event("DTSTART:20270601T090000Z", "DURATION:P0DT1H"), nine],
  [
    "a day with an idle T",
    event("DTSTART;VALUE=DATE:20270601", "DURATION:P1DT"),
    "2027-06-01/2027-06-02",
  ],
  [
    "equal events",
    calendar(vevent("u", ...times, "SUMMARY:U"), neighbour, vevent("u", ...times, "SUMMARY:U")),
    nine,
  ],
  [
    "a calendar for each event",
    calendar(vevent("u", "SUMMARY:U", ...times)) + calendar(neighbour),
    nine,
  ],
  ["text after the end", `${event(...times)}-- sent by a server\r\n`, nine],
  [
    "an empty end beside a length",
    event(
      "DTSTART:20270601T090000Z",
      "DTEND:",
      "DURATION:PT1H",
      "STATUS:",
      "SEQUENCE:",
      "CLASS:",
      "LAST-MODIFIED:",
      "PRIORITY:",
    ),
    nine,
  ],
  [
    "a Windows zone with a number",
    event(...zoned("Eastern Standard Time 1")),
    "2027-06-01T13:00:00Z/2027-06-01T14:00:00Z",
  ],
  [
    "an offset for a zone",
    event(...zoned("GMT+02:00")),
    "2027-06-01T07:00:00Z/2027-06-01T08:00:00Z",
  ],
  [
    "an offset without a colon",
    event(...zoned("GMT+0200")),
    "2027-06-01T07:00:00Z/2027-06-01T08:00:00Z",
  ],
  ["Outlook's UTC", event(...zoned("tzone://Microsoft/Utc")), nine],
  [
    "a zone without a name",
    event("DTSTART;TZID=:20270601T110000", "DTEND;TZID=:20270601T120000"),
    nine,
  ],
  [
    "offsets with a colon",
    calendar(
      ownZone("DTSTART:19700101T000000", "TZOFFSETFROM:+02:00", "TZOFFSETTO:+02:00"),
      own,
      neighbour,
    ),
    "2027-06-01T07:00:00Z/2027-06-01T08:00:00Z",
  ],
  [
    "a zone of one offset",
    calendar(ownZone("TZOFFSETTO:-0300"), own, neighbour),
    "2027-06-01T12:00:00Z/2027-06-01T13:00:00Z",
  ],
  ["no rule", event(...times, "RRULE:"), nine],
  ["a rule of one", event(...times, "RRULE:FREQ=WEEKLY;COUNT=1;BYDAY=TU"), nine],
  ["a rule that ends at once", event(...times, "RRULE:FREQ=DAILY;UNTIL=20270601T090000Z"), nine],
  [
    "a rule that ends before its second day",
    event(...zoned("Europe/Berlin"), "RRULE:FREQ=WEEKLY;BYDAY=TU;UNTIL=20270603T070000Z"),
    "2027-06-01T07:00:00Z/2027-06-01T08:00:00Z",
  ],
  ["a rule without an end", event(...times, "RRULE:FREQ=DAILY"), ["recurrence"]],
  ["another day left out", event(...times, "EXDATE:20270701T090000Z"), nine],
  ["its own day left out", event(...times, "EXDATE:20270601T090000Z"), ["recurrence"]],
  ["its own day once more", event(...times, "RDATE:20270601T090000Z"), nine],
  ["a bad line in a zone", calendar(ownZone("TZOFFSETTO -0300"), own, neighbour), ["unknown-zone"]],
];

describe("files with a fault in one item", () => {
  it.each(files)("%s", (_what, text, expected) => {
    const rig = acceptRig();
    const told = rig.plan(text, { dryRun: true });
    const done = rig.plan(text);
    const plain = ({ items }: typeof done) =>
      items.map((item) => ({ ...item, did: null, editId: null }));
    expect(plain(done)).toEqual(plain(told));
    expect(done.items).toHaveLength(2);
    const [one, next] = ["u", "n"].map((uid) => done.items.find((item) => item.uid === uid));
    expect(outcome(one)).toEqual(expected);
    expect(outcome(next)).toBe("2027-03-02T09:00:00Z/2027-03-02T10:00:00Z");
    for (const error of done.errors.filter(({ uid }) => uid !== null)) {
      expect(error).toMatchObject({ uid: "u", line: expect.any(Number) });
    }
  });

  it("a stream of many calendars is read, each with its own time zone", () => {
    const many = Array.from({ length: 70 }, (_, at) => {
      const zone = ownZone("DTSTART:19700101T000000", ...offset(at), "RRULE:FREQ=YEARLY");
      return calendar(zone, vevent(`u${at}`, `SUMMARY:${at}`, ...zoned("Own")));
    });
    const { items } = acceptRig().plan(many.join("\ufeff"), { dryRun: true });
    expect(items.filter(({ action }) => action === "create")).toHaveLength(70);
    expect(outcome(items[0])).toBe("2027-06-01T09:00:00Z/2027-06-01T10:00:00Z");
    expect(outcome(items[1])).toBe("2027-06-01T08:59:00Z/2027-06-01T09:59:00Z");
  });

  it("X-WR-TIMEZONE is the zone of floating times, with a note", () => {
    const floating = vevent("u", "SUMMARY:U", "DTSTART:20270601T090000", "DURATION:PT1H");
    const [item, other] = acceptRig().plan(
      calendar("X-WR-TIMEZONE:America/New_York", floating, neighbour),
    ).items;
    expect(outcome(item)).toBe("2027-06-01T13:00:00Z/2027-06-01T14:00:00Z");
    expect(item?.problems).toMatchObject([
      { code: "floating-zone", message: expect.stringContaining("America/New_York") },
    ]);
    expect(other?.problems).toEqual([]);
    const unknown = acceptRig().one(calendar("X-WR-TIMEZONE:Mars/Base", floating));
    expect([outcome(unknown), codes(unknown)]).toEqual([
      "2027-06-01T07:00:00Z/2027-06-01T08:00:00Z",
      [],
    ]);
  });
});
