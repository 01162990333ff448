import { quotedValue } from "../ics-problem.ts";
import { fail, ok, type Result } from "../result.ts";
import { type Sentence, sentence } from "../sentences.ts";
import { cleanText } from "../text.ts";

/**
 * Content lines: name, parameters and value (`readContentLine`), escapes of TEXT values (`escapeText`, `decodeText`), and
 * folding after 75 bytes (`unfold`, `foldLines`). Source: RFC 5545 3.1, 3.3.11.
 */

/** One unfolded line of a component: `NAME;PARAM=a,"b":value`. */
export interface ContentLine {
  /** 1-based line of the file where it starts. */
  readonly line: number;
  /** Upper case. */
  readonly name: string;
  /** Upper-case names; values without quotes and with RFC 6868 escapes decoded. */
  readonly params: ReadonlyMap<string, readonly string[]>;
  /** As written, with TEXT escapes. */
  readonly value: string;
  /** The whole line, unfolded: as written if well-formed, otherwise repaired. */
  readonly raw: string;
}

/** Programs also write `_` and `.`, and in X- names anything that does not end a name. */
const namePattern = /^[A-Za-z0-9._-]+$|^X-[^\s",:;=]+$/i;

/** Common names need no check, and one shared string per name compares fast. */
const commonNames: ReadonlyMap<string, string> = new Map(
  [
    "ACTION",
    "BEGIN",
    "CATEGORIES",
    "CLASS",
    "CREATED",
    "DESCRIPTION",
    "DTEND",
    "DTSTAMP",
    "DTSTART",
    "DUE",
    "DURATION",
    "END",
    "LAST-MODIFIED",
    "LOCATION",
    "ORGANIZER",
    "SEQUENCE",
    "STATUS",
    "SUMMARY",
    "TRANSP",
    "TRIGGER",
    "UID",
  ].map((name) => [name, name]),
);

const noParams: ReadonlyMap<string, readonly string[]> = new Map();

/**
 * Parses one unfolded line that starts at `line` (1-based) of its file. Repairs lines that other parsers accept: spaces around
 * names and parameters, stray quotation marks, times in lower case. Source: RFC 5545 3.1 (contentline),
 * RFC 6868 (parameter escapes).
 */
export function readContentLine(raw: string, line: number): Result<ContentLine, Sentence> {
  const colon = raw.indexOf(":");
  const semicolon = raw.indexOf(";");
  const plain = colon >= 0 && (semicolon < 0 || semicolon > colon);
  const written = raw.slice(0, plain || semicolon < 0 ? Math.max(colon, 0) : semicolon);
  const name = readName(written);
  if (name === null) return readBareZone(raw, line) ?? fail(nameFault(raw));
  const parsed = plain
    ? ok({ params: noParams, end: colon, isMended: false })
    : readParams(raw, semicolon);
  if (!parsed.ok) return parsed;
  const { params, end } = parsed.value;
  const said = raw.slice(end + 1);
  if (!timeNames.has(name)) {
    const isWellFormed = written.length === name.length && !parsed.value.isMended;
    return ok(lineOf({ line, name, params, value: said, raw: isWellFormed ? raw : null }));
  }
  // Some programs write `DTSTART:TZID=Europe/Berlin:…`.
  if (raw.length < longestTime && /^\s*(?:TZID|VALUE)\s*=/i.test(said)) {
    return readContentLine(`${raw.slice(0, end)};${said}`, line);
  }
  const value = mendTime(said);
  const isWellFormed = written.length === name.length && !parsed.value.isMended && value === said;
  return ok(lineOf({ line, name, params, value, raw: isWellFormed ? raw : null }));
}

/** The name of an unfolded line in upper case; "" if there is none. */
export function propertyName(raw: string): string {
  const end = raw.search(/[:;]/);
  return readName(end < 0 ? raw : raw.slice(0, end)) ?? "";
}

/** Properties that mean nothing without a value. */
const valued: ReadonlySet<string> = new Set([
  "CLASS",
  "COMPLETED",
  "DTEND",
  "DTSTART",
  "DUE",
  "DURATION",
  "EXDATE",
  "EXRULE",
  "LAST-MODIFIED",
  "PERCENT-COMPLETE",
  "RDATE",
  "RECURRENCE-ID",
  "RELATED-TO",
  "RRULE",
  "SEQUENCE",
  "STATUS",
]);

/** True if a line needs a value and has none; it counts as not sent. */
export const isVoid = ({ name, value }: ContentLine): boolean =>
  valued.has(name) && value.trim() === "";

/** The first value of a parameter; undefined if missing. */
export const param = (line: ContentLine, name: string): string | undefined =>
  line.params.get(name)?.[0];

/** One content line of a text. */
export interface Unfolded {
  /** Without folds and line end. */
  readonly raw: string;
  /** 1-based line of the text where it starts. */
  readonly line: number;
  /** Its position in the text, including folds and line end. */
  readonly from: number;
  readonly to: number;
}

/**
 * The content lines of a text in order, including blank ones; together they are the whole text. Lines end with CRLF or LF.
 * Source: RFC 5545 3.1.
 */
export function* unfold(text: string): Generator<Unfolded> {
  let line = 1;
  let at = 0;
  while (at < text.length) {
    const first = line;
    let end = lineEnd(text, at);
    line++;
    while (isFold(text.charCodeAt(end + 1))) {
      end = lineEnd(text, end + 1);
      line++;
    }
    const written = text.slice(at, text.charCodeAt(end - 1) === 13 ? end - 1 : end);
    const raw = line - first > 1 ? written.replace(/\r?\n[ \t]/g, "") : written;
    yield { raw, line: first, from: at, to: Math.min(end + 1, text.length) };
    at = end + 1;
  }
}

/** Content lines as in a file: folded, each with CRLF. */
export function foldLines(lines: readonly string[]): string {
  return lines.map((line) => `${foldLine(line)}\r\n`).join("");
}

const longestLine = 75;

/** A content line, folded after at most 75 bytes and never inside a character, without the final CRLF. Source: RFC 5545 3.1. */
export function foldLine(line: string): string {
  if (line.length * 3 <= longestLine || Buffer.byteLength(line) <= longestLine) return line;
  const parts: string[] = [];
  let start = 0;
  let octets = 0;
  let at = 0;
  while (at < line.length) {
    const code = line.codePointAt(at) ?? 0;
    const size = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    if (octets + size > longestLine) {
      parts.push(line.slice(start, at));
      start = at;
      octets = 1;
    }
    octets += size;
    at += size === 4 ? 2 : 1;
  }
  parts.push(line.slice(start));
  return parts.join("\r\n ");
}

/** Escapes a TEXT value. Source: RFC 5545 3.3.11. */
export function escapeText(text: string): string {
  return cleanText(text)
    .replace(/[\\;,]/g, "\\$&")
    .replaceAll("\n", "\\n");
}

/**
 * Decodes a TEXT value. Escaped backslashes are handled first, so that `\\\\n` is a backslash and an "n"; a backslash before
 * any other character is literal. Source: RFC 5545 3.3.11.
 */
export function decodeText(value: string): string {
  if (!value.includes("\\")) return value;
  if (!value.includes("\\\\")) return decodeSimpleEscapes(value);
  return value.split("\\\\").map(decodeSimpleEscapes).join("\\");
}

/** The members of a list of TEXT values, decoded and trimmed, without empty ones. */
export function decodeList(value: string): readonly string[] {
  return splitAtCommas(value)
    .map((part) => decodeText(part).trim())
    .filter((part) => part !== "");
}

/** The UID as it can be written, before TEXT escapes; "" if nothing remains. */
export const writableUid = (uid: string): string => cleanText(uid).replace(/[\n\t]/g, "");

/** Categories as they can be written, before TEXT escapes, without blank ones. */
export function writableCategories(categories: readonly string[]): readonly string[] {
  return categories.map((name) => cleanText(name).trim()).filter((name) => name !== "");
}

/** A UTC time in whole seconds. Source: RFC 5545 3.3.5, form 2. */
export function writeStamp(at: Temporal.Instant): string {
  const text = at.round({ smallestUnit: "second", roundingMode: "floor" }).toString();
  return text.replace(/[-:]/g, "");
}

/** A DATE value. Source: RFC 5545 3.3.4. */
export const writeDate = (on: Temporal.PlainDate): string => on.toString().replaceAll("-", "");

/** A URL for a URI value: percent-encodes what TEXT escaping or a line break would damage. */
export function encodeUrl(url: string): string {
  return url
    .toWellFormed()
    .trim()
    .replace(/[^!-~]|[,;\\"<>^`{|}]/gu, encodeCharacter);
}

/** Properties whose values are times or durations, in which case does not matter. */
const timeNames: ReadonlySet<string> = new Set([
  "COMPLETED",
  "CREATED",
  "DTEND",
  "DTSTAMP",
  "DTSTART",
  "DUE",
  "DURATION",
  "EXDATE",
  "LAST-MODIFIED",
  "RDATE",
  "RECURRENCE-ID",
  "TRIGGER",
]);

/** No line with one time is longer. */
const longestTime = 500;

/** Times and durations in upper case; also repairs a duration such as `P1DT` with nothing after the T. */
function mendTime(value: string): string {
  if (!/[a-z]|T\s*$/.test(value)) return value;
  return value.toUpperCase().replace(/^(\s*[+-]?P\d+[DW])T(?=\s*$)/, "$1");
}

interface Parts extends Omit<ContentLine, "raw"> {
  /** Null if the line must be rewritten. */
  readonly raw: string | null;
}

const lineOf = ({ raw, ...parts }: Parts): ContentLine => ({
  ...parts,
  raw: raw ?? writeLine(parts),
});

function writeLine({ name, params, value }: Omit<Parts, "raw">): string {
  const written = [...params].map(([key, values]) => `;${key}=${values.map(writeParam).join(",")}`);
  return `${name}${written.join("")}:${value}`;
}

/** Source: RFC 6868 3. */
function writeParam(value: string): string {
  const escaped = value.replaceAll("^", "^^").replaceAll("\n", "^n").replaceAll('"', "^'");
  return /[,:;]/.test(escaped) ? `"${escaped}"` : escaped;
}

/** Some programs write `TZID=Europe/Berlin` for the TZID of a VTIMEZONE. */
function readBareZone(raw: string, line: number): Result<ContentLine, Sentence> | null {
  const value = /^\s*TZID\s*=\s*(.*?)\s*$/i.exec(raw)?.[1];
  if (!value) return null;
  return ok(lineOf({ line, name: "TZID", params: noParams, value, raw: null }));
}

const nameFault = (raw: string): Sentence =>
  raw.includes(":")
    ? sentence("ical.noName", { text: quotedValue(raw) })
    : sentence("ical.noColon", { text: quotedValue(raw) });

function readName(text: string): string | null {
  const common = commonNames.get(text);
  if (common !== undefined) return common;
  const name = text.trim();
  return namePattern.test(name) ? name.toUpperCase() : null;
}

interface Params {
  readonly params: ReadonlyMap<string, readonly string[]>;
  /** Position of the ":". */
  readonly end: number;
  /** True if they are not well-formed as written. */
  readonly isMended: boolean;
}

interface ParamValue {
  readonly value: string;
  /** Position of what follows. */
  readonly end: number;
  readonly isMended: boolean;
}

function readParams(raw: string, from: number): Result<Params, Sentence> {
  const params = new Map<string, string[]>();
  let isMended = false;
  let at = from;
  while (raw[at] === ";") {
    const next = skipSpaces(raw, at + 1);
    if (raw[next] === ";" || raw[next] === ":") {
      isMended = true;
      at = next;
      continue;
    }
    const equals = raw.indexOf("=", at);
    const written = raw.slice(at + 1, equals < 0 ? undefined : equals);
    const name = readName(written);
    if (equals < 0 || name === null) {
      return fail(sentence("ical.badParameter", { text: quotedValue(written) }));
    }
    isMended ||= written.length !== name.length;
    const isZone = name === "TZID";
    const values = params.get(name) ?? [];
    const before = values.length;
    at = equals;
    do {
      const read = isZone ? readZoneName(raw, at + 1) : readParamValue(raw, at + 1);
      isMended ||= read.isMended;
      values.push(read.value);
      at = read.end;
    } while (raw[at] === ",");
    // A time zone without a name is ignored.
    if (isZone && values.length === before + 1 && values[before] === "") {
      isMended = true;
      values.pop();
    } else params.set(name, values);
  }
  return raw[at] === ":"
    ? ok({ params, end: at, isMended })
    : fail(sentence("ical.noColon", { text: quotedValue(raw) }));
}

/**
 * Outlook writes zone names such as `tzone://Microsoft/Custom` or `(UTC+01:00) Amsterdam, Berlin` without quotation marks: in a
 * line that ends in a date or time, the name extends to the colon before it and includes commas.
 */
function readZoneName(raw: string, from: number): ParamValue {
  const last = raw.lastIndexOf(":");
  const isBare =
    raw[skipSpaces(raw, from)] !== '"' && last > from && /^:\s*\d{8}(?!\d)/.test(raw.slice(last));
  const next = raw.indexOf(";", from);
  const end = next < 0 || next > last ? last : next;
  const name = raw.slice(from, end);
  if (!isBare || name.includes('"')) return readParamValue(raw, from);
  return { value: decodeParam(name.trim()), end, isMended: name !== name.trim() };
}

function readParamValue(raw: string, from: number): ParamValue {
  const start = skipSpaces(raw, from);
  const quoted = raw[start] === '"' ? readQuoted(raw, start) : null;
  if (quoted) return { ...quoted, isMended: quoted.isMended || start !== from };
  let end = start;
  while (end < raw.length && !",;:".includes(raw.charAt(end))) end++;
  const written = raw.slice(from, end);
  const value = written.trim();
  return { value: decodeParam(value), end, isMended: value !== written || value.includes('"') };
}

/**
 * A quoted value; null if the quotation mark is never closed. Some programs put quotation marks inside, with or without a
 * backslash: then the last one that can end the value does.
 */
function readQuoted(raw: string, start: number): ParamValue | null {
  const first = raw.indexOf('"', start + 1);
  if (first < 0) return null;
  const closing = (at: number): boolean => /^\s*[,;:]/.test(raw.slice(at + 1, at + 20));
  if (closing(first)) return quotedTo(raw, { start, close: first, isMended: false });
  for (const isEscape of [true, false]) {
    for (let at = first; at >= 0; at = raw.indexOf('"', at + 1)) {
      if ((isEscape && raw[at - 1] === "\\") || !closing(at)) continue;
      return quotedTo(raw, { start, close: at, isMended: true });
    }
  }
  return null;
}

function quotedTo(
  raw: string,
  at: { readonly start: number; readonly close: number; readonly isMended: boolean },
): ParamValue {
  const { start, close } = at;
  const inner = raw.slice(start + 1, close);
  const end = skipSpaces(raw, close + 1);
  const value = decodeParam(at.isMended ? inner.replaceAll('\\"', '"') : inner);
  return { value, end, isMended: at.isMended || end !== close + 1 };
}

function skipSpaces(raw: string, from: number): number {
  let at = from;
  while (raw[at] === " " || raw[at] === "\t") at++;
  return at;
}

function decodeParam(value: string): string {
  if (!value.includes("^")) return value;
  return value.replace(/\^[n^']/g, (pair) => (pair === "^n" ? "\n" : pair === "^^" ? "^" : '"'));
}

function lineEnd(text: string, from: number): number {
  const end = text.indexOf("\n", from);
  return end < 0 ? text.length : end;
}

const isFold = (code: number): boolean => code === 32 || code === 9;

function decodeSimpleEscapes(part: string): string {
  if (!part.includes("\\")) return part;
  const text = part.replaceAll("\\,", ",").replaceAll("\\;", ";");
  return text.replaceAll("\\n", "\n").replaceAll("\\N", "\n");
}

function splitAtCommas(value: string): readonly string[] {
  if (!value.includes("\\")) return value.split(",");
  const parts: string[] = [];
  let start = 0;
  for (let at = value.indexOf(","); at >= 0; at = value.indexOf(",", at + 1)) {
    let slashes = 0;
    while (value[at - 1 - slashes] === "\\") slashes++;
    if (slashes % 2 === 1) continue;
    parts.push(value.slice(start, at));
    start = at + 1;
  }
  return [...parts, value.slice(start)];
}

function encodeCharacter(character: string): string {
  return [...Buffer.from(character)]
    .map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, "0")}`)
    .join("");
}
