import { baseMark } from "../base-mark.ts";
import { excerpt } from "../ics-problem.ts";
import { type ContentLine, decodeList, decodeText, param } from "../lines/content-line.ts";
import type { Component } from "../lines/tokens.ts";
import { firstLine, textOf, wordOf } from "../lines/tokens.ts";
import { readStamp } from "../time-values.ts";
import type { IncomingAttachment, IncomingItem, Unstorable } from "./incoming.ts";
import { readAlarms } from "./read-alarm.ts";
import {
  complain,
  type FileContext,
  type ItemReading,
  readSpan,
  timeOf,
  whenOf,
} from "./read-span.ts";
import type { DescribeRule } from "./second-opinion.ts";

const longestUid = 1000;

/**
 * Two that differ leave open which of them is meant; each has a bit of its own. Source: RFC 5545 3.6.1, 3.6.2.
 */
const onceOnly: ReadonlyMap<string, number> = new Map(
  [
    "CLASS",
    "COMPLETED",
    "DESCRIPTION",
    "DTEND",
    "DTSTART",
    "DUE",
    "DURATION",
    "PERCENT-COMPLETE",
    "STATUS",
    "SUMMARY",
    "UID",
  ].map((name, at) => [name, 1 << at]),
);

const recurring: ReadonlySet<string> = new Set([
  "EXDATE",
  "EXRULE",
  "RDATE",
  "RECURRENCE-ID",
  "RRULE",
]);

/** Reads one VEVENT or VTODO. It never fails as a whole: what is wrong stands in the item's `problems`. */
export function readItem(component: Component, context: FileContext): IncomingItem {
  const { zoneOf } = context;
  const uid = textOf(component, "UID")?.trim() ?? "";
  const reading: ItemReading = { ...context, component, uid, problems: [] };
  checkUid(reading);
  checkRepeats(reading);

  const isEvent = component.name === "VEVENT";
  const span = readSpan(reading);
  const completed = timeOf(reading, "COMPLETED");
  const percent = readPercent(reading);
  const alarms = readAlarms(
    component.components.filter((part) => part.name === "VALARM"),
    { ...span, zoneOf },
  );
  const people = readAttendees(component);
  const files = readAttachments(component);
  return {
    component: isEvent ? "VEVENT" : "VTODO",
    uid,
    line: component.line,
    raw: rawLines(component),
    sequence: readCount(component, "SEQUENCE"),
    lastModified: readStamp(firstLine(component, "LAST-MODIFIED")?.value.trim() ?? ""),
    base: readCount(component, baseMark),
    summary: textOf(component, "SUMMARY"),
    description: textOf(component, "DESCRIPTION"),
    when: isEvent ? whenOf(span) : undefined,
    start: span.start,
    due: isEvent ? undefined : span.end,
    status: wordOf(component, "STATUS"),
    completedAt: completed?.kind === "time" ? completed.at.toInstant() : undefined,
    percent,
    categories: readCategories(component),
    alarm: alarms.alarm,
    classification: wordOf(component, "CLASS"),
    attendees: people.attendees,
    relatedTo: readParent(component),
    comments: linesOf(component, "COMMENT").map((line) => decodeText(line.value)),
    attachments: files.attachments,
    unstorable: [
      ...findUnstorable(component),
      ...people.unstorable,
      ...files.unstorable,
      ...(isEvent ? alarms.unstorable : remindersOf(component)),
    ].toSorted((a, b) => a.line - b.line),
    problems: reading.problems,
  };
}

function checkUid(reading: ItemReading): void {
  const { component, uid } = reading;
  const line = firstLine(component, "UID")?.line ?? component.line;
  if (uid === "") {
    const message = `the ${component.name} has no UID`;
    complain(reading, { line, code: "missing-uid", message });
  } else if (uid.length > longestUid || uid.includes("\n")) {
    const message = `the UID ${excerpt(uid)} has a line break or more than ${longestUid} characters`;
    complain(reading, { line, code: "bad-uid", message });
  }
}

