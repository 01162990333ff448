import type { CalendarObject } from "@dayferry/caldav-server/backend";
import { readTree } from "@dayferry/ical";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  askedSpan,
  createPrefilter,
  matchesFilter,
} from "../../../packages/caldav-server/src/reports/calendar-query.ts";
import type { ComponentFilter } from "../../../packages/caldav-server/src/reports/filter.ts";
import { spanOf } from "../../../src/calendars/object-cache.ts";
import { itemKey } from "../../../src/domain/ids.ts";
import { runs } from "../../support/effort.ts";
import { anEvent, aTask, days, times, zone } from "../../support/items.ts";

const lone = (name: string, conditions: ComponentFilter["conditions"]): ComponentFilter => ({
  name: "VCALENDAR",
  conditions: { range: null, properties: [], components: [{ name, conditions }] },
});
const plain = { range: null, properties: [], components: [] };

const summary = (
  component: CalendarObject["component"],
  span: CalendarObject["span"],
): CalendarObject => ({
  key: itemKey(1),
  uid: "x",
  component,
  name: "x.ics",
  etag: '"1"',
  modifiedAt: Temporal.Instant.from("2026-11-20T00:00:00Z"),
  length: 1,
  span,
});

const compact = (date: Temporal.PlainDate | Temporal.PlainDateTime) =>
  date.toString().replace(/[-:]/g, "");

const midnight = Temporal.PlainDateTime.from("2026-11-20T00:00:00");
const minutes = fc.integer({ min: 0, max: 8 * 24 * 4 }).map((quarters) => quarters * 15);
const zones = fc.constantFrom(zone, "America/New_York", "Pacific/Kiritimati", "Pacific/Pago_Pago");

/** An item's octets, as a program wrote them, and its span. */
const anItem = fc.oneof(
  fc
    .record({
      at: minutes,
      length: fc.constantFrom(0, 15, 60, 3000),
      seconds: fc.integer({ min: 0, max: 59 }),
    })
    .map(timed),
  fc
    .record({ first: fc.integer({ min: 0, max: 7 }), length: fc.integer({ min: 1, max: 3 }) })
    .map(whole),
  fc
    .record({
      start: fc.option(fc.integer({ min: 0, max: 7 })),
      due: fc.option(fc.integer({ min: 0, max: 7 })),
      written: fc.constantFrom("both", "start", "due"),
    })
    .map(todo),
);

