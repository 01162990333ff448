import {
  type Component,
  type ContentLine,
  decodeText,
  fail,
  matchesPropertyRange,
  matchesTimeRange,
  ok,
  type Result,
  readTree,
  type TimeRange,
  type TimeRangeContext,
  zonesOfFile,
} from "@dayferry/ical";
import { AnswerTooLargeError, countFitting } from "../answer-size.ts";
import type { Calendar, CalendarObject, TimeSpan } from "../backend.ts";
import type { DavAnswer, DavContext, Resource } from "../dav-request.ts";
import { bodyFault, caldavFault, type DavFault, faultAnswer } from "../fault.ts";
import { withPresent } from "../listed-member.ts";
import { childOf, wholeText } from "../xml/read-xml.ts";
import { caldav, keyOf } from "../xml/xml-names.ts";
import {
  type ComponentFilter,
  type ParamFilter,
  type PropertyFilter,
  readQueryZone,
  type TextMatch,
} from "./filter.ts";
import { readFilter } from "./filter-read.ts";
import {
  type DavReport,
  type MemberQuestion,
  multistatusAnswer,
  readMemberQuestion,
} from "./report-question.ts";

/** The members of a calendar that match a filter. Source: RFC 4791 7.8. */
export function queryAnswer(context: DavContext, report: DavReport): DavAnswer {
  const question = readMemberQuestion(context, report);
  if (!question.ok) return faultAnswer(question.failure);
  const element = childOf(report.xml, caldav("filter"));
  if (!element) return faultAnswer(bodyFault("a calendar-query needs a filter"));
  const filter = readFilter(element);
  if (!filter.ok) return faultAnswer(filter.failure);
  const scope = scopeOf(context, report, filter.value);
  if (!scope.ok) return faultAnswer(scope.failure);
  if (scope.value === null) return multistatusAnswer({ responses: [] }, question.value);

  const { calendar, members } = scope.value;
  const zone = zoneOf(context, report, calendar);
  if (!zone.ok) return faultAnswer(zone.failure);
  const search = { calendar, members, filter: filter.value, zone: zone.value };
  const responses = found(context, search, question.value);
  return multistatusAnswer({ responses }, question.value);
}

/** Members decided without reading them take a fraction of a millisecond. */
const knownPerPiece = 64;

/** Finds everything first, to know whether it is too much for an answer. */
function* found(context: DavContext, search: Search, question: MemberQuestion): Generator<string> {
  const { calendar, members, filter, zone } = search;
  const prefilter = createPrefilter(filter, zone === context.zone);
  const objects: CalendarObject[] = [];
  let untilPause = knownPerPiece;
  for (const object of members) {
    const known = prefilter(object);
    const match = known === null ? readAndMatch(context, object, search) : object;
    if (known !== false && match) objects.push(match);
    if (known !== null && --untilPause > 0) continue;
    untilPause = knownPerPiece;
    yield "";
  }
  if (countFitting(objects, question) < objects.length) throw new AnswerTooLargeError();
  const responseOf = question.responsesIn(calendar);
  for (const object of objects) yield responseOf(object) ?? "";
}

interface Scope {
  readonly calendar: Calendar;
  readonly members: readonly CalendarObject[];
}

/**
 * The members to search; null for none. Depth 0 means the calendar alone, which is no object. Without a Depth header RFC 3253
 * also means 0; but simple programs that omit it expect the members. Source: RFC 4791 7.8 (Depth).
 */
function scopeOf(
  { backend }: DavContext,
  report: DavReport,
  filter: ComponentFilter,
): Result<Scope | null, DavFault> {
  const depth = report.headers["depth"]?.trim().toLowerCase() ?? "1";
  if (!["0", "1", "infinity"].includes(depth)) {
    return fail(bodyFault(`the Depth "${depth}" is none: 0, 1 or infinity are`));
  }
  const { resource } = report;
  if (resource.kind === "object") return ok(objectScope(resource));
  if (resource.kind !== "calendar" || depth === "0") return ok(null);
  const { calendar } = resource;
  const span = askedSpan(filter);
  const members = span ? backend.objects(calendar, span) : backend.objects(calendar);
  return ok({ calendar, members });
}

/** The span outside of which nothing matches; null if there is none. */
export function askedSpan({ conditions }: ComponentFilter): TimeSpan | null {
  const items = conditions?.components.filter(({ name }) => itemNames.has(name)) ?? [];
  const [range] = items.flatMap((item) => item.conditions?.range ?? []);
  const times = range && timesOf(range);
  return times ? { from: times.start - widest, to: times.end + widest } : null;
}

function objectScope({
  calendar,
  object,
}: Extract<Resource, { readonly kind: "object" }>): Scope | null {
  return object && { calendar, members: [object] };
}

/** Dates and floating times are in the zone of the query, of the calendar's owner, or of the account. */
function zoneOf(
  { backend, person, zone }: DavContext,
  report: DavReport,
  calendar: Calendar,
): Result<string, DavFault> {
  const named = childOf(report.xml, caldav("timezone"));
  if (named) {
    const read = readQueryZone(wholeText(named), zone);
    return read.ok
      ? read
      : fail(
          caldavFault("valid-calendar-data", `the query's time zone is invalid: ${read.failure}`),
        );
  }
  const own = backend.properties(person, calendar).get(keyOf(caldav("calendar-timezone")));
  const read = own === undefined ? ok(zone) : readQueryZone(own, zone);
  return read.ok ? read : ok(zone);
}

