import type { CalendarObject } from "../../calendars/calendar.ts";
import { httpDate } from "../../domain/http-date.ts";
import { hasPresent } from "../conditions.ts";
import type { DavAnswer, DavContext, ObjectRequest } from "../context.ts";
import { faultAnswer } from "../fault.ts";
import { objectType } from "../properties/props-object.ts";
import { missingFault } from "./object-faults.ts";

/**
 * Answers GET and HEAD with the octets of an object, whatever Accept says: there is one form only, and 406 makes
 * programs give up. Source: RFC 4791 5.3.4; RFC 9110 15.5.7.
 */
export function getObject(
  { calendars }: DavContext,
  { calendar, name, headers }: ObjectRequest,
): DavAnswer {
  const object = calendars.object(calendar, name);
  if (!object) return faultAnswer(missingFault());
  if (hasPresent(headers, object)) return { status: 304, headers: validators(object) };
  return {
    status: 200,
    headers: { ...validators(object), "Content-Type": objectType(object.component) },
    body: calendars.octets(object),
  };
}

const validators = ({ etag, modifiedAt }: CalendarObject) => ({
  ETag: etag,
  "Last-Modified": httpDate(modifiedAt),
});
