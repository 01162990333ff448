import { isAscii } from "node:buffer";
import { httpDate } from "@dayferry/http-values";
import {
  fail,
  type IncomingObject,
  type ObjectPrecondition,
  ok,
  quotedValue,
  type Result,
  readCalendarObject,
  type Sentence,
  sentence,
  withUid,
} from "@dayferry/ical";
import {
  additionRefused,
  type Calendar,
  type CalendarObject,
  changeRefused,
  componentRefused,
  type ObjectPlace,
  type Refusal,
  type Writer,
} from "./backend.ts";
import { findForWrite, isNotModified, requiresAbsence } from "./conditions.ts";
import type { DavAnswer, DavContext, ObjectReading, ObjectRequest } from "./dav-request.ts";
import {
  type DavFault,
  faultAnswer,
  missingFault,
  objectFault,
  plainFault,
  refusalFault,
} from "./fault.ts";
import { hostOf, isOwn, notReadyFault } from "./paths.ts";
import { objectType } from "./properties/object-properties.ts";

/**
 * Answers GET and HEAD with an object's octets, whatever Accept says: there is one format only, and 406 makes programs give up.
 * The router omits the body of a HEAD. Source: RFC 4791 5.3.4; RFC 9110 15.5.7.
 */
export function getObject(
  { backend }: DavContext,
  { calendar, name, headers }: ObjectRequest,
): DavAnswer {
  const object = backend.finder(calendar)(name);
  if (!object) return faultAnswer(missingFault());
  if (isNotModified(headers, object)) return { status: 304, headers: validators(object) };
  return {
    status: 200,
    headers: { ...validators(object), "Content-Type": objectType(object.component) },
    body: backend.octets(object),
  };
}

const validators = ({ etag, modifiedAt }: CalendarObject) => ({
  ETag: etag,
  "Last-Modified": httpDate(modifiedAt),
});

/**
 * Stores an object. The answer has an ETag only if exactly these octets are served from now on. Source: RFC 4791 5.3.2, 5.3.4;
 * RFC 9110 9.3.4.
 */
export function putObject(context: DavContext, request: ObjectRequest): DavAnswer {
  const { calendar, name, headers, body, reading } = request;
  const denied = changeRefused(calendar, { privilege: "write-content", name });
  if (denied) return faultAnswer(refusalFault(denied, context));
  const octets = { type: headers["content-type"], body, ...(reading && { reading }) };
  const incoming = readObject(context, octets);
  if (!incoming.ok) return faultAnswer(incoming.failure);
  const found = findForWrite(context, request);
  if (!found.ok) return faultAnswer(found.failure);
  const { object, isSeen } = found.value;
  const isNew = requiresAbsence(headers);
  return store(context, {
    place: request,
    octets: body,
    incoming: incoming.value,
    object,
    isSeen,
    isNew,
  });
}

interface Stored {
  readonly place: ObjectPlace;
  readonly octets: Buffer;
  readonly incoming: IncomingObject;
  readonly object: CalendarObject | null;
  readonly isSeen: boolean;
  readonly isNew: boolean;
}

function store(context: DavContext, { place, ...sent }: Stored): DavAnswer {
  const { backend, paths, origin } = context;
  const { calendar, name } = place;
  const strange = componentRefused(calendar, sent.incoming.component);
  if (strange) return faultAnswer(refusalFault(strange, context));
  const put = backend.put({ ...sent, calendar, name, writer: writerOf(context) });
  if (!put.ok) return faultAnswer(refusalFault(put.failure, context));
  const location = { Location: `${origin}${paths.object(calendar, name)}` };
  const present = backend.finder(calendar)(name);
  const isSame = present && Buffer.compare(backend.octets(present), sent.octets) === 0;
  const etag = isSame ? { ETag: present.etag } : null;
  return put.value
    ? { status: 201, headers: { ...location, ...etag } }
    : { status: 204, ...(etag && { headers: etag }) };
}

const writerOf = ({ person, agent, unnotified }: DavContext): Writer => ({
  person,
  agent,
  unnotified,
});

/** Octets of a calendar object; `type`: their media type, `reading`: the parsed result, if done already. */
interface SentOctets {
  readonly type: string | undefined;
  readonly body: Buffer;
  readonly reading?: ObjectReading;
}

/** Parses octets as a calendar object. */
function readObject(
  { zone, maxSize, backend }: DavContext,
  { type, body, reading }: SentOctets,
): Result<IncomingObject, DavFault> {
  const refused = (precondition: ObjectPrecondition, message: Sentence) =>
    fail(objectFault({ precondition, line: null, message }, backend.describe));
  if (type !== undefined && !saysCalendar(type, body)) {
    return refused(
      "supported-calendar-data",
      sentence("ical.objectType", { type: quotedValue(type) }),
    );
  }
  const charset = strangeCharset(type, body);
  if (charset !== null) {
    const message = sentence("ical.objectCharset", { charset: quotedValue(charset) });
    return refused("supported-calendar-data", message);
  }
  if (body.length > maxSize) {
    return refused("max-resource-size", sentence("ical.objectSize", { most: maxSize }));
  }
  const item = reading ?? readCalendarObject(body, { zone });
  return item.ok ? item : fail(objectFault(item.failure, backend.describe));
}

