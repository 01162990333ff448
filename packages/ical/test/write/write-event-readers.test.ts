import {
  calendarEnd,
  cleanText,
  defaultLength,
  type EventCard,
  encodeUrl,
  endsAt,
  startsAt,
  type When,
  writeEvent,
  writeHeader,
  writeTimeZone,
} from "@dayferry/ical";
import fc from "fast-check";
import ICAL from "ical.js";
import ical, { type VEvent } from "node-ical";
import { describe, expect, it } from "vitest";
import { runs } from "../../../../test/support/effort.ts";
import { card, timed } from "../cards.ts";
import { octets, readOne, zone } from "../files.ts";
import { nastyText } from "../nasty.ts";

const published = (written: string): string =>
  writeHeader({ name: "n", description: "", zone, refresh: Temporal.Duration.from("PT1H") }) +
  writeTimeZone({ zone, fromYear: 2025, toYear: 2028 }) +
  written +
  calendarEnd;

const minute = fc.integer({ min: 0, max: 1_200_000 });
const someWhen: fc.Arbitrary<When> = fc.oneof(
  fc
    .record({ start: fc.nat(800), days: fc.integer({ min: 1, max: 40 }) })
    .map(({ start, days }) => {
      const first = new Temporal.PlainDate(2026, 1, 1).add({ days: start });
      return { kind: "dates" as const, start: first, end: first.add({ days }) };
    }),
  fc
    .record({ start: minute, length: fc.option(fc.integer({ min: 1, max: 5000 })) })
    .map(({ start, length }) => {
      const first = new Temporal.PlainDateTime(2026, 1, 1)
        .toZonedDateTime(zone)
        .add({ minutes: start });
      return {
        kind: "times" as const,
        start: first,
        end: length === null ? null : first.add({ minutes: length }),
      };
    }),
);

const someCard: fc.Arbitrary<EventCard> = fc
  .record({
    uid: nastyText.map(
      (text) =>
        cleanText(text)
          .replace(/[\n\t]/g, "")
          .trim() || "u",
    ),
    sequence: fc.nat(1000),
    summary: nastyText,
    description: nastyText,
    html: fc.option(nastyText),
    when: someWhen,
    categories: fc.array(nastyText, { maxLength: 4 }),
    reminder: fc.option(fc.nat(20_000).map((minutes) => Temporal.Duration.from({ minutes }))),
    transparent: fc.boolean(),
    classification: fc.constantFrom("PUBLIC" as const, "PRIVATE" as const, null),
    status: fc.constantFrom("CONFIRMED", "COMPLETED", null),
    url: fc.option(nastyText),
  })
  .map(card);

/** What a parser must find in a card. */
const moments = ({ when }: EventCard) => ({
  start: startsAt(when, zone).epochMilliseconds,
  end: endsAt(when, zone).epochMilliseconds,
});

