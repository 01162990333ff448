import type { Calendar, CalendarObject } from "../../calendars/calendar-types.ts";
import type { EditId } from "../../domain/ids.ts";
import { fail, ok, type Result } from "../../domain/result.ts";
import { checkConditions } from "../conditions.ts";
import type { DavAnswer, DavContext, ObjectRequest } from "../dav-request.ts";
import { caldavFault, type DavFault, plainFault } from "../fault.ts";
import { ownHeldEdits } from "./accept-object.ts";
import { atomically, closedFault, missingFault, readOnlyFault } from "./object-faults.ts";

import { readSent } from "./put.ts";
import { createObject } from "./put-new.ts";
import { relocate } from "./relocate.ts";

/**
 * Copies an object: a new item with a UID of its own and otherwise the same octets, as one UID cannot stand in two places.
 * Source: RFC 4918 9.8; RFC 4791 4.1.
 */
export function copyObject(context: DavContext, request: ObjectRequest): DavAnswer {
  return atomically(context.store, () => {
    const journey = journeyOf(context, request);
    return journey.ok ? copy(context, { request, journey: journey.value }) : journey;
  });
}

function copy(
  context: DavContext,
  { request, journey }: { readonly request: ObjectRequest; readonly journey: Journey },
): Result<DavAnswer, DavFault> {
  const { object, calendar, name } = journey;
  const barred = closedFault(calendar, context) ?? componentFault(journey);
  if (barred) return fail(barred);
  const body = withUid(context.calendars.octets(object), context.randomId());
  const sent = readSent(context, { type: undefined, body });
  if (!sent.ok) return sent;
  return createObject(context, { request: { ...request, calendar, name }, sent: sent.value });
}

/**
 * The octets with another UID, and without the mark of the version that they were. Alarms may have UIDs of their own, and
 * stand before that of the item.
 */
function withUid(octets: Buffer, uid: string): Buffer {
  let depth = 0;
  const lines = octets.toString().split(/(?<=\n)(?![ \t])/);
  const written = lines.map((line) => {
    const name = /^[a-z0-9-]*/i.exec(line)?.[0].toUpperCase();
    if (name === "BEGIN") depth++;
    if (name === "END") depth--;
    if (depth !== 2) return line;
    if (name === "X-DAYFERRY-BASE") return "";
    return name === "UID" ? `UID:${uid}${/\r?\n$/.exec(line)?.[0] ?? ""}` : line;
  });
  return Buffer.from(written.join(""));
}

/**
 * Moves an object: into the same calendar it gets another name; into another one the item goes to that project or list,
 * with its UID, its octets and the name at the destination. Source: RFC 4918 9.9.
 */
export function moveObject(context: DavContext, request: ObjectRequest): DavAnswer {
  return atomically(context.store, () => {
    const journey = journeyOf(context, request);
    return journey.ok ? move(context, { request, journey: journey.value }) : journey;
  });
}

function move(
  context: DavContext,
  { request, journey }: { readonly request: ObjectRequest; readonly journey: Journey },
): Result<DavAnswer, DavFault> {
  const { calendars, paths, origin } = context;
  const { object, calendar, name } = journey;
  const href = paths.calendar(request.calendar);
  const barred =
    readOnlyFault(request.calendar, { privilege: "unbind", href }) ??
    componentFault(journey) ??
    ambiguity(request, journey);
  if (barred) return fail(barred);
  if (calendar.slug !== request.calendar.slug) {
    const viewed = calendars.itemOf(object);
    const moved = relocate(context, { from: request.calendar, to: calendar, viewed });
    if (!moved.ok) return moved;
    if (moved.value !== null) hold(context, { edit: moved.value, journey });
    else stay(context, journey);
  } else if (name !== object.name) rename(context, journey);
  return ok({ status: 201, headers: { Location: `${origin}${paths.object(calendar, name)}` } });
}

/** Until a person agrees the item is there for its mover alone. */
function hold(
  { calendars }: DavContext,
  { edit, journey }: { readonly edit: EditId; readonly journey: Journey },
): void {
  const { object, calendar, name } = journey;
  const { key } = object;
  calendars.hold({ edit, key, name, object: null });
  calendars.retract(calendar, { key, name });
}

/** The item was not elsewhere for anybody but its mover, of whom something else may go on waiting. */
function stay(context: DavContext, { object: { key }, name }: Journey): void {
  const last = ownHeldEdits(key, context).at(-1);
  if (last) context.calendars.hold({ edit: last.id, key, name, object: null });
  else context.calendars.rename(key, name);
}

/** What waits, and is where only its editor sees it, has its name there alone. */
function rename(context: DavContext, journey: Journey): void {
  const { object, name } = journey;
  const last = ownHeldEdits(object.key, context).findLast(
    ({ action, patch }) => action === "create" || patch.place !== undefined,
  );
  if (last) hold(context, { edit: last.id, journey });
  else context.calendars.rename(object.key, name);
}

/** A calendar that shows items of others has no items that could be moved out of it. */
function ambiguity({ calendar: from }: ObjectRequest, { calendar: to }: Journey): DavFault | null {
  if (from.slug === to.slug || from.kind === "events" || from.kind === "tasks") return null;
  const reason = `"${from.name}" only shows what is in other calendars: move it there`;
  return caldavFault("valid-calendar-object-resource", reason);
}

/** Where COPY and MOVE take an object. */
interface Journey {
  readonly object: CalendarObject;
  readonly calendar: Calendar;
  readonly name: string;
}

/**
 * Reads the headers of COPY and MOVE. An object that is there already is never overwritten, as that would delete another
 * item: 412 when the program asked for that, else 403. Source: RFC 4918 9.8.5, 9.9.4, 10.3, 10.6.
 */
function journeyOf(context: DavContext, request: ObjectRequest): Result<Journey, DavFault> {
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
function componentFault({ object, calendar }: Journey): DavFault | null {
  if (calendar.components.includes(object.component)) return null;
  const reason = `the calendar "${calendar.name}" holds no ${object.component}`;
  return caldavFault("supported-calendar-component", reason);
}
