import { isAscii } from "node:buffer";
import {
  type IncomingObject,
  mendOctets,
  propertyName,
  readCalendarObject,
  underUid,
  withUid,
} from "@dayferry/ical";
import type { CalendarObject } from "../../calendars/calendar-types.ts";
import { fail, ok, type Result } from "../../domain/result.ts";
import { withSequence } from "../../ics/overlay/overlay.ts";
import type { ObjectReading } from "../../ics/read/calendar-reader.ts";
import { findForWrite } from "../conditions.ts";
import type { DavAnswer, DavContext, ObjectRequest } from "../dav-request.ts";
import {
  componentFault,
  type DavFault,
  faultAnswer,
  objectFault,
  objectRefusal,
  readOnlyFault,
  uidFault,
} from "../fault.ts";
import { acceptChange, atomically, etagOfSent } from "./accept-object.ts";
import { couldSee, createObject, memberOfUid } from "./create-object.ts";
import { type ObjectPut, ownHeldEdits } from "./plan-object.ts";

/**
 * Stores an object: its changes become an edit, and the octets are kept for what the service cannot store. The returned ETag is
 * that of exactly these octets. Source: RFC 4791 5.3.2; RFC 9110 9.3.4.
 */
export function putObject(context: DavContext, request: ObjectRequest): DavAnswer {
  const { calendar, name, headers, body, reading } = request;
  const href = context.paths.object(calendar, name);
  const denied = readOnlyFault(calendar, { privilege: "write-content", href });
  if (denied) return faultAnswer(denied);
  const octets = { type: headers["content-type"], body, ...(reading && { reading }) };
  const incoming = readObject(context, octets);
  if (!incoming.ok) return faultAnswer(incoming.failure);
  // Other programs may not accept what was parsed leniently, and XML has no control characters.
  const kept = incoming.value.isMended ? mendOctets(body) : body;
  const sent = withPresentUid(context, { request, body: kept, incoming: incoming.value });
  const put = withRisingSequence(context, sent);
  const answer = atomically(context.store, () => store(context, put));
  return put.body === body ? answer : withoutEtag(answer);
}

/**
 * A creation without an answer may first appear as a separate item. Somebody who loaded that copy may put it after both were
 * merged: its UID is the item's then.
 */
function withPresentUid(context: DavContext, put: ObjectPut): ObjectPut {
  const identity = context.store.mirror.findUid(put.incoming.uid);
  if (!identity || identity.uid === put.incoming.uid) return put;
  if (!couldSee(context, identity.item)) return put;
  const { uid } = identity;
  return { ...put, body: withUid(put.body, uid), incoming: underUid(put.incoming, uid) };
}

/**
 * Octets of an old copy are stored with the SEQUENCE last shown, as it must not decrease. A program that names the present
 * version has no old copy. Source: RFC 5545 3.8.7.4.
 */
function withRisingSequence(context: DavContext, put: ObjectPut): ObjectPut {
  const { body, incoming } = put;
  const { component } = incoming;
  const shown = shownSequence(context, put);
  if ((incoming.sequence ?? 0) >= shown) return put;
  const raw = incoming.raw.filter((line) => propertyName(line) !== "SEQUENCE");
  return {
    ...put,
    body: withSequence({ octets: body, component, sequence: shown }),
    incoming: { ...incoming, raw: raw.toSpliced(1, 0, `SEQUENCE:${shown}`) },
  };
}

function shownSequence(context: DavContext, { request, incoming }: ObjectPut): number {
  const { calendars, store } = context;
  const identity = store.mirror.findUid(incoming.uid);
  if (!identity) return 0;
  const here = calendars.object(request.calendar, request.name);
  if (here && request.headers["if-match"]?.includes(here.etag)) return 0;
  const object = here?.key === identity.item ? here : memberOfUid(incoming.uid, context)?.object;
  if (object) return sequenceIn(calendars.octets(object));
  const { item, sequence, serviceId } = identity;
  if (serviceId === null || !couldSee(context, item)) return 0;
  // The deletion has raised it.
  return Math.max(sequence - 1, store.objects.mostShown({ item, component: incoming.component }));
}

const sequenceIn = (octets: Uint8Array): number =>
  Number(/^SEQUENCE:(\d+)/im.exec(Buffer.from(octets).toString())?.[1] ?? 0);

