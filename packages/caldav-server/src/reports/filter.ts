import {
  type Component,
  fail,
  firstLine,
  inEnglish,
  ok,
  type Result,
  readStamp,
  splitText,
  type TimeRange,
  textOf,
  zonesOfFile,
} from "@dayferry/ical";
import type { XmlElement } from "../xml/xml-names.ts";

/**
 * A calendar-query's condition on components: none with this name exists, or one that meets all conditions. Names are in upper
 * case. Source: RFC 4791 9.7.1.
 */
export interface ComponentFilter {
  readonly name: string;
  /** Null: no such component may exist. */
  readonly conditions: {
    readonly range: TimeRange | null;
    readonly properties: readonly PropertyFilter[];
    readonly components: readonly ComponentFilter[];
  } | null;
}

/** A condition on a property. Source: RFC 4791 9.7.2. */
export interface PropertyFilter {
  readonly name: string;
  /** Null: no such property may exist. One line must meet all conditions. */
  readonly conditions: {
    readonly range: TimeRange | null;
    readonly text: TextMatch | null;
    readonly params: readonly ParamFilter[];
  } | null;
}

/** A condition on a parameter. Source: RFC 4791 9.7.3. */
export interface ParamFilter {
  readonly name: string;
  /** Null: no such parameter may exist. */
  readonly conditions: { readonly text: TextMatch | null } | null;
}

/** A text that a value must contain, or with `negate` must not. Source: RFC 4791 9.7.5. */
export interface TextMatch {
  /** With the collation applied. */
  readonly part: string;
  readonly collation: Collation;
  readonly negate: boolean;
}

/** A time range with both ends. */
export interface ClosedRange extends TimeRange {
  readonly start: Temporal.Instant;
  readonly end: Temporal.Instant;
}

/**
 * Reads the attributes `start` and `end` of a time-range, expand or limit element: UTC times, at least one of them. Fails with
 * a sentence. Source: RFC 4791 9.9.
 */
export function readTimeRange({ name, attributes }: XmlElement): Result<TimeRange, string> {
  const [from, to] = [attributes.get("start"), attributes.get("end")];
  const start = from === undefined ? null : readStamp(from.trim());
  const end = to === undefined ? null : readStamp(to.trim());
  if (from !== undefined && !start)
    return fail(`the start "${from}" of a ${name} is not a UTC time`);
  if (to !== undefined && !end) return fail(`the end "${to}" of a ${name} is not a UTC time`);
  if (!start && !end) return fail(`a ${name} has neither a start nor an end`);
  if (start && end && Temporal.Instant.compare(start, end) >= 0) {
    return fail(`the end of a ${name} is not after its start`);
  }
  return ok({ start, end });
}

/** The same if both ends are required. Source: RFC 4791 7.10, 9.6.5. */
export function readClosedRange(element: XmlElement): Result<ClosedRange, string> {
  const range = readTimeRange(element);
  if (!range.ok) return range;
  const { start, end } = range.value;
  return start && end ? ok({ start, end }) : fail(`a ${element.name} has a start and an end`);
}

/**
 * The zone of a text with exactly one VTIMEZONE, as queries and calendars give it for dates and floating times. `zone` replaces
 * a program's own definition. Fails with a sentence for other texts. Source: RFC 4791 9.8, 5.2.2.
 */
export function readQueryZone(text: string, zone: string): Result<string, string> {
  const calendar = splitText(text.trim());
  if (!calendar.ok) {
    const [problem] = calendar.failure;
    return fail(problem ? inEnglish(problem.message) : "it is not a calendar");
  }
  const [block, ...more] = calendar.value.components;
  if (block?.name !== "VTIMEZONE" || more.length > 0)
    return fail("a time zone must be a VCALENDAR with one VTIMEZONE and nothing else");
  const tzid = textOf(block, "TZID")?.trim() ?? "";
  if (tzid === "") return fail("the VTIMEZONE has no TZID");
  if (!isZoneDefinition(block)) return fail(`the VTIMEZONE "${tzid.slice(0, 80)}" is not complete`);
  const found = zonesOfFile(calendar.value, zone)(tzid);
  return ok(typeof found === "string" ? found : zone);
}

/** Source: RFC 5545 3.6.5 (an observance at least, each with its start and both offsets). */
const isZoneDefinition = ({ components }: Component): boolean =>
  components.length > 0 &&
  components.every(
    (part) =>
      /^(?:STANDARD|DAYLIGHT)$/.test(part.name) &&
      firstLine(part, "DTSTART") !== undefined &&
      ["TZOFFSETFROM", "TZOFFSETTO"].every((name) =>
        /^\s*[+-]\d{2}:?\d{2}(?::?\d{2})?\s*$/.test(textOf(part, name) ?? ""),
      ),
  );

/** A collation, which maps equal texts to one. */
type Collation = (text: string) => string;

/** The default collation of a filter. Source: RFC 4791 7.5. */
export const defaultCollation = "i;ascii-casemap";

/** By their names in RFC 4790 and RFC 5051, in the announced order. */
export const collations: ReadonlyMap<string, Collation> = new Map([
  [defaultCollation, foldAscii],
  ["i;octet", (text) => text],
  ["i;unicode-casemap", foldUnicode],
]);

/** Value of `supported-collation-set`, on everything that can be filtered. Source: RFC 4791 7.5.1. */
export const collationSet: string = [...collations.keys()]
  .map((name) => `<c:supported-collation>${name}</c:supported-collation>`)
  .join("");

/** Source: RFC 4790 9.2. */
function foldAscii(text: string): string {
  return text.replace(/[a-z]+/g, (letters) => letters.toUpperCase());
}

/** Only one-to-one mappings are applied, so "ß" differs from "ss". Source: RFC 5051 2. */
function foldUnicode(text: string): string {
  return text.replace(/\p{Changes_When_Uppercased}/gu, upperOf).normalize("NFKD");
}

function upperOf(character: string): string {
  const upper = character.toUpperCase();
  return /^.$/su.test(upper) ? upper : character;
}
