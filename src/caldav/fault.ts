import type { ObjectFault } from "@dayferry/ical";
import type { Calendar, ObjectComponent } from "../calendars/calendar-types.ts";
import type { PlannedItem } from "../edits/intake/plan-answer.ts";
import type { DavAnswer, DavContext, DavTarget } from "./dav-request.ts";
import { allowedMethods } from "./privileges.ts";
import type { XmlFault } from "./xml/read-xml.ts";
import { element, hrefElement, namedElement, textElement, xmlDocument } from "./xml/write-xml.ts";
import { caldav, dav, type QName } from "./xml/xml-names.ts";

/** The violated precondition, as an element that programs know. Source: RFC 4918 16, RFC 4791 1.3. */
export interface Precondition extends QName {
  /** Content of its element as XML; empty by default. */
  readonly content?: string;
}

/** Why a request is refused. */
export interface DavFault {
  readonly status: number;
  /** Null if no document defines one. */
  readonly precondition: Precondition | null;
  /** For people: what failed and why, without a full stop. */
  readonly reason: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A violated precondition of WebDAV. The usual status is 403. */
export const davFault = (name: string, reason: string, content = ""): DavFault => ({
  status: 403,
  precondition: { ...dav(name), content },
  reason,
});

/** A violated precondition of CalDAV, unless about an object. */
export const caldavFault = (name: string, reason: string, content = ""): DavFault => ({
  status: 403,
  precondition: { ...caldav(name), content },
  reason,
});

/**
 * An object that cannot be stored as it is, which its user can change. DAVx5 stops syncing the whole calendar after a 403 other
 * than need-privileges; after 409 it continues with the next object. Source: RFC 4791 1.3 (403 or 409).
 */
export const objectRefusal = (name: string, reason: string, content = ""): DavFault => ({
  ...caldavFault(name, reason, content),
  status: 409,
});

/** A refusal without a defined element. */
export const plainFault = (status: number, reason: string): DavFault => ({
  status,
  precondition: null,
  reason,
});

/** The request can be answered once the service has been read. */
export const laterFault = (reason: string): DavFault => ({
  ...plainFault(503, reason),
  headers: { "Retry-After": "30" },
});

/** A body that is not XML, or not accepted. Source: RFC 4918 8.2 (400). */
export function xmlFault({ line, reason }: XmlFault): DavFault {
  const where = line === null ? "" : ` (line ${line})`;
  return plainFault(400, `the XML of the request cannot be read: ${reason}${where}`);
}

/** A body of well-formed XML that the method does not understand. */
export const bodyFault = (reason: string): DavFault => plainFault(400, reason);

/** The answer for a refusal: an element for programs, a sentence for people. */
export function faultAnswer(fault: DavFault): DavAnswer {
  return {
    status: fault.status,
    headers: { ...fault.headers, "Content-Type": "application/xml; charset=utf-8" },
    body: xmlDocument("d:error", errorContent(fault)),
  };
}

/** Content of DAV:error, in an answer or in a multistatus. */
export function errorContent({ precondition, reason }: DavFault): string {
  const rule = precondition ? namedElement(precondition, precondition.content ?? "") : "";
  return rule + textElement("df:reason", reason);
}

/** Octets that are not a valid calendar object, or cannot be stored. */
export function objectFault({ precondition, line, message }: ObjectFault): DavFault {
  const where = line === null ? "" : `line ${line}: `;
  return objectRefusal(precondition, `${where}${message}`);
}

/** Why the edit in the octets was refused. Source: RFC 4791 5.3.2.1. */
export function refusalFault({ problems }: Pick<PlannedItem, "problems">): DavFault {
  if (problems.some(({ code }) => code === "gone")) return unseenFault();
  const reason = problems.map(({ message }) => message).join("; ");
  if (problems.some(({ code }) => code === "not-read")) return laterFault(reason);
  const isSeries = problems.some(({ code }) => code === "recurrence");
  const isLong = problems.some(({ code }) => code === "too-long");
  const other = isLong ? "max-resource-size" : "valid-calendar-object-resource";
  return objectRefusal(isSeries ? "max-instances" : other, reason);
}

/**
 * The UID is not new, and the person sees no item with it. The answer does not say whether such an item is hidden, deleted or
 * never existed, as UIDs made here are consecutive and could be probed.
 */
export function unseenFault(): DavFault {
  const reason =
    "there is no item with this UID: it was deleted, or you don't have access; use another UID for a new item";
  return objectRefusal("valid-calendar-object-resource", reason);
}

type Privilege = "read" | "bind" | "unbind" | "write-content" | "write-properties";

/** The privilege that a person lacks for a resource. Source: RFC 3744 7.1.1. */
export function privilegeFault(
  privilege: Privilege,
  { href, reason }: { readonly href: string; readonly reason: string },
): DavFault {
  const lacking = hrefElement(href) + element("d:privilege", namedElement(dav(privilege), ""));
  return davFault("need-privileges", reason, element("d:resource", lacking));
}

/** The UID is used here under another name, or this name by another UID. Source: RFC 4791 5.3.2.1. */
export const uidFault = (href: string, reason: string): DavFault =>
  objectRefusal("no-uid-conflict", reason, hrefElement(href));

/** Why the calendar does not accept a component; null if it does. Source: RFC 4791 5.3.2.1. */
export function componentFault(calendar: Calendar, component: ObjectComponent): DavFault | null {
  if (calendar.components.includes(component)) return null;
  const reason = `the calendar "${calendar.name}" holds no ${component}`;
  return objectRefusal("supported-calendar-component", reason);
}

/** Why the person may not change the calendar; null if they may. */
export function readOnlyFault(
  calendar: Calendar,
  { privilege, href }: { readonly privilege: Privilege; readonly href: string },
): DavFault | null {
  if (calendar.access === "write") return null;
  const reason = `you may read the calendar "${calendar.name}", but not change it`;
  return privilegeFault(privilege, { href, reason });
}

/** Why the person may not add to the calendar; null if they may. */
export function closedFault(
  calendar: Calendar,
  { paths }: Pick<DavContext, "paths">,
): DavFault | null {
  const href = paths.calendar(calendar);
  const denied = readOnlyFault(calendar, { privilege: "bind", href });
  if (denied || calendar.refusesNew === null) return denied;
  return privilegeFault("bind", { href, reason: calendar.refusesNew });
}

export const missingFault = (): DavFault => plainFault(404, "there is nothing at this address");

/** A method that this kind of resource does not support. Source: RFC 9110 15.5.6. */
export function methodFault(
  reason: string,
  {
    kind,
    calendar,
    method,
  }: {
    readonly kind: DavTarget["kind"];
    readonly calendar: Calendar | null;
    readonly method: string;
  },
): DavFault {
  const headers = { Allow: allowedMethods(kind, { calendar, but: method }) };
  return { ...plainFault(405, reason), headers };
}
