import type { TimeRange } from "@dayferry/ical";
import { fail, ok, type Result } from "@dayferry/ical";
import { caldavFault, type DavFault } from "../fault.ts";
import { childrenNamed, childrenOf, isNamed, wholeText } from "../xml/read-xml.ts";
import { escapeXml } from "../xml/write-xml.ts";
import { caldav, type XmlElement } from "../xml/xml-names.ts";
import {
  type ComponentFilter,
  collations,
  defaultCollation,
  type ParamFilter,
  type PropertyFilter,
  readTimeRange,
  type TextMatch,
} from "./filter.ts";

const mostConditions = 200;

/** Allowed subcomponents; alarms and observances have none. Source: RFC 5545 3.6. */
const nesting: ReadonlyMap<string, readonly string[]> = new Map([
  ["VCALENDAR", ["VEVENT", "VTODO", "VJOURNAL", "VFREEBUSY", "VTIMEZONE"]],
  ["VEVENT", ["VALARM"]],
  ["VTODO", ["VALARM"]],
  ["VJOURNAL", []],
  ["VFREEBUSY", []],
  ["VTIMEZONE", ["STANDARD", "DAYLIGHT"]],
  ["STANDARD", []],
  ["DAYLIGHT", []],
  ["VALARM", []],
]);

/** Components with a time. Source: RFC 4791 9.9. */
const timed: ReadonlySet<string> = new Set(["VEVENT", "VTODO", "VJOURNAL", "VFREEBUSY", "VALARM"]);

const dated: ReadonlySet<string> = new Set([
  "ACKNOWLEDGED",
  "COMPLETED",
  "CREATED",
  "DTEND",
  "DTSTAMP",
  "DTSTART",
  "DUE",
  "EXDATE",
  "LAST-MODIFIED",
  "RDATE",
  "RECURRENCE-ID",
  "TRIGGER",
]);

/**
 * Reads CALDAV:filter. Fails with `valid-filter` for an empty or contradictory one, `supported-filter` for unknown components,
 * or `supported-collation`. Unknown elements are ignored. Source: RFC 4791 7.8 (preconditions), 9.7; RFC 4918 17 (unknown
 * elements).
 */
export function readFilter(filter: XmlElement): Result<ComponentFilter, DavFault> {
  const [root, ...others] = childrenNamed(filter, caldav("comp-filter"));
  if (!root || others.length > 0) return invalid("it must have one comp-filter, for VCALENDAR");
  if (nameOf(root) !== "VCALENDAR")
    return invalid("its outermost comp-filter must be for VCALENDAR");
  if (countConditions(root) > mostConditions) {
    return invalid(`it has more than ${mostConditions} conditions`);
  }
  return readComponent(root);
}

const invalid = (reason: string): Result<never, DavFault> =>
  fail(caldavFault("valid-filter", `the filter cannot be used: ${reason}`));

const nameOf = (element: XmlElement): string =>
  element.attributes.get("name")?.trim().toUpperCase() ?? "";

function countConditions(element: XmlElement): number {
  return childrenOf(element).reduce((count, child) => count + countConditions(child), 1);
}

function readComponent(element: XmlElement): Result<ComponentFilter, DavFault> {
  const name = nameOf(element);
  const parts = partsOf(element);
  if (!parts.ok) return parts;
  const { isAbsent, range, text, properties, components, params } = parts.value;
  if (text || params.length > 0) return invalid(`a comp-filter cannot compare text (${name})`);
  if (isAbsent) return ok({ name, conditions: null });
  if (range && !timed.has(name)) return invalid(`a ${name} takes place at no time`);
  const inside = all(components, (child) => checkNesting(child, name));
  if (!inside.ok) return inside;
  const propertyFilters = all(properties, readProperty);
  if (!propertyFilters.ok) return propertyFilters;
  const componentFilters = all(components, readComponent);
  if (!componentFilters.ok) return componentFilters;
  const conditions = {
    range,
    properties: propertyFilters.value,
    components: componentFilters.value,
  };
  return ok({ name, conditions });
}

function checkNesting(element: XmlElement, parent: string): Result<null, DavFault> {
  const name = nameOf(element);
  if (name === "") return invalid("a comp-filter has no name");
  if (!nesting.has(name)) {
    const content = `<c:comp-filter name="${escapeXml(name)}"/>`;
    return fail(caldavFault("supported-filter", `nothing here is a ${name}`, content));
  }
  return nesting.get(parent)?.includes(name)
    ? ok(null)
    : invalid(`a ${name} does not stand in a ${parent}`);
}

