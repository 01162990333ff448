import type { Calendar, CalendarObject } from "../../calendars/calendar.ts";
import { fail, ok, type Result } from "../../domain/result.ts";
import { readTree } from "../../ics/lines/tree.ts";
import { AnswerTooLargeError, countFitting } from "../answer-size.ts";
import type { DavAnswer, DavContext } from "../context.ts";
import { bodyFault, caldavFault, type DavFault, faultAnswer } from "../fault.ts";
import { withPresent } from "../listed-member.ts";
import type { Resource } from "../resource.ts";
import { childOf, wholeText } from "../xml/element.ts";
import { caldav, keyOf } from "../xml/names.ts";
import type { ComponentFilter } from "./filter.ts";
import { createGlance } from "./filter-glance.ts";
import { matchesFilter } from "./filter-match.ts";
import { readFilter } from "./filter-read.ts";
import { readZone } from "./filter-time.ts";
import {
  type MemberQuestion,
  multistatusAnswer,
  type Report,
  readMemberQuestion,
} from "./report-question.ts";

/** The members of a calendar that meet a filter. Source: RFC 4791 7.8. */
export function queryAnswer(context: DavContext, report: Report): DavAnswer {
  const question = readMemberQuestion(context, report);
  if (!question.ok) return faultAnswer(question.failure);
  const element = childOf(report.xml, caldav("filter"));
  if (!element) return faultAnswer(bodyFault("a calendar-query has a filter"));
  const filter = readFilter(element);
  if (!filter.ok) return faultAnswer(filter.failure);
  const scope = scopeOf(context, report);
  if (!scope.ok) return faultAnswer(scope.failure);
  if (scope.value === null) return multistatusAnswer({ responses: [] }, question.value);

  const { calendar, members } = scope.value;
  const zone = zoneOf(context, { report, calendar });
  if (!zone.ok) return faultAnswer(zone.failure);
  const search = { calendar, members, filter: filter.value, zone: zone.value };
  const responses = found(context, { search, question: question.value });
  return multistatusAnswer({ responses }, question.value);
}

/** First all that is found, as only then it can be told whether it is too much for an answer. */
function* found(
  context: DavContext,
  { search, question }: { readonly search: Search; readonly question: MemberQuestion },
): Generator<string> {
  const objects: CalendarObject[] = [];
  for (const object of matching(context, search)) {
    if (object) objects.push(object);
    yield "";
  }
  if (countFitting(objects, question) < objects.length) throw new AnswerTooLargeError();
  const responseOf = question.responsesIn(search.calendar);
  for (const object of objects) yield responseOf(object) ?? "";
}

interface Scope {
  readonly calendar: Calendar;
  readonly members: readonly CalendarObject[];
}

/**
 * What a query looks at: null for nothing. Depth 0 means the calendar alone, which is no object. Without a Depth header
 * RFC 3253 means 0 too, which nobody can want; simple programs leave it out and want the members.
 * Source: RFC 4791 7.8 (Depth).
 */
function scopeOf({ calendars }: DavContext, report: Report): Result<Scope | null, DavFault> {
  const depth = report.headers["depth"]?.trim().toLowerCase() ?? "1";
  if (!["0", "1", "infinity"].includes(depth)) {
    return fail(bodyFault(`the Depth "${depth}" is none: 0, 1 or infinity are`));
  }
  const { resource } = report;
  if (resource.kind === "object") return ok(objectScope(resource));
  if (resource.kind !== "calendar" || depth === "0") return ok(null);
  const { calendar } = resource;
  return ok({ calendar, members: calendars.objects(calendar) });
}

function objectScope({
  calendar,
  object,
}: Extract<Resource, { readonly kind: "object" }>): Scope | null {
  return object && { calendar, members: [object] };
}

/** Dates and floating times stand in the zone of the query, of the calendar's owner, or of the account. */
function zoneOf(
  { store, person, zone }: DavContext,
  { report, calendar }: { readonly report: Report; readonly calendar: Calendar },
): Result<string, DavFault> {
  const named = childOf(report.xml, caldav("timezone"));
  if (named) {
    const read = readZone(wholeText(named), zone);
    return read.ok
      ? read
      : fail(caldavFault("valid-calendar-data", `the query's time zone is none: ${read.failure}`));
  }
  const own = store.calendarProperties
    .of(person.id, calendar.slug)
    .get(keyOf(caldav("calendar-timezone")));
  const read = own === undefined ? ok(zone) : readZone(own, zone);
  return read.ok ? read : ok(zone);
}

interface Search {
  readonly calendar: Calendar;
  readonly members: readonly CalendarObject[];
  readonly filter: ComponentFilter;
  readonly zone: string;
}

/** One after the other, null for what does not match. Only what cannot be told from an object's kind and span is read. */
function* matching(
  context: DavContext,
  { calendar, members, filter, zone }: Search,
): Generator<CalendarObject | null> {
  const { calendars } = context;
  const glance = createGlance(filter, zone === context.zone);
  const look = (object: CalendarObject) => {
    const tree = readTree(calendars.octets(object));
    return matchesFilter(filter, { calendar: tree, zone }) ? object : null;
  };
  for (const object of members) {
    const known = glance(object);
    if (known === null) yield withPresent(look, { calendars, calendar, object });
    else yield known ? object : null;
  }
}