/** Most items repeat nothing, which a number tells without a look at any value. */
function checkRepeats(reading: ItemReading): void {
  let seen = 0;
  for (const { name } of reading.component.lines) {
    const bit = onceOnly.get(name) ?? (recurring.has(name) ? -1 : 0);
    if ((seen & bit) !== 0 || bit === -1) {
      tellRepeats(reading);
      return;
    }
    seen |= bit;
  }
}

function tellRepeats(reading: ItemReading): void {
  const seen = new Map<string, string>();
  for (const line of reading.component.lines) {
    if (recurring.has(line.name)) {
      const message = recurrenceMessage(line, reading.describeRule);
      complain(reading, { line: line.line, code: "recurrence", message });
      return;
    }
    if (!onceOnly.has(line.name)) continue;
    const earlier = seen.get(line.name);
    if (earlier !== undefined && earlier !== line.raw) {
      const message = `${line.name} stands twice, with different values`;
      complain(reading, { line: line.line, code: "twice", message });
      return;
    }
    seen.set(line.name, line.raw);
  }
}

function recurrenceMessage(line: ContentLine, describeRule: DescribeRule): string {
  const words = line.name === "RRULE" ? describeRule(line.value.trim()) : null;
  return `${line.name}${words === null ? "" : ` (${words})`}: the service has no repeating items`;
}

function readPercent(reading: ItemReading): number | undefined {
  const line = firstLine(reading.component, "PERCENT-COMPLETE");
  if (!line) return undefined;
  const value = line.value.trim();
  if (/^\d{1,3}$/.test(value) && Number(value) <= 100) return Number(value);
  const message = `PERCENT-COMPLETE ${excerpt(value)} is no whole number from 0 to 100`;
  return complain(reading, { line: line.line, code: "bad-value", message });
}

function readCount(component: Component, name: string): number | null {
  const value = firstLine(component, name)?.value.trim() ?? "";
  return /^\d{1,9}$/.test(value) ? Number(value) : null;
}

function readCategories(component: Component): readonly string[] | undefined {
  const lines = linesOf(component, "CATEGORIES");
  if (lines.length === 0) return undefined;
  return [...new Set(lines.flatMap((line) => decodeList(line.value)))];
}

function readAttendees(component: Component): {
  readonly attendees: readonly string[] | undefined;
  readonly unstorable: readonly Unstorable[];
} {
  const lines = linesOf(component, "ATTENDEE");
  if (lines.length === 0) return { attendees: undefined, unstorable: [] };
  const found = lines.map((line) => ({ line, email: emailOf(line) }));
  const emails = found.flatMap(({ email }) => email ?? []);
  const unstorable = found
    .filter(({ email }) => email === null)
    .map(({ line: { line, name } }) => {
      return { line, name, reason: "the service knows people by their e-mail address only" };
    });
  return { attendees: [...new Set(emails)], unstorable };
}

/** Some programs put the address into EMAIL and something of their own into the value (RFC 7986 6.2). */
function emailOf(line: ContentLine): string | null {
  const candidates = [line.value.trim().replace(/^mailto:/i, ""), param(line, "EMAIL") ?? ""];
  const found = candidates.map(decodePercent).find((text) => /^[^\s@:/]+@[^\s@:/]+$/.test(text));
  return found?.toLowerCase() ?? null;
}

