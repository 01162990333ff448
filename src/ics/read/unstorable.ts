import type { ContentLine } from "../lines/content-line.ts";
import type { Component } from "../lines/tokens.ts";
import type { Unstorable } from "./incoming.ts";

/** Read elsewhere, or written by programs for programs: losing them loses nothing that a person said. */
const known: ReadonlySet<string> = new Set([
  "ATTACH",
  "ATTENDEE",
  "CATEGORIES",
  "CLASS",
  "COMMENT",
  "COMPLETED",
  "CREATED",
  "DESCRIPTION",
  "DTEND",
  "DTSTAMP",
  "DTSTART",
  "DUE",
  "DURATION",
  "EXDATE",
  "EXRULE",
  "LAST-MODIFIED",
  "ORGANIZER",
  "PERCENT-COMPLETE",
  "RDATE",
  "RECURRENCE-ID",
  "RELATED-TO",
  "REQUEST-STATUS",
  "RRULE",
  "SEQUENCE",
  "STATUS",
  "SUMMARY",
  "TRANSP",
  "UID",
]);

const noise =
  /^X-(?:ALT-DESC|APPLE|CALENDARSERVER|CREATED-BY|DAV|DAYFERRY|EVOLUTION|FUNAMBOL|GOOGLE|ICAL|KDE|LIC|LOTUS|MICROSOFT|MOZ|MS|MSNCALENDAR|NEXTCLOUD|OUTLOOK|OWNCLOUD|RADICALE|SABRE|SOGO|TINE20|WR|YAHOO|ZIMBRA)(?:-|$)/;

const reasons: ReadonlyMap<string, string> = new Map([
  ["LOCATION", "the service has no field for a place"],
  ["GEO", "the service has no field for a place"],
  ["URL", "the service has no field for a link; put it into the description"],
  ["PRIORITY", "the service has no priorities"],
  ["RESOURCES", "the service has no field for resources"],
  ["CONTACT", "the service has no field for a contact"],
]);

/** The properties and parts of an item that a person wrote and the service cannot hold; alarms are read elsewhere. */
export function findUnstorable(component: Component): readonly Unstorable[] {
  const found: Unstorable[] = [];
  for (const line of component.lines) {
    const { name } = line;
    if (known.has(name) || noise.test(name) || !says(line)) continue;
    found.push({ line: line.line, name, reason: reasonFor(name) });
  }
  for (const { line, name } of component.components) {
    if (name !== "VALARM") found.push({ line, name, reason: reasonFor(name) });
  }
  return found;
}

const reasonFor = (name: string): string =>
  reasons.get(name) ?? `the service has no field for ${name}`;

/** Priority 0 means "none", and Outlook writes 5 ("normal") into every event. */
function says(line: ContentLine): boolean {
  const value = line.value.trim();
  return value !== "" && !(line.name === "PRIORITY" && (value === "0" || value === "5"));
}
