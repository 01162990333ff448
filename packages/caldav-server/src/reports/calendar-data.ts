import {
  type Component,
  type ContentLine,
  fail,
  foldLines,
  ok,
  type Result,
  readTime,
  readTree,
  writeStamp,
  type ZoneOf,
  zonesOfFile,
} from "@dayferry/ical";
import { bodyFault, caldavFault, type DavFault } from "../fault.ts";
import { childOf, childrenNamed } from "../xml/read-xml.ts";
import { caldav, type XmlElement } from "../xml/xml-names.ts";
import { readClosedRange } from "./filter.ts";

/** Converts an object's octets as a report requests; null: unchanged. */
export type DataShape = ((octets: Buffer) => string) | null;

interface ShapeOptions {
  /** IANA zone of floating times. */
  readonly zone: string;
}

/**
 * Reads CALDAV:calendar-data of a request. Fails with `supported-calendar-data` for types other than iCalendar 2.0, and with
 * 400 for a part without a name. Nothing recurs here, so of the three elements for recurrence only `expand` changes anything:
 * times are in UTC. Source: RFC 4791 9.6.
 */
export function readCalendarData(
  asked: XmlElement,
  { zone }: ShapeOptions,
): Result<DataShape, DavFault> {
  const type = asked.attributes.get("content-type")?.trim().toLowerCase() ?? "text/calendar";
  const version = asked.attributes.get("version")?.trim() ?? "2.0";
  if (type !== "text/calendar" || version !== "2.0") {
    const reason = `calendars are text/calendar 2.0, not ${type} ${version}`;
    return fail(caldavFault("supported-calendar-data", reason));
  }
  for (const name of ["expand", "limit-recurrence-set", "limit-freebusy-set"]) {
    const limit = childOf(asked, caldav(name));
    const range = limit && readClosedRange(limit);
    if (range && !range.ok) return fail(bodyFault(range.failure));
  }
  const part = readPart(asked);
  if (!part.ok) return part;
  const isExpanded = childOf(asked, caldav("expand")) !== null;
  if (part.value === null && !isExpanded) return ok(null);
  return ok((octets) => shape(readTree(octets), { part: part.value, isExpanded, zone }));
}

/** The requested parts of a component, by upper-case name; null: everything. */
type Part = {
  /** Null: all. */
  readonly properties: ReadonlyMap<string, { readonly isNameOnly: boolean }> | null;
  readonly components: ReadonlyMap<string, Part> | null;
} | null;

function readPart(asked: XmlElement): Result<Part, DavFault> {
  const [root, ...others] = childrenNamed(asked, caldav("comp"));
  if (!root) return ok(null);
  if (others.length > 0 || nameOf(root) !== "VCALENDAR") {
    return fail(bodyFault("a calendar-data must have one comp, VCALENDAR"));
  }
  const part = partOf(root);
  if (!part.ok || part.value === null || part.value.properties?.size !== 0) return part;
  // A calendar needs its VERSION. A request without properties of the calendar only concerns the inner ones.
  return ok({ ...part.value, properties: null });
}

const nameOf = (element: XmlElement): string =>
  element.attributes.get("name")?.trim().toUpperCase() ?? "";

/** A comp without content means the whole component, as in the RFC's own example. Source: RFC 4791 7.8.1. */
function partOf(comp: XmlElement): Result<Part, DavFault> {
  const [props, comps] = [childrenNamed(comp, caldav("prop")), childrenNamed(comp, caldav("comp"))];
  if ([...props, ...comps].some((element) => nameOf(element) === "")) {
    return fail(bodyFault("a part of calendar-data has no name"));
  }
  const isAllProps = childOf(comp, caldav("allprop")) !== null;
  const isAllComps = childOf(comp, caldav("allcomp")) !== null;
  if (props.length + comps.length === 0 && isAllProps === isAllComps) return ok(null);
  const components = new Map<string, Part>();
  for (const inner of comps) {
    const part = partOf(inner);
    if (!part.ok) return part;
    components.set(nameOf(inner), part.value);
  }
  return ok({
    properties: isAllProps ? null : new Map(props.map((prop) => [nameOf(prop), howWanted(prop)])),
    components: isAllComps ? null : components,
  });
}

const howWanted = (prop: XmlElement): { readonly isNameOnly: boolean } => ({
  isNameOnly: prop.attributes.get("novalue")?.trim() === "yes",
});

interface Shape {
  readonly part: Part;
  readonly isExpanded: boolean;
  readonly zone: string;
}

function shape(calendar: Component, { part, isExpanded, zone }: Shape): string {
  const zoneOf = isExpanded ? zonesOfFile(calendar, zone) : null;
  return foldLines(linesOf(calendar, { part, zoneOf }));
}

/** `zoneOf`: null if times stay unchanged. */
interface Writing {
  readonly part: Part;
  readonly zoneOf: ZoneOf | null;
}

function linesOf(component: Component, { part, zoneOf }: Writing): readonly string[] {
  const lines = component.lines.flatMap((line) => {
    const wanted = part?.properties?.get(line.name);
    if (part?.properties && !wanted) return [];
    if (wanted?.isNameOnly) return [`${line.name}:`];
    return [zoneOf ? inUtc(line, zoneOf) : line.raw];
  });
  const inner = component.components.flatMap((each) => {
    if (zoneOf && each.name === "VTIMEZONE") return [];
    if (!part?.components) return linesOf(each, { part: null, zoneOf });
    const innerPart = part.components.get(each.name);
    return innerPart === undefined ? [] : linesOf(each, { part: innerPart, zoneOf });
  });
  return [`BEGIN:${component.name}`, ...lines, ...inner, `END:${component.name}`];
}

const timeNames: ReadonlySet<string> = new Set(["DTSTART", "DTEND", "DUE"]);

/** Source: RFC 4791 9.6.5 (local time with a zone becomes UTC). */
function inUtc(line: ContentLine, zoneOf: ZoneOf): string {
  if (!timeNames.has(line.name)) return line.raw;
  const time = readTime(line, zoneOf);
  if (!time.ok || time.value.kind === "date") return line.raw;
  return `${line.name}:${writeStamp(time.value.at.toInstant())}`;
}
