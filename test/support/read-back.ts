import ICAL from "ical.js";
import nodeIcal from "node-ical";
import { expect } from "vitest";

/** One event as another program reads it from a published calendar. */
export interface ReadEvent {
  readonly uid: string;
  readonly sequence: number;
  readonly summary: string;
  readonly description: string;
  /** `YYYY-MM-DD` for whole days, an instant's text for times. */
  readonly start: string;
  /** Exclusive. */
  readonly end: string;
  readonly categories: readonly string[];
  readonly classification: string | null;
  readonly transparent: boolean;
  readonly url: string | null;
  /** Minutes before the start. */
  readonly alarm: number | null;
  readonly lastModified: string;
}

/** Reads a calendar with ical.js and with node-ical, expects both to say the same, and returns what they say by UID. */
export function readBack(body: Buffer | string): ReadonlyMap<string, ReadEvent> {
  const text = body.toString();
  expectContentLines(text);
  const read = readWithIcalJs(text);
  const second = readWithNodeIcal(text);
  expect([...second.keys()].toSorted()).toEqual([...read.keys()].toSorted());
  for (const [uid, event] of read) expect(second.get(uid)).toEqual(comparable(event));
  return read;
}

/** CRLF everywhere, no line over 75 octets, one calendar. */
function expectContentLines(text: string): void {
  expect(text.startsWith("BEGIN:VCALENDAR\r\n")).toBe(true);
  expect(text.endsWith("END:VCALENDAR\r\n")).toBe(true);
  const lines = text.split("\r\n");
  const broken = lines.filter((line) => /[\r\n]/.test(line) || Buffer.byteLength(line) > 75);
  expect(broken).toEqual([]);
}

function readWithIcalJs(text: string): Map<string, ReadEvent> {
  const calendar = new ICAL.Component(ICAL.parse(text));
  for (const zone of calendar.getAllSubcomponents("vtimezone")) {
    ICAL.TimezoneService.register(new ICAL.Timezone(zone));
  }
  const read = new Map<string, ReadEvent>();
  for (const event of calendar.getAllSubcomponents("vevent")) {
    const value = (name: string) => event.getFirstPropertyValue(name);
    const words = (name: string) => String(value(name) ?? "");
    const time = (name: string) => timeText(value(name));
    const uid = words("uid");
    expect(read.has(uid), `UID ${uid} stands twice`).toBe(false);
    const alarm = event.getFirstSubcomponent("valarm")?.getFirstPropertyValue("trigger");
    read.set(uid, {
      uid,
      sequence: Number(value("sequence") ?? 0),
      summary: words("summary"),
      description: words("description"),
      start: time("dtstart"),
      end: time("dtend"),
      categories: event
        .getAllProperties("categories")
        .flatMap((property) => property.getValues())
        .map(String),
      classification: value("class") === null ? null : words("class"),
      transparent: words("transp") === "TRANSPARENT",
      url: value("url") === null ? null : words("url"),
      alarm: alarm instanceof ICAL.Duration ? -alarm.toSeconds() / 60 : null,
      lastModified: time("last-modified"),
    });
  }
  return read;
}

function timeText(value: unknown): string {
  if (!(value instanceof ICAL.Time)) return "";
  if (value.isDate) return value.toString();
  return instantText(value.toJSDate());
}

/** What node-ical keeps of an event: it drops quotation marks and U+2028, so the comparison ignores those. */
type Comparable = Pick<ReadEvent, "uid" | "start" | "end" | "alarm" | "transparent" | "sequence">;

function comparable({ uid, start, end, alarm, transparent, sequence }: ReadEvent): Comparable {
  return { uid, start, end, alarm, transparent, sequence };
}

function readWithNodeIcal(text: string): Map<string, Comparable> {
  const read = new Map<string, Comparable>();
  for (const entry of Object.values(nodeIcal.sync.parseICS(text))) {
    if (entry?.type !== "VEVENT") continue;
    const { uid, start, end, transparency, sequence } = entry;
    const allDay = entry.datetype === "date";
    const trigger = entry.alarms?.[0]?.trigger;
    read.set(uid, {
      uid,
      start: dateText(start, allDay),
      end: end ? dateText(end, allDay) : "",
      alarm: typeof trigger === "string" ? minutesBefore(trigger) : null,
      transparent: String(transparency) === "TRANSPARENT",
      sequence: Number(sequence ?? 0),
    });
  }
  return read;
}

/** node-ical puts whole days at midnight of the process's zone, which is UTC in tests. */
function dateText(date: Date, allDay: boolean): string {
  return allDay ? date.toISOString().slice(0, 10) : instantText(date);
}

function instantText(date: Date): string {
  return date.toTemporalInstant().toString();
}

function minutesBefore(trigger: string): number {
  const length = Temporal.Duration.from(trigger).negated();
  const minutes = length.total({ unit: "minutes", relativeTo: "2026-01-01" });
  return minutes === 0 ? 0 : minutes;
}
