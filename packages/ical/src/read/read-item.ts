import { baseMark } from "../base-mark.ts";
import { quotedValue } from "../ics-problem.ts";
import { type ContentLine, decodeList, decodeText, param } from "../lines/content-line.ts";
import type { Component } from "../lines/tokens.ts";
import { firstLine, textOf, wordOf } from "../lines/tokens.ts";
import { type Sentence, sentence } from "../sentences.ts";
import { longestText } from "../text.ts";
import { readStamp } from "../time-values.ts";
import type { IncomingAttachment, IncomingItem, Unstorable } from "./incoming.ts";
import { withMeantLines } from "./meant-lines.ts";
import { readAlarms } from "./read-alarm.ts";
import {
  complain,
  type FileContext,
  type ItemReading,
  readSpan,
  timeOf,
  whenOf,
} from "./read-span.ts";

/**
 * Parses one VEVENT or VTODO: identity and version, fields, people and files, and, as `unstorable`, what a person wrote that
 * the service has no field for. Never fails as a whole: problems are in the item's `problems`. Source: RFC 5545 3.6.1, 3.6.2.
 */
export function readItem(written: Component, context: FileContext): IncomingItem {
  const component = withMeantLines(written);
  const { zoneOf } = context;
  const uid = textOf(component, "UID")?.trim() ?? "";
  const reading: ItemReading = { ...context, component, uid, problems: [] };
  checkUid(reading);
  checkLengths(reading);
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
    raw: rawLines(written),
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
      ...(isEvent ? alarms.unstorable : unstorableReminders(component)),
    ].toSorted((a, b) => a.line - b.line),
    remarks: [],
    problems: reading.problems,
  };
}

/**
 * Properties and subcomponents that a person wrote and the service cannot store. People, files and alarms are handled where
 * they are parsed.
 */
export function findUnstorable(component: Component): readonly Unstorable[] {
  const found: Unstorable[] = [];
  for (const line of component.lines) {
    const { name } = line;
    if (readElsewhere.has(name) || programProperties.test(name) || !hasContent(line)) continue;
    found.push({ line: line.line, name, reason: propertyReason(name) });
  }
  for (const { line, name } of component.components) {
    if (name !== "VALARM") found.push({ line, name, reason: propertyReason(name) });
  }
  return found;
}

const longestUid = 1000;

function checkUid(reading: ItemReading): void {
  const { component, uid } = reading;
  const line = firstLine(component, "UID")?.line ?? component.line;
  if (uid === "") {
    const message = sentence("ical.missingUid", { name: component.name });
    complain(reading, { line, code: "missing-uid", message });
  } else if (uid.length > longestUid || uid.includes("\n")) {
    const message = sentence("ical.badUid", { uid: quotedValue(uid), most: longestUid });
    complain(reading, { line, code: "bad-uid", message });
  }
}

/** Descriptions are compared with what was shown: an unchanged long one is not an edit. */
const boundedTexts: ReadonlySet<string> = new Set(["CATEGORIES", "COMMENT", "SUMMARY"]);

function checkLengths(reading: ItemReading): void {
  for (const { line, name, value } of reading.component.lines) {
    if (value.length <= longestText || !boundedTexts.has(name)) continue;
    const message = sentence("ical.textTooLong", { name, length: value.length, most: longestText });
    complain(reading, { line, code: "too-long", message });
  }
}

/** Properties that may occur once: two different lines are ambiguous. Each has its own bit. Source: RFC 5545 3.6.1, 3.6.2. */
const singleProperties: ReadonlyMap<string, number> = new Map(
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

const recurrenceProperties: ReadonlySet<string> = new Set([
  "EXDATE",
  "EXRULE",
  "RDATE",
  "RECURRENCE-ID",
  "RRULE",
]);

/** Most items repeat no property; a bit set shows this without looking at values. */
function checkRepeats(reading: ItemReading): void {
  let seen = 0;
  for (const { name } of reading.component.lines) {
    const bit = singleProperties.get(name) ?? (recurrenceProperties.has(name) ? -1 : 0);
    if ((seen & bit) !== 0 || bit === -1) {
      reportRepeats(reading);
      return;
    }
    seen |= bit;
  }
}

function reportRepeats(reading: ItemReading): void {
  const seen = new Map<string, string>();
  for (const line of reading.component.lines) {
    if (recurrenceProperties.has(line.name)) {
      const message = sentence("ical.repeats", { name: line.name });
      complain(reading, { line: line.line, code: "recurrence", message });
      return;
    }
    if (!singleProperties.has(line.name)) continue;
    const earlier = seen.get(line.name);
    if (earlier !== undefined && earlier !== line.raw) {
      const message = sentence("ical.twice", { name: line.name });
      complain(reading, { line: line.line, code: "twice", message });
      return;
    }
    seen.set(line.name, line.raw);
  }
}

function readPercent(reading: ItemReading): number | undefined {
  const line = firstLine(reading.component, "PERCENT-COMPLETE");
  if (!line) return undefined;
  const value = line.value.trim();
  if (/^\d{1,3}$/.test(value) && Number(value) <= 100) return Number(value);
  const message = sentence("ical.badPercent", { value: quotedValue(value) });
  return complain(reading, { line: line.line, code: "bad-value", message });
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
      return { line, name, reason: sentence("ical.attendeeAddress") };
    });
  return { attendees: [...new Set(emails)], unstorable };
}