function decodePercent(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function readParent(component: Component): string | undefined {
  const line = linesOf(component, "RELATED-TO").find((each) => {
    return (param(each, "RELTYPE") ?? "PARENT").toUpperCase() === "PARENT";
  });
  return line && decodeText(line.value).trim();
}

function remindersOf(component: Component): readonly Unstorable[] {
  return component.components
    .filter((part) => part.name === "VALARM")
    .map(({ line, name }) => ({ line, name, reason: "the service has no reminders for tasks" }));
}

const noLines: readonly ContentLine[] = [];

function linesOf(component: Component, name: string): readonly ContentLine[] {
  if (!firstLine(component, name)) return noLines;
  return component.lines.filter((line) => line.name === name);
}

function rawLines(component: Component): readonly string[] {
  const raw = [`BEGIN:${component.name}`];
  for (const line of component.lines) raw.push(line.raw);
  for (const part of component.components) for (const line of rawLines(part)) raw.push(line);
  raw.push(`END:${component.name}`);
  return raw;
}

/**
 * The files that stand in the item itself, and the ATTACH lines that hold none: links, which the service cannot hold,
 * and contents that cannot be read. Source: RFC 5545 3.8.1.1.
 */
function readAttachments(component: Component): {
  readonly attachments: readonly IncomingAttachment[];
  readonly unstorable: readonly Unstorable[];
} {
  const attachments: IncomingAttachment[] = [];
  const unstorable: Unstorable[] = [];
  for (const line of component.lines) {
    if (line.name !== "ATTACH" || line.value.trim() === "") continue;
    const content = isInline(line) ? decodeBase64(line.value) : null;
    if (content && content.byteLength > 0) {
      attachments.push({ line: line.line, ...labelsOf(line, attachments.length + 1), content });
    } else {
      unstorable.push({ line: line.line, name: "ATTACH", reason: reasonFor(line) });
    }
  }
  return { attachments, unstorable };
}

const isInline = (line: ContentLine): boolean =>
  param(line, "ENCODING")?.toUpperCase() === "BASE64" ||
  param(line, "VALUE")?.toUpperCase() === "BINARY";

const reasonFor = (line: ContentLine): string =>
  isInline(line)
    ? "its content is empty or no Base64"
    : "the service takes files, and this is a link to one";

/** Null for what is no Base64: Node's own reader passes over what it does not know. */
function decodeBase64(value: string): Uint8Array | null {
  const text = value.replace(/\s+/g, "");
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(text) || text.length % 4 === 1) return null;
  return new Uint8Array(Buffer.from(text, "base64"));
}

const nameParams = ["FILENAME", "X-FILENAME", "X-APPLE-FILENAME", "X-ORACLE-FILENAME", "LABEL"];

/** RFC 5545 has no parameter for a file's name; programs have several. */
function labelsOf(line: ContentLine, number: number): { name: string; type: string } {
  const type = mediaType(param(line, "FMTTYPE") ?? "");
  const given = nameParams.map((name) => fileName(param(line, name) ?? "")).find(Boolean);
  return { name: given ?? `attachment-${number}${endings.get(type) ?? ""}`, type };
}

function mediaType(text: string): string {
  const type = text.trim().toLowerCase();
  return /^[\w.+-]+\/[\w.+-]+$/.test(type) ? type : "application/octet-stream";
}

const longestName = 200;

/** Without folders, and without what no file's name may hold. */
function fileName(text: string): string {
  const last = text.split(/[\\/]/).at(-1) ?? "";
  return last
    .replace(/[\p{Cc}\p{Cs}"<>:|?*]/gu, "")
    .trim()
    .slice(0, longestName);
}

const endings: ReadonlyMap<string, string> = new Map([
  ["application/pdf", ".pdf"],
  ["image/gif", ".gif"],
  ["image/jpeg", ".jpg"],
  ["image/png", ".png"],
  ["text/csv", ".csv"],
  ["text/html", ".html"],
  ["text/plain", ".txt"],
]);

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
    found.push({ line: line.line, name, reason: unstorableReason(name) });
  }
  for (const { line, name } of component.components) {
    if (name !== "VALARM") found.push({ line, name, reason: unstorableReason(name) });
  }
  return found;
}

const unstorableReason = (name: string): string =>
  reasons.get(name) ?? `the service has no field for ${name}`;

/** Priority 0 means "none", and Outlook writes 5 ("normal") into every event. */
function says(line: ContentLine): boolean {
  const value = line.value.trim();
  return value !== "" && !(line.name === "PRIORITY" && (value === "0" || value === "5"));
}