describe("a written event", () => {
  it("has lines of 75 octets at most and is the same each time", () => {
    fc.assert(
      fc.property(someCard, (each) => {
        const written = writeEvent(each);
        expect(writeEvent(each)).toBe(written);
        expect(written.endsWith("END:VEVENT\r\n")).toBe(true);
        expect(written.isWellFormed()).toBe(true);
        for (const line of written.split("\r\n")) {
          expect(Buffer.byteLength(line)).toBeLessThanOrEqual(75);
          expect(line).not.toMatch(/[\r\n]/);
        }
      }),
      { numRuns: runs(150) },
    );
  });

  it("is read back by the own reader", () => {
    fc.assert(
      fc.property(someCard, (each) => {
        const item = readOne(octets(published(writeEvent(each))));
        expect(item.problems).toEqual([]);
        expect(item.uid).toBe(each.uid);
        expect(item.sequence).toBe(each.sequence);
        expect(item.lastModified?.equals(each.stampAt)).toBe(true);
        expect(item.summary).toBe(cleanText(each.summary));
        expect(item.description ?? "").toBe(cleanText(each.description));
        const names = each.categories.map((name) => cleanText(name).trim()).filter(Boolean);
        expect(item.categories ?? []).toEqual([...new Set(names)]);
        expect(item.alarm?.total("minutes") ?? null).toBe(each.reminder?.total("minutes") ?? null);
        expect(item.classification ?? null).toBe(each.classification);
        expect(item.status ?? null).toBe(each.status);
        expect(item.attendees).toBeUndefined();
        expect(item.when?.kind).toBe(each.when.kind);
        if (item.when) expect(moments(card({ when: item.when }))).toEqual(moments(each));
      }),
      { numRuns: runs(150) },
    );
  });

  it("is read back by ical.js", () => {
    fc.assert(
      fc.property(someCard, (each) => {
        const root = new ICAL.Component(ICAL.parse(published(writeEvent(each))));
        const [found, ...others] = root.getAllSubcomponents("vevent");
        if (!found) throw new Error("no event");
        expect(others).toEqual([]);
        const value = (name: string) => found.getFirstPropertyValue(name);
        expect(value("uid")).toBe(each.uid);
        expect(value("summary")).toBe(cleanText(each.summary));
        expect(value("description") ?? "").toBe(cleanText(each.description));
        expect(found.getAllProperties("attendee")).toEqual([]);
        expect(found.getAllSubcomponents("valarm")).toHaveLength(each.reminder ? 1 : 0);
        if (each.url?.trim()) expect(value("url")).toBe(encodeUrl(each.url));
        const times = new ICAL.Event(found);
        const block = root.getFirstSubcomponent("vtimezone");
        if (block && each.when.kind === "times") {
          const known = new ICAL.Timezone(block);
          for (const time of [times.startDate, times.endDate]) {
            if (time.zone !== ICAL.Timezone.utcTimezone) time.zone = known;
          }
          const read = {
            start: times.startDate.toUnixTime() * 1000,
            end: times.endDate.toUnixTime() * 1000,
          };
          expect(read).toEqual(moments(each));
        } else {
          expect(times.startDate.toString()).toBe(each.when.start.toString());
          expect(times.endDate.toString()).toBe(each.when.end?.toString());
        }
      }),
      { numRuns: runs(150) },
    );
  });

  it("is read back by node-ical, but for what that is known to lose", () => {
    const tame = (text: string) =>
      cleanText(text)
        .replace(/[\\"\u2028\u2029\u0085,;]/g, "")
        .trim();
    fc.assert(
      fc.property(someCard, (any) => {
        const each = card({
          ...any,
          uid: `u${tame(any.uid)}`,
          summary: `s${tame(any.summary)}`,
          description: `d${tame(any.description)}`,
        });
        const found: VEvent[] = Object.values(ical.sync.parseICS(published(writeEvent(each))))
          .filter((component) => component !== undefined)
          .filter((component) => component.type === "VEVENT");
        expect(found).toHaveLength(1);
        const [event] = found;
        expect(event?.uid).toBe(each.uid);
        expect(event?.summary).toBe(each.summary);
        expect(event?.description).toBe(each.description);
        expect(event?.alarms?.length ?? 0).toBe(each.reminder ? 1 : 0);
        // Dates are in the process's time zone, which is UTC here.
        const read = { start: event?.start.getTime(), end: event?.end?.getTime() };
        const dates = { start: startsAt(each.when, "UTC"), end: endsAt(each.when, "UTC") };
        expect(read).toEqual({
          start: dates.start.epochMilliseconds,
          end: dates.end.epochMilliseconds,
        });
      }),
      { numRuns: runs(150) },
    );
  });

  it("lasts as long as calendars show it when it has no end", () => {
    const item = readOne(
      octets(published(writeEvent(card({ when: timed("2026-07-01T10:00", null) })))),
    );
    const found = item.when;
    const length = found?.kind === "times" && found.end ? found.start.until(found.end) : null;
    expect(length?.total("minutes")).toBe(defaultLength.total("minutes"));
  });
});
