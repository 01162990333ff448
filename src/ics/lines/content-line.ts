import { fail, ok, type Result } from "../../domain/result.ts";
import { cleanText } from "../../domain/text.ts";
import { excerpt } from "../ics-problem.ts";

/*
 * A content line: its name, parameters and value (`readContentLine`), the escapes of its TEXT value (`escapeText`,
 * `decodeText`), and how lines stand in a file, folded after 75 octets (`unfold`, `foldLines`).
 * Source: RFC 5545 3.1, 3.3.11.
 */

/** One unfolded line of a component: `NAME;PARAM=a,"b":value`. */
export interface ContentLine {
  /** 1-based line of the file where it starts. */
  readonly line: number;
  /** Upper case. */
  readonly name: string;
  /** Upper-case names; values without their quotes, RFC 6868 escapes decoded. */
  readonly params: ReadonlyMap<string, readonly string[]>;
  /** As written: TEXT escapes are still in it. */
  readonly value: string;
  /** The whole line as written, unfolded. */
  readonly raw: string;
}

/** "_" and "." are no part of a name by RFC 5545 3.1, and stand in many. */
const namePattern = /^[A-Za-z0-9_.-]+$/;

/** Names that most lines have need no check, and one shared string per name compares fast. */
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
 * Reads one unfolded line that starts at `line` (1-based) of its file. Fails with a sentence.
 * Source: RFC 5545 3.1 (contentline), RFC 6868 (parameter escapes).
 */
export function readContentLine(raw: string, line: number): Result<ContentLine, string> {
  const colon = raw.indexOf(":");
  if (colon < 0) return fail(`no ":" in the line ${excerpt(raw)}`);
  const semicolon = raw.indexOf(";");
  const plain = semicolon < 0 || semicolon > colon;
  const name = readName(raw.slice(0, plain ? colon : semicolon));
  if (name === null) return fail(`no property name before ":" in ${excerpt(raw)}`);
  if (plain) {
    const value = raw.slice(colon + 1);
    return ok({ line, name, params: noParams, value, raw });
  }
  const parsed = readParams(raw, semicolon);
  if (!parsed.ok) return parsed;
  const { params, end } = parsed.value;
  return ok({ line, name, params, value: raw.slice(end + 1), raw });
}

/** The first value of a parameter; undefined when it is not there. */
export const param = (line: ContentLine, name: string): string | undefined =>
  line.params.get(name)?.[0];

/** One content line of a text. */
export interface Unfolded {
  /** Without folds and line end. */
  readonly raw: string;
  /** 1-based line of the text where it starts. */
  readonly line: number;
  /** Where it stands in the text, its folds and its line end included. */
  readonly from: number;
  readonly to: number;
}

/**
 * The content lines of a text in order, blank ones too; together they are the whole text. Lines end with CRLF or LF.
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

/** Content lines as a file holds them: folded, each with its CRLF. */
export function foldLines(lines: readonly string[]): string {
  return lines.map((line) => `${foldLine(line)}\r\n`).join("");
}

const longestLine = 75;

/**
 * A content line, folded after at most 75 octets and never inside a character, without the final CRLF.
 * Source: RFC 5545 3.1.
 */
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

/**
 * A TEXT value as a content line holds it.
 * Source: RFC 5545 3.3.11.
 */
export function escapeText(text: string): string {
  return cleanText(text)
    .replace(/[\\;,]/g, "\\$&")
    .replaceAll("\n", "\\n");
}

/**
 * What a TEXT value says. Escaped backslashes are set apart first, so that `\\\\n` is a backslash and an "n"; a backslash
 * before any other character stands for itself.
 * Source: RFC 5545 3.3.11.
 */
export function decodeText(value: string): string {
  if (!value.includes("\\")) return value;
  if (!value.includes("\\\\")) return decodeSimpleEscapes(value);
  return value.split("\\\\").map(decodeSimpleEscapes).join("\\");
}

/** The members of a list of TEXT values, decoded and trimmed; empty ones are dropped. */
export function decodeList(value: string): readonly string[] {
  return splitAtCommas(value)
    .map((part) => decodeText(part).trim())
    .filter((part) => part !== "");
}

