import type { ObjectFault } from "@dayferry/ical";
import type { Calendar, ObjectComponent } from "../calendars/calendar-types.ts";
import type { PlannedItem } from "../edits/intake/plan-answer.ts";
import type { DavAnswer, DavContext, DavTarget } from "./dav-request.ts";
import { allowedMethods } from "./privileges.ts";
import type { XmlFault } from "./xml/read-xml.ts";
import { element, hrefElement, namedElement, textElement, xmlDocument } from "./xml/write-xml.ts";
import { caldav, dav, type QName } from "./xml/xml-names.ts";

/** The rule that a request broke, in a form that programs know. Source: RFC 4918 16, RFC 4791 1.3. */
export interface Precondition extends QName {
  /** What its element holds, as XML; nothing by default. */
  readonly content?: string;
}

/** Why a request is refused. */
export interface DavFault {
  readonly status: number;
  /** Null where no document names one. */
  readonly precondition: Precondition | null;
  /** For people: what could not be done and why, without a full stop. */
  readonly reason: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A refusal by a rule of WebDAV. The usual status of a broken precondition is 403. */
export const davFault = (name: string, reason: string, content = ""): DavFault => ({
  status: 403,
  precondition: { ...dav(name), content },
  reason,
});

/** A refusal by a rule of CalDAV, of what is no object. */
export const caldavFault = (name: string, reason: string, content = ""): DavFault => ({
  status: 403,
  precondition: { ...caldav(name), content },
  reason,
});

/**
 * An object that cannot be stored as it is, which its user can change. DAVx5 ends the sync of the whole calendar at any 403 but
 * need-privileges; at 409 it goes on with the next object. Source: RFC 4791 1.3 (403 or 409).
 */
export const objectRefusal = (name: string, reason: string, content = ""): DavFault => ({
  ...caldavFault(name, reason, content),
  status: 409,
});

/** A refusal for which no document has an element. */
export const plainFault = (status: number, reason: string): DavFault => ({
  status,
  precondition: null,
  reason,
});

/** What can be answered when the service has been read. */
export const laterFault = (reason: string): DavFault => ({
  ...plainFault(503, reason),
  headers: { "Retry-After": "30" },
});

/** A body that is no XML, or none that is taken. Source: RFC 4918 8.2 (400). */
export function xmlFault({ line, reason }: XmlFault): DavFault {
  const where = line === null ? "" : ` (line ${line})`;
  return plainFault(400, `the XML of the request cannot be read: ${reason}${where}`);
}

/** A body that is well-formed XML and says nothing that the method knows. */
export const bodyFault = (reason: string): DavFault => plainFault(400, reason);

/** The answer that tells a refusal, to programs by an element and to people by a sentence. */
export function faultAnswer(fault: DavFault): DavAnswer {
  return {
    status: fault.status,
    headers: { ...fault.headers, "Content-Type": "application/xml; charset=utf-8" },
    body: xmlDocument("d:error", errorContent(fault)),
  };
}

/** What stands inside DAV:error, in an answer of its own or in a multistatus. */
export function errorContent({ precondition, reason }: DavFault): string {
  const rule = precondition ? namedElement(precondition, precondition.content ?? "") : "";
  return rule + textElement("df:reason", reason);
}

/** Octets that are no calendar object, or none that can be kept. */
export function objectFault({ precondition, line, message }: ObjectFault): DavFault {
  const where = line === null ? "" : `line ${line}: `;
  return objectRefusal(precondition, `${where}${message}`);
}

/** What the edit that the octets mean was refused for. Source: RFC 4791 5.3.2.1. */
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
 * The UID is none of a new item, and the person is shown none that has it. Whether such an item is hidden, was deleted or
 * never was is not told: UIDs that are made here count up, and could be tried one after the other.
 */
export function unseenFault(): DavFault {
  const reason =
    "there is no item of this UID for you: it was deleted, or is not yours to see; something new needs another UID";
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

/** The UID is in use here under another name, or this name by another UID. Source: RFC 4791 5.3.2.1. */
export const uidFault = (href: string, reason: string): DavFault =>
  objectRefusal("no-uid-conflict", reason, hrefElement(href));

/** Why the calendar does not take a component; null when it does. Source: RFC 4791 5.3.2.1. */
export function componentFault(calendar: Calendar, component: ObjectComponent): DavFault | null {
  if (calendar.components.includes(component)) return null;
  const reason = `the calendar "${calendar.name}" holds no ${component}`;
  return objectRefusal("supported-calendar-component", reason);
}

/** Why nothing of the calendar may be changed by the person; null when it may. */
export function readOnlyFault(
  calendar: Calendar,
  { privilege, href }: { readonly privilege: Privilege; readonly href: string },
): DavFault | null {
  if (calendar.access === "write") return null;
  const reason = `you may read the calendar "${calendar.name}", but not change it`;
  return privilegeFault(privilege, { href, reason });
}

/** Why nothing new may be put into the calendar by the person; null when it may. */
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

/** A method that a resource of this kind does not have. Source: RFC 9110 15.5.6. */
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
