import type { Calendar } from "../../calendars/calendar.ts";
import { writeTimeZone } from "../../ics/zones/zones.ts";
import type { DavContext } from "../context.ts";
import { collationSet } from "../reports/collation.ts";
import type { CollectionResource } from "../resource.ts";
import { apple, caldav, dav, keyOf, type QName, server } from "../xml/names.ts";
import { element, escapeText } from "../xml/write.ts";
import type { PropEntry } from "./props.ts";

/** A collection whose properties are asked for. */
export interface CollectionSubject {
  readonly resource: CollectionResource;
  /** What the person's programs have set on it, by `keyOf`. */
  readonly own: ReadonlyMap<string, string>;
}

/** Properties of calendars, and what homes say of calendars. Source: RFC 4791 5.2, 7.5.1; RFC 6578 4. */
export function calendarEntries({
  calendars,
  clock,
  maxSize,
  zone,
}: DavContext): readonly PropEntry<CollectionSubject>[] {
  const calendar = (content: (of: CalendarSubject) => string | null) => {
    return ({ resource, own }: CollectionSubject) =>
      resource.kind === "calendar" ? content({ calendar: resource.calendar, own }) : null;
  };
  const settable = (name: QName, content: (of: CalendarSubject) => string | null) =>
    [
      name,
      calendar((of) => {
        const text = of.own.get(keyOf(name)) ?? content(of);
        return text === null || text === "" ? null : escapeText(text);
      }),
    ] as const;
  // A program must not remember as its own the state of a calendar that it cannot list yet.
  const state = (content: (of: Calendar) => string) =>
    calendar((of) => (calendars.hasRead(of.calendar) ? escapeText(content(of.calendar)) : null));
  let timeZone: string | null = null;
  const accountZone = () => {
    timeZone ??= timeZoneText(zone, clock());
    return timeZone;
  };
  return [
    [
      caldav("supported-calendar-component-set"),
      calendar(({ calendar: { components } }) => componentSet(components)),
    ],
    [
      caldav("supported-calendar-component-sets"),
      ({ resource }) => (resource.kind === "home" ? homeComponents : null),
    ],
    [
      caldav("supported-calendar-data"),
      calendar(() => `<c:calendar-data content-type="text/calendar" version="2.0"/>`),
    ],
    [caldav("supported-collation-set"), calendar(() => collationSet)],
    [caldav("max-resource-size"), calendar(() => String(maxSize))],
    [caldav("max-instances"), calendar(() => "1")],
    [server("getctag"), state((of) => calendars.ctag(of))],
    [dav("sync-token"), state((of) => calendars.token(of))],
    settable(caldav("calendar-description"), (of) => of.calendar.description),
    settable(caldav("calendar-timezone"), accountZone),
    settable(apple("calendar-color"), (of) => of.calendar.color),
    settable(apple("calendar-order"), (of) => String(of.calendar.order)),
  ];
}

interface CalendarSubject extends Pick<CollectionSubject, "own"> {
  readonly calendar: Calendar;
}

const componentSet = (names: readonly string[]): string =>
  names.map((name) => `<c:comp name="${name}"/>`).join("");

const homeComponents = ["VEVENT", "VTODO"]
  .map((name) => element("c:supported-calendar-component-set", componentSet([name])))
  .join("");

function timeZoneText(zone: string, now: Temporal.Instant): string {
  const { year } = now.toZonedDateTimeISO(zone);
  const component = writeTimeZone({ zone, tzid: zone, fromYear: year - 10, toYear: year + 10 });
  return `BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//Dayferry//Dayferry//EN\r\n${component}END:VCALENDAR\r\n`;
}
