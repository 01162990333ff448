import type { Calendar, CalendarObject } from "../../calendars/calendar.ts";
import { fail, ok, type Result } from "../../domain/result.ts";
import { checkConditions } from "../conditions.ts";
import type { DavContext, ObjectRequest } from "../context.ts";
import { caldavFault, type DavFault, plainFault } from "../fault.ts";
import { missingFault } from "./object-faults.ts";

/** Where COPY and MOVE take an object. */
export interface Journey {
  readonly object: CalendarObject;
  readonly calendar: Calendar;
  readonly name: string;
}

/**
 * Reads the headers of COPY and MOVE. An object that is there already is never overwritten, as that would delete another
 * item: 412 when the program asked for that, else 403. Source: RFC 4918 9.8.5, 9.9.4, 10.3, 10.6.
 */
export function journeyOf(context: DavContext, request: ObjectRequest): Result<Journey, DavFault> {
  const { calendars, paths } = context;
  const object = calendars.object(request.calendar, request.name);
  const isKnown = object === null && calendars.formerly(request.calendar, request.name) !== null;
  const verdict = checkConditions(request, { object, isKnown, paths });
  if (verdict.kind === "failed") return fail(verdict.fault);
  if (!object) return fail(missingFault());
  const destination = destinationOf(context, request);
  if (!destination.ok) return destination;
  const { calendar, name } = destination.value;
  if (calendar.slug === request.calendar.slug && name === request.name) {
    return fail(plainFault(403, "source and destination are the same"));
  }
  if (!calendars.object(calendar, name)) return ok({ object, calendar, name });
  const reason = "there is another object at the destination";
  const mayOverwrite = (request.headers["overwrite"] ?? "T").trim().toUpperCase() !== "F";
  return fail(plainFault(mayOverwrite ? 403 : 412, `${reason}, and it stays: delete it first`));
}

function destinationOf(
  { calendars, paths, person, hosts }: DavContext,
  { headers }: ObjectRequest,
): Result<Pick<Journey, "calendar" | "name">, DavFault> {
  const address = headers["destination"]?.trim();
  if (!address) return fail(plainFault(400, "the Destination header is missing"));
  const host = /^[a-z][a-z0-9+.-]*:\/\/(?:[^/?#@]*@)?([^/?#]*)/i.exec(address)?.[1]?.toLowerCase();
  if (host !== undefined && !hosts.has(host)) {
    return fail(plainFault(502, `the destination is on another server, ${JSON.stringify(host)}`));
  }
  const target = paths.read(address);
  if (target?.kind === "calendar" || target?.kind === "home") {
    return fail(plainFault(403, "the destination is a collection; objects cannot replace it"));
  }
  if (target?.kind !== "object" || target.person !== person.id) {
    return fail(plainFault(403, "the destination is none of your calendars"));
  }
  const calendar = calendars.find(person.id, target.slug);
  if (!calendar) return fail(plainFault(409, "there is no calendar at the destination"));
  if (!calendars.hasRead(calendar)) {
    const fault = plainFault(503, "the calendar at the destination has not been read yet");
    return fail({ ...fault, headers: { "Retry-After": "30" } });
  }
  return ok({ calendar, name: target.name });
}

/** A component that a calendar does not hold. Source: RFC 4791 5.3.2.1. */
export function componentFault({ object, calendar }: Journey): DavFault | null {
  if (calendar.components.includes(object.component)) return null;
  const reason = `the calendar "${calendar.name}" holds no ${object.component}`;
  return caldavFault("supported-calendar-component", reason);
}
