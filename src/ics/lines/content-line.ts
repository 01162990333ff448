import { fail, ok, type Result } from "../../domain/result.ts";
import { excerpt } from "../ics-problem.ts";

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

const namePattern = /^[A-Za-z0-9-]+$/;
/** Names that most lines have: found here, they need no check and compare fast. */
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
 * Reads one unfolded line that starts at `line` of its file. Fails with a sentence.
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

function readName(text: string): string | null {
  return commonNames.get(text) ?? (namePattern.test(text) ? text.toUpperCase() : null);
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
    const name = raw.slice(at + 1, equals < 0 ? undefined : equals);
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

function readParamValue(raw: string, from: number): Result<{ value: string; end: number }, string> {
  if (raw[from] === '"') {
    const close = raw.indexOf('"', from + 1);
    if (close < 0) return fail(`a quotation mark is not closed in ${excerpt(raw)}`);
    return ok({ value: decodeParam(raw.slice(from + 1, close)), end: close + 1 });
  }
  let end = from;
  while (end < raw.length && !'",;:'.includes(raw.charAt(end))) end++;
  if (raw[end] === '"') return fail(`a quotation mark stands inside a value of ${excerpt(raw)}`);
  return ok({ value: decodeParam(raw.slice(from, end)), end });
}

/**
 * Outlook names zones such as `tzone://Microsoft/Custom` or `(UTC+01:00) Amsterdam, Berlin` without quotation marks: in
 * a line that ends in a date or time the name goes on to the colon before it, and commas belong to it.
 */
function readZoneName(raw: string, from: number): Result<{ value: string; end: number }, string> {
  const last = raw.lastIndexOf(":");
  const isBare = raw[from] !== '"' && last > from && /^:\s*\d{8}(?!\d)/.test(raw.slice(last));
  const next = raw.indexOf(";", from);
  const end = next < 0 || next > last ? last : next;
  const name = raw.slice(from, end);
  if (!isBare || name.includes('"')) return readParamValue(raw, from);
  return ok({ value: decodeParam(name), end });
}

function decodeParam(value: string): string {
  if (!value.includes("^")) return value;
  return value.replace(/\^[n^']/g, (pair) => (pair === "^n" ? "\n" : pair === "^^" ? "^" : '"'));
}