/** The UID as it may be written, before its TEXT escapes; "" when nothing of it is left. */
export const writableUid = (uid: string): string => cleanText(uid).replace(/[\n\t]/g, "");

/** Categories as they may be written, before their TEXT escapes; blank ones are dropped. */
export function writableCategories(categories: readonly string[]): readonly string[] {
  return categories.map((name) => cleanText(name).trim()).filter((name) => name !== "");
}

/** A UTC time of whole seconds. Source: RFC 5545 3.3.5, form 2. */
export function writeStamp(at: Temporal.Instant): string {
  const text = at.round({ smallestUnit: "second", roundingMode: "floor" }).toString();
  return text.replace(/[-:]/g, "");
}

/** A DATE value. Source: RFC 5545 3.3.4. */
export const writeDate = (on: Temporal.PlainDate): string => on.toString().replaceAll("-", "");

/** An address that may stand in a URI value: what TEXT escaping or a new line would spoil is percent-encoded. */
export function encodeUrl(url: string): string {
  return url
    .toWellFormed()
    .trim()
    .replace(/[^!-~]|[,;\\"<>^`{|}]/gu, encodeCharacter);
}

function readName(text: string): string | null {
  const common = commonNames.get(text);
  if (common !== undefined) return common;
  const name = text.trim();
  return namePattern.test(name) ? name.toUpperCase() : null;
}

interface Params {
  readonly params: ReadonlyMap<string, readonly string[]>;
  /** Where the ":" stands. */
  readonly end: number;
}

function readParams(raw: string, from: number): Result<Params, string> {
  const params = new Map<string, string[]>();
  let at = from;
  while (raw[at] === ";") {
    const equals = raw.indexOf("=", at);
    const name = raw.slice(at + 1, equals < 0 ? undefined : equals).trim();
    if (equals < 0 || !namePattern.test(name)) {
      return fail(`the parameter ${excerpt(name)} has no name or no "="`);
    }
    const upper = name.toUpperCase();
    const isZone = upper === "TZID";
    const values = params.get(upper) ?? [];
    params.set(upper, values);
    at = equals;
    do {
      const read = isZone ? readZoneName(raw, at + 1) : readParamValue(raw, at + 1);
      if (!read.ok) return read;
      values.push(read.value.value);
      at = read.value.end;
    } while (raw[at] === ",");
  }
  return raw[at] === ":" ? ok({ params, end: at }) : fail(`no ":" after ${excerpt(raw)}`);
}

/**
 * Outlook names zones such as `tzone://Microsoft/Custom` or `(UTC+01:00) Amsterdam, Berlin` without quotation marks: in
 * a line that ends in a date or time the name goes on to the colon before it, and commas belong to it.
 */
function readZoneName(raw: string, from: number): Result<{ value: string; end: number }, string> {
  const last = raw.lastIndexOf(":");
  const isBare =
    raw[afterSpaces(raw, from)] !== '"' && last > from && /^:\s*\d{8}(?!\d)/.test(raw.slice(last));
  const next = raw.indexOf(";", from);
  const end = next < 0 || next > last ? last : next;
  const name = raw.slice(from, end);
  if (!isBare || name.includes('"')) return readParamValue(raw, from);
  return ok({ value: decodeParam(name.trim()), end });
}

/** Spaces around a value are no part of it, and a quotation mark ends it only where another part of the line may follow. */
function readParamValue(raw: string, from: number): Result<{ value: string; end: number }, string> {
  const first = afterSpaces(raw, from);
  if (raw[first] !== '"') {
    let end = first;
    while (end < raw.length && !",;:".includes(raw.charAt(end))) end++;
    return ok({ value: decodeParam(raw.slice(first, end).trimEnd()), end });
  }
  for (let at = raw.indexOf('"', first + 1); at >= 0; at = raw.indexOf('"', at + 1)) {
    const end = afterSpaces(raw, at + 1);
    if (raw[at - 1] === "\\" || !",;:".includes(raw.charAt(end))) continue;
    const value = raw.slice(first + 1, at).replaceAll('\\"', '"');
    return ok({ value: decodeParam(value), end });
  }
  return fail(`a quotation mark is not closed in ${excerpt(raw)}`);
}

function afterSpaces(raw: string, from: number): number {
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