/** What was sent is not what is stored. Source: RFC 4791 5.3.4. */
function withoutEtag(answer: DavAnswer): DavAnswer {
  const { headers } = answer;
  if (!headers) return answer;
  const rest = Object.entries(headers).filter(([name]) => name !== "ETag");
  return { ...answer, headers: Object.fromEntries(rest) };
}

/** Octets of a calendar object; `type`: their media type, `reading`: the parsed result, if done already. */
interface SentOctets {
  readonly type: string | undefined;
  readonly body: Buffer;
  readonly reading?: ObjectReading;
}

/** Parses octets as a calendar object. */
export function readObject(
  { zone, maxSize }: DavContext,
  { type, body, reading }: SentOctets,
): Result<IncomingObject, DavFault> {
  if (type !== undefined && !saysCalendar(type, body)) {
    const reason = `objects are text/calendar, not ${JSON.stringify(type.slice(0, 80))}`;
    return fail(objectRefusal("supported-calendar-data", reason));
  }
  const charset = strangeCharset(type, body);
  if (charset !== null) {
    const reason = `objects are UTF-8, not ${JSON.stringify(charset.slice(0, 80))}`;
    return fail(objectRefusal("supported-calendar-data", reason));
  }
  if (body.length > maxSize) {
    return fail(objectRefusal("max-resource-size", `an object may have ${maxSize} bytes at most`));
  }
  const item = reading ?? readCalendarObject(body, { zone });
  return item.ok ? item : fail(objectFault(item.failure));
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

function store(context: DavContext, put: ObjectPut): Result<DavAnswer, DavFault> {
  const { calendars, paths } = context;
  const { request, incoming } = put;
  const { calendar } = request;
  const found = findForWrite(context, request);
  if (!found.ok) return found;
  const { object, isSeen } = found.value;
  const strange = componentFault(calendar, incoming.component);
  if (strange) return fail(strange);
  if (object) return update(context, put, { object, isSeen });
  if (withdrawDeletion(context, incoming.uid)) return putAfterDeletion(context, put);
  const namesake = calendars.objectOfUid(calendar, incoming.uid);
  if (!namesake) return createObject(context, put);
  const reason = "the UID already exists in this calendar under another name";
  return fail(uidFault(paths.object(calendar, namesake.name), reason));
}

/** Withdraws the person's own waiting deletions, as the item is put again. Returns whether there were any. */
function withdrawDeletion(context: DavContext, uid: string): boolean {
  const key = context.store.mirror.findUid(uid)?.item;
  const own = key === undefined ? [] : ownHeldEdits(key, context);
  const deletions = own.filter(({ action }) => action === "delete");
  const why = "its editor put the item again";
  for (const { id } of deletions) context.store.journal.discard(id, why);
  return deletions.length > 0;
}

/** An item that was deleted and exists again takes the object, with the new name. */
function putAfterDeletion(context: DavContext, put: ObjectPut): Result<DavAnswer, DavFault> {
  const { calendars, paths, origin } = context;
  const { calendar, name } = put.request;
  const object = calendars.objectOfUid(calendar, put.incoming.uid);
  if (!object) return createObject(context, put);
  if (object.name !== name) calendars.rename(object.key, name);
  const updated = update(context, put, { object, isSeen: false });
  if (!updated.ok) return updated;
  const location = { Location: `${origin}${paths.object(calendar, name)}` };
  return ok({ status: 201, headers: { ...updated.value.headers, ...location } });
}

function update(
  context: DavContext,
  put: ObjectPut,
  { object, isSeen }: { readonly object: CalendarObject; readonly isSeen: boolean },
): Result<DavAnswer, DavFault> {
  const { calendars, paths } = context;
  const { calendar, name } = put.request;
  const { uid, component } = put.incoming;
  const href = paths.object(calendar, name);
  if (uid !== object.uid) return fail(uidFault(href, "the object has another UID"));
  if (component !== object.component) {
    const reason = `it is a ${object.component} here; a ${component} cannot take its place`;
    return fail(objectRefusal("valid-calendar-object-resource", reason));
  }
  const present = calendars.itemOf(object).item;
  const seen = isSeen ? object : null;
  const at = { calendar, name, object, present, seen, isMove: false };
  const changed = acceptChange(context, put, at);
  if (!changed.ok) return changed;
  const etag = etagOfSent(context, put);
  return ok({ status: 204, ...(etag !== null && { headers: { ETag: etag } }) });
}