describe("the prefilter of a query", () => {
  it.each([
    ["an event, of an event", lone("VEVENT", plain), "VEVENT", true],
    ["an event, of a to-do", lone("VEVENT", plain), "VTODO", false],
    ["no to-do, of an event", lone("VTODO", null), "VEVENT", true],
    ["no event, of an event", lone("VEVENT", null), "VEVENT", false],
    ["a journal", lone("VJOURNAL", plain), "VEVENT", false],
    ["no journal", lone("VJOURNAL", null), "VEVENT", true],
    ["a time zone", lone("VTIMEZONE", plain), "VEVENT", null],
    [
      "a property, of an event",
      lone("VEVENT", { ...plain, properties: [{ name: "UID", conditions: null }] }),
      "VEVENT",
      null,
    ],
    [
      "a property of an event, of a to-do",
      lone("VEVENT", { ...plain, properties: [{ name: "UID", conditions: null }] }),
      "VTODO",
      false,
    ],
    ["no calendar", { name: "VCALENDAR", conditions: null }, "VEVENT", false],
  ] as const)("uses %s", (_what, filter, component, expected) => {
    expect(createPrefilter(filter, true)(summary(component, { from: 0, to: 1 }))).toBe(expected);
  });

  it("knows an event of some hours without its text, up to the very end of the range", () => {
    const start = Temporal.Instant.from("2026-11-01T00:00:00Z");
    const end = Temporal.Instant.from("2026-12-01T00:00:00Z");
    const prefilter = createPrefilter(lone("VEVENT", { ...plain, range: { start, end } }), true);
    const event = (from: Temporal.Instant, hours: number) => {
      const at = from.toZonedDateTimeISO("UTC");
      const when = { kind: "times", start: at, end: at.add({ hours }) } as const;
      return summary("VEVENT", spanOf(anEvent(1, { when }), zone));
    };
    expect(prefilter(event(end.subtract({ hours: 3 }), 2))).toBe(true);
    // It ends before it starts, so that only its start counts.
    expect(prefilter(event(end.add({ hours: 1 }), -3))).not.toBe(true);
    expect(prefilter(event(start.add({ hours: 1 }), -3))).not.toBe(false);
    expect(prefilter(event(end.subtract({ hours: 1 }), 2))).toBe(null);
  });

  it("passes all times if a filter has no range", () => {
    expect(askedSpan(lone("VEVENT", plain))).toBeNull();
    expect(askedSpan(lone("VALARM", { ...plain, range: { start: null, end: null } }))).toBeNull();
    expect(askedSpan({ name: "VCALENDAR", conditions: null })).toBeNull();
  });

  it("never contradicts the object's text", () => {
    let told = 0;
    let asked = 0;
    fc.assert(
      fc.property(
        anItem,
        fc.record({ at: minutes, length: minutes, zone: zones, isOpen: fc.boolean() }),
        (item, query) => {
          const start = midnight.add({ minutes: query.at }).toZonedDateTime("UTC").toInstant();
          const end = start.add({ minutes: query.length + 1 });
          const range = query.isOpen ? { start, end: null } : { start, end };
          const filter = lone(item.component, { ...plain, range });
          const object = summary(item.component, item.span);
          const known = createPrefilter(filter, query.zone === zone)(object);
          const near = askedSpan(filter);
          if (near && object.span && known !== false) {
            expect(object.span.from).toBeLessThanOrEqual(near.to);
            expect(object.span.to).toBeGreaterThanOrEqual(near.from);
          }
          asked++;
          if (known === null) return;
          told++;
          expect(known).toBe(matchesFilter(filter, readTree(item.octets), query.zone));
        },
      ),
      { numRuns: runs(2000) },
    );
    expect(told).toBeGreaterThan(asked / 5);
  });
});

const wrap = (name: string, lines: readonly string[]) =>
  ["BEGIN:VCALENDAR", `BEGIN:${name}`, "UID:x", ...lines, `END:${name}`, "END:VCALENDAR", ""].join(
    "\r\n",
  );

/** Floating, so that the query's zone decides. The service keeps no seconds. */
function timed({ at, length, seconds }: { at: number; length: number; seconds: number }) {
  const start = midnight.add({ minutes: at });
  const end = start.add({ minutes: length });
  const when = times(start.toString(), length === 0 ? null : end.toString());
  const octets = wrap("VEVENT", [
    `DTSTART:${compact(start.add({ seconds }))}`,
    ...(length === 0 ? [] : [`DTEND:${compact(end.add({ seconds }))}`]),
  ]);
  return { component: "VEVENT", span: spanOf(anEvent(1, { when }), zone), octets } as const;
}

function whole({ first, length }: { first: number; length: number }) {
  const start = midnight.toPlainDate().add({ days: first });
  const end = start.add({ days: length });
  const when = days(start.toString(), end.subtract({ days: 1 }).toString());
  const octets = wrap("VEVENT", [
    `DTSTART;VALUE=DATE:${compact(start)}`,
    `DTEND;VALUE=DATE:${compact(end)}`,
  ]);
  return { component: "VEVENT", span: spanOf(anEvent(1, { when }), zone), octets } as const;
}

interface WrittenTodo {
  readonly start: number | null;
  readonly due: number | null;
  readonly written: string;
}

/** A program may omit one of two dates that the item has; without both, only the span decides. */
function todo({ start, due, written }: WrittenTodo) {
  const dayOf = (at: number | null) =>
    at === null ? null : midnight.toPlainDate().add({ days: at });
  const [startOn, dueOn] = [dayOf(start), dayOf(due)];
  const keepsStart = written !== "due" || dueOn === null;
  const keepsDue = written !== "start" || startOn === null;
  const octets = wrap("VTODO", [
    ...(startOn && keepsStart ? [`DTSTART;VALUE=DATE:${compact(startOn)}`] : []),
    ...(dueOn && keepsDue ? [`DUE;VALUE=DATE:${compact(dueOn)}`] : []),
  ]);
  return { component: "VTODO", span: spanOf(aTask(1, { startOn, dueOn }), zone), octets } as const;
}
