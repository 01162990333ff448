import type { DavAnswer } from "./dav-request.ts";
import type { XmlFault } from "./xml/read-xml.ts";
import { namedElement, textElement, xmlDocument } from "./xml/write-xml.ts";
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

/** A refusal by a rule of CalDAV. */
export const caldavFault = (name: string, reason: string, content = ""): DavFault => ({
  status: 403,
  precondition: { ...caldav(name), content },
  reason,
});

/** A refusal for which no document has an element. */
export const plainFault = (status: number, reason: string): DavFault => ({
  status,
  precondition: null,
  reason,
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
