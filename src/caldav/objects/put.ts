import type { CalendarObject } from "../../calendars/calendar-types.ts";
import { fail, ok, type Result } from "../../domain/result.ts";
import { readCalendarObject } from "../../ics/read/calendar-object.ts";
import { checkConditions } from "../conditions.ts";
import type { DavAnswer, DavContext, ObjectRequest } from "../dav-request.ts";
import { caldavFault, type DavFault, faultAnswer } from "../fault.ts";
import {
  acceptEdit,
  agentOf,
  baseOf,
  clearedFields,
  etagOfSent,
  keepOctets,
  ownHeldEdits,
  replacedText,
  type Sent,
} from "./accept-object.ts";
import { atomically, objectFault, readOnlyFault, uidFault } from "./object-faults.ts";

import { createObject } from "./put-new.ts";

/**
 * Stores an object: what its octets ask for becomes an edit, and they themselves are kept for what the service cannot
 * hold. The ETag that is answered is that of exactly these octets. Source: RFC 4791 5.3.2; RFC 9110 9.3.4.
 */
export function putObject(context: DavContext, request: ObjectRequest): DavAnswer {
  const { calendar, name, headers, body } = request;
  const href = context.paths.object(calendar, name);
  const barred = readOnlyFault(calendar, { privilege: "write-content", href });
  if (barred) return faultAnswer(barred);
  const sent = readSent(context, { type: headers["content-type"], body });
  if (!sent.ok) return faultAnswer(sent.failure);
  return atomically(context.store, () => put(context, { request, sent: sent.value }));
}

/** Reads octets as the calendar object that they have to be; `type` is their media type. */
export function readSent(
  { zone, maxSize }: DavContext,
  { type, body }: { readonly type: string | undefined; readonly body: Buffer },
): Result<Sent, DavFault> {
  if (type !== undefined && !saysCalendar(type, body)) {
    const reason = `objects are text/calendar, not ${JSON.stringify(type.slice(0, 80))}`;
    return fail(caldavFault("supported-calendar-data", reason));
  }
  const charset = strangeCharset(type, body);
  if (charset !== null) {
    const reason = `objects are UTF-8, not ${JSON.stringify(charset.slice(0, 80))}`;
    return fail(caldavFault("supported-calendar-data", reason));
  }
  if (body.length > maxSize) {
    return fail(caldavFault("max-resource-size", `an object may have ${maxSize} bytes at most`));
  }
  const text = readCalendarObject(body, { zone });
  return text.ok ? ok({ body, text: text.value }) : fail(objectFault(text.failure));
}

/** What only says that it is octets is what they are: programs that know files alone name no other type. */
function saysCalendar(type: string, body: Buffer): boolean {
  const [, media = ""] = /^\s*([^\s;]+)\s*(?:;|$)/.exec(type.toLowerCase()) ?? [];
  if (media === "text/calendar") return true;
  const isUntold = media === "application/octet-stream";
  return isUntold && /^\ufeff?\s*BEGIN:VCALENDAR\s/i.test(body.subarray(0, 200).toString());
}

/**
 * The charset of octets that would be other text in UTF-8, in which they are served again; null where there is none.
 * ASCII is the same in every charset that programs name. Source: RFC 5545 8.1 (charset).
 */
function strangeCharset(type: string | undefined, body: Buffer): string | null {
  const [, charset] = /;\s*charset\s*=\s*"?([^\s";]*)/i.exec(type ?? "") ?? [];
  if (charset === undefined || /^utf-?8$/i.test(charset)) return null;
  return body.every((byte) => byte < 0x80) ? null : charset;
}

function put(
  context: DavContext,
  { request, sent }: { readonly request: ObjectRequest; readonly sent: Sent },
): Result<DavAnswer, DavFault> {
  const { calendars, paths } = context;
  const { calendar, name } = request;
  const object = calendars.object(calendar, name);
  const isKnown = object === null && calendars.formerly(calendar, name) !== null;
  const verdict = checkConditions(request, { object, isKnown, paths });
  if (verdict.kind === "failed") return fail(verdict.fault);
  const { component, uid } = sent.text;
  if (!calendar.components.includes(component)) {
    const reason = `the calendar "${calendar.name}" holds no ${component}`;
    return fail(caldavFault("supported-calendar-component", reason));
  }
  if (object) return update(context, { request, object, sent, isSeen: verdict.isSeen });
  if (takeBackDeletion(context, uid)) return putBack(context, { request, sent });
  const namesake = calendars.objectOfUid(calendar, uid);
  if (!namesake) return createObject(context, { request, sent });
  const reason = "the UID is in this calendar already, under another name";
  return fail(uidFault(paths.object(calendar, namesake.name), reason));
}

/**
 * Whether a deletion of the person's own that waited is taken back, as the item is put again: then it is there as before.
 */
function takeBackDeletion(context: DavContext, uid: string): boolean {
  const key = context.store.mirror.findUid(uid)?.item;
  const own = key === undefined ? [] : ownHeldEdits(key, context);
  const deletions = own.filter(({ action }) => action === "delete");
  const why = "its editor has put the item again";
  for (const { id } of deletions) context.store.journal.discard(id, why);
  return deletions.length > 0;
}

/** What was deleted and is there again takes what is put, under the name that is named now. */
function putBack(
  context: DavContext,
  { request, sent }: { readonly request: ObjectRequest; readonly sent: Sent },
): Result<DavAnswer, DavFault> {
  const { calendars, paths, origin } = context;
  const { calendar, name } = request;
  const object = calendars.objectOfUid(calendar, sent.text.uid);
  if (!object) return createObject(context, { request, sent });
  if (object.name !== name) calendars.rename(object.key, name);
  const updated = update(context, { request, object, sent, isSeen: false });
  if (!updated.ok) return updated;
  const location = { Location: `${origin}${paths.object(calendar, name)}` };
  return ok({ status: 201, headers: { ...updated.value.headers, ...location } });
}

interface Update {
  readonly request: ObjectRequest;
  readonly object: CalendarObject;
  readonly sent: Sent;
  readonly isSeen: boolean;
}

function update(
  context: DavContext,
  { request, object, sent, isSeen }: Update,
): Result<DavAnswer, DavFault> {
  const { calendars, paths } = context;
  const { calendar, name } = request;
  const { uid, component, incoming } = sent.text;
  const href = paths.object(calendar, name);
  if (uid !== object.uid) return fail(uidFault(href, "the object has another UID"));
  if (component !== object.component) {
    const reason = `it is a ${object.component} here; a ${component} cannot take its place`;
    return fail(caldavFault("valid-calendar-object-resource", reason));
  }
  const [item] = incoming.items;
  const agent = agentOf(request);
  const present = calendars.itemOf(object).item;
  if (!item) return fail(caldavFault("valid-calendar-data", "there is no item in it"));
  const wish = {
    calendar,
    incoming: item,
    method: null,
    cleared: clearedFields(context, { object, incoming: item, agent }),
    replaced: replacedText(context, { object, isSeen }),
    anew: false,
  };
  const base = baseOf(context, { ...wish, key: object.key, present, isSeen, isMove: false, agent });
  const accepted = acceptEdit(context, { ...wish, base });
  if (!accepted.ok) return accepted;
  const { key, held, says } = accepted.value;
  keepOctets(context, { key, name, sent, agent, says, held });
  const etag = etagOfSent(context, { calendar, name, sent });
  return ok({ status: 204, ...(etag !== null && { headers: { ETag: etag } }) });
}
