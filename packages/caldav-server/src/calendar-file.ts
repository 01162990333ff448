import {
  calendarEnd,
  createZoneWriter,
  escapeText,
  floatingZone,
  foldLines,
  oneLine,
  param,
  productId,
  readContentLine,
  readTime,
  readTree,
  resolveZone,
  unfold,
  writeStamp,
  zonesOfFile,
} from "@dayferry/ical";
import { AnswerTooLargeError, countFitting } from "./answer-size.ts";
import type { Calendar, CalendarObject } from "./backend.ts";
import type { DavContext } from "./dav-request.ts";
import { withPresent } from "./listed-member.ts";
import { dav, keyOf } from "./xml/xml-names.ts";

/**
 * A whole calendar as one file, for people and programs that only use GET. Known zones are written once, valid for everything
 * in the file; times in zones defined by one object only are in UTC. After `enough` characters the rest may be omitted.
 */
export function* calendarText(
  { backend, person }: DavContext,
  calendar: Calendar,
  { enough = Number.POSITIVE_INFINITY }: { readonly enough?: number | undefined } = {},
): Generator<string> {
  const name = backend.properties(person, calendar).get(keyOf(dav("displayname"))) ?? calendar.name;
  const components: string[] = [];
  let characters = 0;
  const objects = backend.objects(calendar);
  if (countFitting(objects, { names: 0, hasData: true }) < objects.length) {
    throw new AnswerTooLargeError();
  }
  const textOf = (object: CalendarObject) => backend.octets(object).toString("utf8");
  for (const object of objects) {
    const text = withPresent(textOf, { backend, calendar, object }) ?? "";
    for (const component of componentsOf(inKnownZones(text))) {
      components.push(component);
      characters += component.length;
    }
    if (characters >= enough) break;
    yield "";
  }
  const header = [
    "BEGIN:VCALENDAR",
    "VERSION:2.0",
    productId,
    "CALSCALE:GREGORIAN",
    `X-WR-CALNAME:${escapeText(oneLine(name))}`,
  ];
  const head = foldLines(header);
  yield head + createZoneWriter()(components.join(""));
  yield* components;
  yield calendarEnd;
}

/** Lines that refer to a zone. */
const times = /^(?:DTSTART|DTEND|DUE)[:;]|TZID=/i;

/**
 * The text of an object with times in its own zone definitions, and all of its floating times if needed, converted to UTC, as
 * other objects may define the same names differently.
 */
function inKnownZones(text: string): string {
  if (!text.includes("TZID=") && !text.includes("X-WR-TIMEZONE")) return text;
  const calendar = readTree(text);
  const zoneOf = zonesOfFile(calendar, "UTC");
  const hasFloatingZone = floatingZone(calendar) !== null;
  const lines = [...unfold(text)].map(({ raw, from, to }) => {
    const own = text.slice(from, to);
    const line = times.test(raw) ? readContentLine(raw, 0) : null;
    if (!line?.ok) return own;
    const tzid = param(line.value, "TZID");
    const isFloating = tzid === undefined && !/Z\s*$/.test(line.value.value);
    if (tzid === undefined && !(isFloating && hasFloatingZone)) return own;
    if (tzid && resolveZone(tzid) !== null && typeof zoneOf(tzid) === "string") return own;
    const time = readTime(line.value, zoneOf);
    if (!time.ok || time.value.kind === "date") return own;
    return `${line.value.name}:${writeStamp(time.value.at.toInstant())}\r\n`;
  });
  return lines.join("");
}

/** The components except time zones as they were written, from BEGIN to END, the last line ended. */
function componentsOf(text: string): readonly string[] {
  const found: string[] = [];
  let depth = 0;
  let from = 0;
  let isZone = false;
  for (const { raw, from: start, to } of unfold(text)) {
    const [, keyword = "", name = ""] = /^(BEGIN|END)[^:]*:\s*(.*?)\s*$/i.exec(raw) ?? [];
    const word = keyword.toUpperCase();
    if (word === "BEGIN" && ++depth === 2) {
      from = start;
      isZone = name.toUpperCase() === "VTIMEZONE";
    } else if (word === "END" && --depth === 1 && !isZone) found.push(text.slice(from, to));
  }
  return found;
}
