import { fail, type Result } from "../../domain/result.ts";
import { atomically } from "../atomically.ts";
import type { DavAnswer, DavContext, ObjectRequest } from "../context.ts";
import type { DavFault } from "../fault.ts";
import { componentFault, type Journey, journeyOf } from "./destination.ts";
import { closedFault } from "./object-faults.ts";
import { readSent } from "./object-put.ts";
import { createObject } from "./object-put-new.ts";

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
