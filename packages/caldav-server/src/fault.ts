import { inEnglish, type ObjectFault, type Sentence, sentence } from "@dayferry/ical";
import type { Calendar, CalendarBackend, Privilege, Refusal } from "./backend.ts";
import type { DavAnswer, DavContext, DavTarget } from "./dav-request.ts";
import { allowedMethods } from "./privileges.ts";
import { unreachable } from "./unreachable.ts";
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
export function objectFault(
  { precondition, line, message }: ObjectFault,
  describe: (sentence: Sentence) => string = inEnglish,
): DavFault {
  const where = line === null ? message : sentence("ical.inLine", { line, message });
  return objectRefusal(precondition, describe(where));
}

/** The privilege that a person lacks for a resource. Source: RFC 3744 7.1.1. */
export function privilegeFault(
  privilege: Privilege,
  { href, reason }: { readonly href: string; readonly reason: string },
): DavFault {
  const lacking = hrefElement(href) + element("d:privilege", namedElement(dav(privilege), ""));
  return davFault("need-privileges", reason, element("d:resource", lacking));
}

/** The answer for a refusal of the backend. Source: RFC 4791 5.3.2.1. */
export function refusalFault(refusal: Refusal, { paths }: Pick<DavContext, "paths">): DavFault {
  const { reason } = refusal;
  switch (refusal.kind) {
    case "object":
      return objectRefusal(refusal.precondition, reason);
    case "uid":
      return objectRefusal(
        "no-uid-conflict",
        reason,
        hrefElement(paths.object(refusal.calendar, refusal.name)),
      );
    case "privilege": {
      const { calendar, name, privilege } = refusal;
      const href = name === undefined ? paths.calendar(calendar) : paths.object(calendar, name);
      return privilegeFault(privilege, { href, reason });
    }
    case "status": {
      const { status, retryAfterSeconds } = refusal;
      const headers = { "Retry-After": String(retryAfterSeconds) };
      return { ...plainFault(status, reason), ...(retryAfterSeconds !== undefined && { headers }) };
    }
    default:
      return unreachable(refusal);
  }
}

export const missingFault = (): DavFault => plainFault(404, "there is nothing at this address");

/** A method that this kind of resource does not support. Source: RFC 9110 15.5.6. */
export function methodFault(
  reason: string,
  {
    kind,
    calendar,
    method,
    push,
  }: Pick<CalendarBackend, "push"> & {
    readonly kind: DavTarget["kind"];
    readonly calendar: Calendar | null;
    readonly method: string;
  },
): DavFault {
  const headers = { Allow: allowedMethods(kind, { calendar, push, but: method }) };
  return { ...plainFault(405, reason), headers };
}