/** A generic binary type is accepted, as programs that only know files name no other. */
function saysCalendar(type: string, body: Buffer): boolean {
  const [, media = ""] = /^\s*([^\s;]+)\s*(?:;|$)/.exec(type.toLowerCase()) ?? [];
  if (media === "text/calendar") return true;
  const isUntold = media === "application/octet-stream";
  return isUntold && /^\ufeff?\s*BEGIN:VCALENDAR\s/i.test(body.subarray(0, 200).toString());
}

/**
 * The charset of octets that would be different text in UTF-8, in which they are served; null if it makes no difference. ASCII
 * is the same in every charset that programs name. Source: RFC 5545 8.1 (charset).
 */
function strangeCharset(type: string | undefined, body: Buffer): string | null {
  const [, charset] = /;\s*charset\s*=\s*"?([^\s";]*)/i.exec(type ?? "") ?? [];
  if (charset === undefined || /^utf-?8$/i.test(charset)) return null;
  return isAscii(body) ? null : charset;
}

/** Deletes an object. Source: RFC 4918 9.6; RFC 9110 9.3.5. */
export function deleteObject(context: DavContext, request: ObjectRequest): DavAnswer {
  const { calendar } = request;
  const denied = changeRefused(calendar, { privilege: "unbind" });
  if (denied) return faultAnswer(refusalFault(denied, context));
  const found = findForWrite(context, request);
  if (!found.ok) return faultAnswer(found.failure);
  const { object } = found.value;
  if (!object) return faultAnswer(missingFault());
  const removed = context.backend.remove(request, object, writerOf(context));
  return removed.ok ? { status: 204 } : faultAnswer(refusalFault(removed.failure, context));
}

/**
 * Copies an object: a new one with its own UID and otherwise the same octets, as a UID must be unique. Source: RFC 4918 9.8;
 * RFC 4791 4.1.
 */
export function copyObject(context: DavContext, request: ObjectRequest): DavAnswer {
  const read = readTransfer(context, request);
  if (!read.ok) return faultAnswer(read.failure);
  const { object, to } = read.value;
  const denied = additionRefused(to.calendar) ?? componentRefused(to.calendar, object.component);
  if (denied) return faultAnswer(refusalFault(denied, context));
  const octets = withUid(context.backend.octets(object), context.randomId());
  const incoming = readObject(context, { type: undefined, body: octets });
  if (!incoming.ok) return faultAnswer(incoming.failure);
  return store(context, {
    place: to,
    octets,
    incoming: incoming.value,
    object: null,
    isSeen: false,
    isNew: true,
  });
}

/** Moves an object: within a calendar it is renamed. It keeps its UID and octets. Source: RFC 4918 9.9. */
export function moveObject(context: DavContext, request: ObjectRequest): DavAnswer {
  const { backend, paths, origin } = context;
  const read = readTransfer(context, request);
  if (!read.ok) return faultAnswer(read.failure);
  const { object, to } = read.value;
  const denied: Refusal | null =
    changeRefused(request.calendar, { privilege: "unbind" }) ??
    componentRefused(to.calendar, object.component);
  if (denied) return faultAnswer(refusalFault(denied, context));
  const moved = backend.move(request, object, { to, writer: writerOf(context) });
  if (!moved.ok) return faultAnswer(refusalFault(moved.failure, context));
  const location = `${origin}${paths.object(to.calendar, to.name)}`;
  return { status: 201, headers: { Location: location } };
}

/** A COPY or MOVE. */
interface Transfer {
  readonly object: CalendarObject;
  /** The destination. */
  readonly to: ObjectPlace;
}

/**
 * Reads the headers of COPY and MOVE. An existing object is never overwritten, as that would delete another item: 412 if the
 * program asked for that, else 403. Source: RFC 4918 9.8.5, 9.9.4, 10.3, 10.6.
 */
function readTransfer(context: DavContext, request: ObjectRequest): Result<Transfer, DavFault> {
  const found = findForWrite(context, request);
  if (!found.ok) return found;
  const { object } = found.value;
  if (!object) return fail(missingFault());
  const destination = destinationOf(context, request);
  if (!destination.ok) return destination;
  const to = destination.value;
  if (to.calendar.slug === request.calendar.slug && to.name === request.name) {
    return fail(plainFault(403, "source and destination are the same"));
  }
  if (!context.backend.finder(to.calendar)(to.name)) return ok({ object, to });
  const reason = "there is another object at the destination";
  const mayOverwrite = (request.headers["overwrite"] ?? "T").trim().toUpperCase() !== "F";
  return fail(plainFault(mayOverwrite ? 403 : 412, `${reason}, and it stays: delete it first`));
}

function destinationOf(
  context: DavContext,
  { headers }: ObjectRequest,
): Result<ObjectPlace<Calendar>, DavFault> {
  const { backend, paths, person, hosts } = context;
  const address = headers["destination"]?.trim();
  if (!address) return fail(plainFault(400, "the Destination header is missing"));
  const host = hostOf(address);
  if (host !== null && !hosts.has(host)) {
    return fail(plainFault(502, `the destination is on another server, ${JSON.stringify(host)}`));
  }
  const target = paths.read(address);
  if (target?.kind === "calendar" || target?.kind === "home") {
    return fail(plainFault(403, "the destination is a collection; objects cannot replace it"));
  }
  if (target?.kind !== "object" || !isOwn(target, context)) {
    return fail(plainFault(403, "the destination is not one of your calendars"));
  }
  const calendar = backend.calendar(person, target.slug);
  if (!calendar) return fail(plainFault(409, "there is no calendar at the destination"));
  const notReady = notReadyFault(backend, calendar);
  return notReady ? fail(notReady) : ok({ calendar, name: target.name });
}