/** Some programs put the address into EMAIL and something else into the value. Source: RFC 7986 6.2. */
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

/**
 * Files embedded in the item (inline ATTACH), and the ATTACH lines without content: links, which the service cannot store, and
 * content that cannot be decoded. Source: RFC 5545 3.8.1.1.
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
      attachments.push({ line: line.line, ...nameAndType(line, attachments.length + 1), content });
    } else {
      unstorable.push({ line: line.line, name: "ATTACH", reason: attachmentReason(line) });
    }
  }
  return { attachments, unstorable };
}

const isInline = (line: ContentLine): boolean =>
  param(line, "ENCODING")?.toUpperCase() === "BASE64" ||
  param(line, "VALUE")?.toUpperCase() === "BINARY";

/** null for invalid Base64: Node's own decoder skips unknown characters. */
function decodeBase64(value: string): Uint8Array | null {
  const text = value.replace(/\s+/g, "");
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(text) || text.length % 4 === 1) return null;
  return new Uint8Array(Buffer.from(text, "base64"));
}

const fileNameParams = ["FILENAME", "X-FILENAME", "X-APPLE-FILENAME", "X-ORACLE-FILENAME", "LABEL"];

const extensions: ReadonlyMap<string, string> = new Map([
  ["application/pdf", ".pdf"],
  ["image/gif", ".gif"],
  ["image/jpeg", ".jpg"],
  ["image/png", ".png"],
  ["text/csv", ".csv"],
  ["text/html", ".html"],
  ["text/plain", ".txt"],
]);

/** RFC 5545 has no parameter for a file name; programs use several of their own. */
function nameAndType(line: ContentLine, number: number): { name: string; type: string } {
  const type = mediaType(param(line, "FMTTYPE") ?? "");
  const given = fileNameParams.map((name) => fileName(param(line, name) ?? "")).find(Boolean);
  return { name: given ?? `attachment-${number}${extensions.get(type) ?? ""}`, type };
}

function mediaType(text: string): string {
  const type = text.trim().toLowerCase();
  return /^[\w.+-]+\/[\w.+-]+$/.test(type) ? type : "application/octet-stream";
}

const longestFileName = 200;

/** Removes folders and characters that some file systems reject. */
function fileName(text: string): string {
  const last = text.split(/[\\/]/).at(-1) ?? "";
  return last
    .replace(/[\p{Cc}\p{Cs}"<>:|?*]/gu, "")
    .trim()
    .slice(0, longestFileName);
}

const attachmentReason = (line: ContentLine): Sentence =>
  sentence(isInline(line) ? "ical.attachEmpty" : "ical.attachLink");

function rawLines(component: Component): readonly string[] {
  const raw = [`BEGIN:${component.name}`];
  for (const line of component.lines) raw.push(line.raw);
  for (const part of component.components) for (const line of rawLines(part)) raw.push(line);
  raw.push(`END:${component.name}`);
  return raw;
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

function readParent(component: Component): string | undefined {
  const line = linesOf(component, "RELATED-TO").find((each) => {
    return (param(each, "RELTYPE") ?? "PARENT").toUpperCase() === "PARENT";
  });
  return line && decodeText(line.value).trim();
}

function unstorableReminders(component: Component): readonly Unstorable[] {
  return component.components
    .filter((part) => part.name === "VALARM")
    .map(({ line, name }) => ({ line, name, reason: sentence("ical.alarmOfTask") }));
}

const noLines: readonly ContentLine[] = [];

function linesOf(component: Component, name: string): readonly ContentLine[] {
  if (!firstLine(component, name)) return noLines;
  return component.lines.filter((line) => line.name === name);
}

/** Properties that other functions parse, or that contain nothing a person wrote. */
const readElsewhere: ReadonlySet<string> = new Set([
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

/** Properties that programs write for programs. */
const programProperties =
  /^X-(?:ALT-DESC|APPLE|CALENDARSERVER|CREATED-BY|DAV|DAYFERRY|EVOLUTION|FUNAMBOL|GOOGLE|ICAL|KDE|LIC|LOTUS|MICROSOFT|MOZ|MS|MSNCALENDAR|NEXTCLOUD|OUTLOOK|OWNCLOUD|RADICALE|SABRE|SOGO|TINE20|WR|YAHOO|ZIMBRA)(?:-|$)/;

const propertyReasons: ReadonlyMap<string, Sentence> = new Map([
  ["LOCATION", sentence("ical.noPlaces")],
  ["GEO", sentence("ical.noPlaces")],
  ["URL", sentence("ical.noLinks")],
  ["PRIORITY", sentence("ical.noPriorities")],
  ["RESOURCES", sentence("ical.noResources")],
  ["CONTACT", sentence("ical.noContacts")],
]);

/** Priority 0 means "undefined" (RFC 5545 3.8.1.9), and Outlook writes 5 ("normal") into every event. */
function hasContent(line: ContentLine): boolean {
  const value = line.value.trim();
  return value !== "" && !(line.name === "PRIORITY" && (value === "0" || value === "5"));
}

const propertyReason = (name: string): Sentence =>
  propertyReasons.get(name) ?? sentence("ical.noField", { name });
