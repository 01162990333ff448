import type { Calendar, CalendarObject } from "../../calendars/calendar.ts";
import { unfold } from "../../ics/lines/unfold.ts";
import { escapeText, foldLine, oneLine } from "../../ics/text/text.ts";
import { createZoneWriter } from "../../ics/zones/object-zones.ts";
import { resolveZone } from "../../ics/zones/zones.ts";
import { AnswerTooLargeError, countFitting } from "../answer-size.ts";
import { namesWeakly } from "../conditions.ts";
import type { CalendarRequest, DavAnswer, DavContext } from "../context.ts";
import { withPresent } from "../listed-member.ts";
import { dav, keyOf } from "../xml/names.ts";

/**
 * A whole calendar as one file, for people and programs that only GET. Zones that are known are written once, right for
 * all that is in the file; of those that only a program knows, its own component is kept.
 */
export function calendarText(context: DavContext, request: CalendarRequest): DavAnswer {
  const { calendar, headers } = request;
  const etag = `W/"${context.calendars.ctag(calendar).replaceAll('"', "")}"`;
  if (namesWeakly(headers["if-none-match"], etag)) {
    return { status: 304, headers: { ETag: etag, Vary: "Accept-Encoding" } };
  }
  return {
    status: 200,
    headers: { "Content-Type": "text/calendar; charset=utf-8", ETag: etag },
    pieces: wholeText(context, calendar),
  };
}

function* wholeText(
  { calendars, store, person }: DavContext,
  calendar: Calendar,
): Generator<string> {
  const name =
    store.calendarProperties.of(person.id, calendar.slug).get(keyOf(dav("displayname"))) ??
    calendar.name;
  const zones = new Map<string, string>();
  const components: string[] = [];
  const objects = calendars.objects(calendar);
  if (countFitting(objects, { names: 0, hasData: true }) < objects.length) {
    throw new AnswerTooLargeError();
  }
  const textOf = (object: CalendarObject) => calendars.octets(object).toString("utf8");
  for (const object of objects) {
    const text = withPresent(textOf, { calendars, calendar, object }) ?? "";
    for (const component of componentsOf(text)) {
      if (component.tzid === null) components.push(component.text);
      else if (resolveZone(component.tzid) === null) zones.set(component.tzid, component.text);
    }
    yield "";
  }
  const header = [
    "BEGIN:VCALENDAR",
    "VERSION:2.0",
    "PRODID:-//Dayferry//Dayferry//EN",
    "CALSCALE:GREGORIAN",
    `X-WR-CALNAME:${escapeText(oneLine(name))}`,
  ];
  const head = header.map((line) => `${foldLine(line)}\r\n`).join("");
  yield head + createZoneWriter()(components.join(""));
  yield* zones.values();
  yield* components;
  yield "END:VCALENDAR\r\n";
}

interface TopComponent {
  /** Of a VTIMEZONE; null for others. */
  readonly tzid: string | null;
  /** From BEGIN to END as it was written, its last line ended. */
  readonly text: string;
}

function componentsOf(text: string): readonly TopComponent[] {
  const found: TopComponent[] = [];
  let depth = 0;
  let from = 0;
  let tzid: string | null = null;
  for (const { raw, from: start, to } of unfold(text)) {
    const [, keyword = "", value = ""] = /^(BEGIN|END|TZID)[^:]*:(.*)$/i.exec(raw) ?? [];
    const word = keyword.toUpperCase();
    if (word === "BEGIN" && ++depth === 2) {
      from = start;
      tzid = /^VTIMEZONE\s*$/i.test(value) ? "" : null;
    } else if (word === "TZID" && depth === 2 && tzid !== null) tzid = value.trim();
    else if (word === "END" && --depth === 1) found.push({ tzid, text: text.slice(from, to) });
  }
  return found;
}
