import {
  endsAt,
  type Period,
  readCalendarObject,
  readTree,
  startsAt,
  wordOf,
  writeFreeBusy,
  writeObject,
} from "@dayferry/ical";
import type { Calendar, CalendarObject } from "../backend.ts";
import type { DavAnswer, DavContext, Resource } from "../dav-request.ts";
import { bodyFault, faultAnswer } from "../fault.ts";
import { withPresent } from "../listed-member.ts";
import { childOf } from "../xml/read-xml.ts";
import { caldav } from "../xml/xml-names.ts";
import { type ClosedRange, readClosedRange } from "./filter.ts";
import type { DavReport } from "./report-question.ts";

/**
 * Busy times of events that the person may see: of the calendar, whatever the Depth, or the requested one. Source: RFC 4791
 * 7.10.
 */
export function freeBusyAnswer(context: DavContext, { resource, xml }: DavReport): DavAnswer {
  const element = childOf(xml, caldav("time-range"));
  if (!element) return faultAnswer(bodyFault("a free-busy-query needs a time-range"));
  const range = readClosedRange(element);
  if (!range.ok) return faultAnswer(bodyFault(range.failure));
  const headers = { "Content-Type": "text/calendar; charset=utf-8" };
  const pieces = freeBusyText(context, membersOf(resource, context), range.value);
  return { status: 200, headers, pieces };
}

interface Members {
  readonly calendar: Calendar;
  readonly objects: readonly CalendarObject[];
}

function membersOf(resource: Resource, { backend }: Pick<DavContext, "backend">): Members {
  if (resource.kind !== "calendar" && resource.kind !== "object") {
    throw new Error(`a ${resource.kind} takes up no time`);
  }
  const { calendar } = resource;
  if (resource.kind === "calendar") return { calendar, objects: backend.objects(calendar) };
  return { calendar, objects: resource.object ? [resource.object] : [] };
}

function* freeBusyText(
  context: DavContext,
  members: Members,
  range: ClosedRange,
): Generator<string> {
  const { backend, clock, randomId } = context;
  const { calendar, objects } = members;
  const look = (object: CalendarObject) => takenBy(object, context);
  const taken: Taken[] = [];
  for (const object of objects.filter((one) => mayTouch(one, range))) {
    const time = withPresent(look, { backend, calendar, object });
    if (time) taken.push(time);
    yield "";
  }
  const component = writeFreeBusy({
    uid: randomId(),
    stampAt: clock(),
    ...range,
    periods: taken.filter(({ isTentative }) => !isTentative),
    tentative: taken.filter(({ isTentative }) => isTentative),
    organizer: null,
  });
  yield writeObject(component, "");
}

interface Taken extends Period {
  readonly isTentative: boolean;
}

function mayTouch({ component, span }: CalendarObject, { start, end }: ClosedRange): boolean {
  if (component !== "VEVENT" || !span) return false;
  return span.from < end.epochMilliseconds && span.to > start.epochMilliseconds;
}

/**
 * Null for free time: transparent and cancelled events, and whole days unless they are opaque, as calendars here show them
 * transparent.
 */
function takenBy(
  object: CalendarObject,
  { backend, zone }: Pick<DavContext, "backend" | "zone">,
): Taken | null {
  const octets = backend.octets(object);
  const read = readCalendarObject(octets, { zone });
  if (!read.ok || read.value.when === undefined) return null;
  const { when, status } = read.value;
  const event = readTree(octets).components.find(({ name }) => name === "VEVENT");
  if (!event || status === "CANCELLED") return null;
  const isWhole = when.kind === "dates";
  const transparency = wordOf(event, "TRANSP") ?? (isWhole ? "TRANSPARENT" : "OPAQUE");
  if (transparency !== "OPAQUE") return null;
  const period = { start: startsAt(when, zone), end: endsAt(when, zone) };
  return { ...period, isTentative: status === "TENTATIVE" };
}