interface Search {
  readonly calendar: Calendar;
  readonly members: readonly CalendarObject[];
  readonly filter: ComponentFilter;
  readonly zone: string;
}

/** For objects that kind and span do not decide: null if their octets do not match. */
function readAndMatch(
  { backend }: DavContext,
  object: CalendarObject,
  search: Search,
): CalendarObject | null {
  const { calendar, filter, zone } = search;
  const look = (present: CalendarObject) => {
    const tree = readTree(backend.octets(present));
    return matchesFilter(filter, tree, zone) ? present : null;
  };
  return withPresent(look, { backend, calendar, object });
}

/** Whether an object matches a filter, without reading it; null: it must be read. */
type Prefilter = (object: CalendarObject) => boolean | null;

/** Programs may write seconds, which the spans of objects lack. */
const secondsOff = 60_000;
/** The largest distance between a wall clock or a midnight in two zones. */
const zonesOff = 26 * 3_600_000;
const widest = secondsOff + zonesOff;

/**
 * Decides most usual queries, such as a month of events, from an object's kind and span alone. A to-do whose program omitted
 * its dates is where its span is. `isOwnZone`: whether floating times of the query are in the zone of the spans.
 */
export function createPrefilter(filter: ComponentFilter, isOwnZone: boolean): Prefilter {
  const margin = secondsOff + (isOwnZone ? 0 : zonesOff);
  const { conditions } = filter;
  if (!conditions) return () => false;
  const more = conditions.properties.length > 0 ? [unknown] : [];
  return allOf([...conditions.components.map((inner) => prefilterInside(inner, margin)), ...more]);
}

const unknown: Prefilter = () => null;

const itemNames: ReadonlySet<string> = new Set(["VEVENT", "VTODO"]);

function prefilterInside({ name, conditions }: ComponentFilter, margin: number): Prefilter {
  const isItem = itemNames.has(name);
  const isNever = name === "VJOURNAL" || name === "VFREEBUSY";
  if (isNever) return () => conditions === null;
  if (!isItem) return unknown;
  if (!conditions) return ({ component }) => component !== name;
  const { range } = conditions;
  const isMore = conditions.properties.length + conditions.components.length > 0;
  return allOf([
    ({ component }) => component === name,
    ...(range ? [prefilterAtRange(range, margin)] : []),
    ...(isMore ? [unknown] : []),
  ]);
}

/** False if any result is false; else null if any is null. */
function allOf(prefilters: readonly Prefilter[]): Prefilter {
  return (object) => {
    let answer: boolean | null = true;
    for (const prefilter of prefilters) {
      const verdict = prefilter(object);
      if (verdict === false) return false;
      if (verdict === null) answer = null;
    }
    return answer;
  };
}

const timesOf = ({ start, end }: TimeRange) => ({
  start: start?.epochMilliseconds ?? Number.NEGATIVE_INFINITY,
  end: end?.epochMilliseconds ?? Number.POSITIVE_INFINITY,
});

function prefilterAtRange(range: TimeRange, margin: number): Prefilter {
  const { start, end } = timesOf(range);
  // A whole day's span starts as early as the day does anywhere.
  const latestStart = end - margin - 2 * zonesOff;
  return ({ span, component }) => {
    if (!span) return null;
    if (span.from - margin > end || span.to + margin < start) return false;
    // A program may have omitted one of a to-do's two dates, so both must be inside.
    const startsBeforeEnd = component === "VEVENT" && span.from < latestStart;
    const isInside = span.from - margin >= start && (startsBeforeEnd || span.to + margin < end);
    return isInside ? true : null;
  };
}

/** True if a calendar object matches a filter. `zone`: IANA zone of its dates and floating times. Source: RFC 4791 9.7. */
export function matchesFilter(filter: ComponentFilter, calendar: Component, zone: string): boolean {
  const context = { zone, zoneOf: zonesOfFile(calendar, zone), parent: null };
  return matchesOneOf([calendar], filter, context);
}

function matchesOneOf(
  components: readonly Component[],
  filter: ComponentFilter,
  context: TimeRangeContext,
): boolean {
  const named = components.filter(({ name }) => name === filter.name);
  const { conditions } = filter;
  if (!conditions) return named.length === 0;
  return named.some((component) => {
    if (conditions.range && !matchesTimeRange(component, conditions.range, context)) return false;
    return (
      conditions.properties.every((property) => matchesProperty(component, property, context)) &&
      conditions.components.every((inner) =>
        matchesOneOf(component.components, inner, { ...context, parent: component }),
      )
    );
  });
}

function matchesProperty(
  component: Component,
  filter: PropertyFilter,
  context: TimeRangeContext,
): boolean {
  const lines = component.lines.filter(({ name }) => name === filter.name);
  const { conditions } = filter;
  if (!conditions) return lines.length === 0;
  const { range, text, params } = conditions;
  return lines.some((line) => {
    if (range && !matchesPropertyRange(line, range, context)) return false;
    if (text && !matchesText(decodeText(line.value), text)) return false;
    return params.every((param) => matchesParam(line, param));
  });
}

function matchesParam(line: ContentLine, { name, conditions }: ParamFilter): boolean {
  const values = line.params.get(name);
  if (!conditions) return values === undefined;
  if (!values) return false;
  const { text } = conditions;
  return text === null || values.some((value) => matchesText(value, text));
}

function matchesText(value: string, { part, collation, negate }: TextMatch): boolean {
  return collation(value).includes(part) !== negate;
}