function readProperty(element: XmlElement): Result<PropertyFilter, DavFault> {
  const name = nameOf(element);
  if (name === "") return invalid("a prop-filter has no name");
  const parts = partsOf(element);
  if (!parts.ok) return parts;
  const { isAbsent, range, text, params, properties, components } = parts.value;
  if (properties.length > 0 || components.length > 0) {
    return invalid(`a prop-filter can only contain filters for parameters (${name})`);
  }
  if (isAbsent) return ok({ name, conditions: null });
  if (range && text) return invalid(`a prop-filter has a time-range or a text-match (${name})`);
  if (range && !dated.has(name) && !name.startsWith("X-")) {
    return invalid(`${name} is not a date, so time-range is not allowed`);
  }
  const paramFilters = all(params, readParam);
  if (!paramFilters.ok) return paramFilters;
  return ok({ name, conditions: { range, text, params: paramFilters.value } });
}

function readParam(element: XmlElement): Result<ParamFilter, DavFault> {
  const name = nameOf(element);
  if (name === "") return invalid("a param-filter has no name");
  const parts = partsOf(element);
  if (!parts.ok) return parts;
  const { isAbsent, range, text, params, properties, components } = parts.value;
  if (range || params.length + properties.length + components.length > 0) {
    return invalid(`a param-filter can only compare text (${name})`);
  }
  return ok({ name, conditions: isAbsent ? null : { text } });
}

interface Parts {
  readonly isAbsent: boolean;
  readonly range: TimeRange | null;
  readonly text: TextMatch | null;
  readonly components: readonly XmlElement[];
  readonly properties: readonly XmlElement[];
  readonly params: readonly XmlElement[];
}

const known = [
  "is-not-defined",
  "time-range",
  "text-match",
  "comp-filter",
  "prop-filter",
  "param-filter",
].map(caldav);

/** The content of a filter of any of the three kinds. */
function partsOf(element: XmlElement): Result<Parts, DavFault> {
  const named = (name: string) => childrenNamed(element, caldav(name));
  const isAbsent = named("is-not-defined").length > 0;
  const conditions = childrenOf(element).filter((child) =>
    known.some((name) => isNamed(child, name)),
  );
  if (isAbsent && conditions.length > 1) {
    return invalid("is-not-defined cannot be combined with other conditions");
  }
  const ranges = named("time-range");
  const texts = named("text-match");
  if (ranges.length > 1 || texts.length > 1) return invalid("a condition stands twice");
  const range = all(ranges, readRange);
  if (!range.ok) return range;
  const text = all(texts, readText);
  if (!text.ok) return text;
  return ok({
    isAbsent,
    range: range.value[0] ?? null,
    text: text.value[0] ?? null,
    components: named("comp-filter"),
    properties: named("prop-filter"),
    params: named("param-filter"),
  });
}

function readRange(element: XmlElement): Result<TimeRange, DavFault> {
  const range = readTimeRange(element);
  return range.ok ? range : invalid(range.failure);
}

function readText(element: XmlElement): Result<TextMatch, DavFault> {
  const identifier = element.attributes.get("collation")?.trim() ?? defaultCollation;
  const collation = collations.get(identifier.toLowerCase());
  if (!collation) {
    const names = [...collations.keys()].join(", ");
    const reason = `the collation "${identifier}" is not known: ${names} are`;
    return fail(caldavFault("supported-collation", reason));
  }
  const negate = element.attributes.get("negate-condition")?.trim() ?? "no";
  if (negate !== "yes" && negate !== "no") {
    return invalid(`the negate-condition "${negate}" is neither yes nor no`);
  }
  return ok({ part: collation(wholeText(element)), collation, negate: negate === "yes" });
}

/** All values, or the first failure. */
function all<Item, Value, Failure>(
  items: readonly Item[],
  read: (item: Item) => Result<Value, Failure>,
): Result<readonly Value[], Failure> {
  const values: Value[] = [];
  for (const item of items) {
    const result = read(item);
    if (!result.ok) return result;
    values.push(result.value);
  }
  return ok(values);
}
