import type { Calendar, CalendarObject, ObjectComponent } from "../../calendars/calendar.ts";
import { httpDate } from "../../domain/http-date.ts";
import type { DavContext } from "../context.ts";
import { collationSet } from "../reports/collation.ts";
import { reportSet } from "../reports/report-set.ts";
import type { Propstat } from "../xml/multistatus.ts";
import { caldav, dav } from "../xml/names.ts";
import { hrefElement } from "../xml/write.ts";
import { privilegeSet, privilegesOf, supportedPrivileges } from "./privileges.ts";
import { answerProps, type LiveProps, livePropsOf, type PropEntry, type Wanted } from "./props.ts";

export interface ObjectQuestion {
  readonly context: DavContext;
  readonly calendar: Calendar;
  readonly wanted: Wanted;
  readonly minimal: boolean;
  /** Content of `CALDAV:calendar-data` as XML; only reports have it. Source: RFC 4791 9.6. */
  readonly data?: (object: CalendarObject) => string | null;
}

/** Answers the same question for one member of a calendar after the other. */
export function objectProps(
  question: ObjectQuestion,
): (object: CalendarObject) => readonly Propstat[] {
  return answerProps({ ...question, live: liveProps(question) });
}

function liveProps({
  context,
  calendar,
  data = () => null,
}: ObjectQuestion): LiveProps<CalendarObject> {
  const { calendars, paths, person } = context;
  const own = hrefElement(paths.principal(person.id));
  const privileges = (object: CalendarObject) =>
    privilegeSet(privilegesOf({ kind: "object", calendar, name: object.name, object }));
  const common: readonly PropEntry<CalendarObject>[] = [
    [dav("resourcetype"), () => ""],
    // A hash in quotes, which an element holds as they are.
    [dav("getetag"), ({ etag }) => etag],
    [dav("getcontenttype"), ({ component }) => objectType(component)],
    [dav("getcontentlength"), ({ length }) => String(length)],
    [dav("getlastmodified"), ({ modifiedAt }) => httpDate(modifiedAt)],
    [dav("creationdate"), (object) => creationDate(calendars.itemOf(object).knownAt)],
  ];
  const special: readonly PropEntry<CalendarObject>[] = [
    [dav("owner"), () => own],
    [dav("current-user-principal"), () => own],
    [dav("principal-collection-set"), () => hrefElement(paths.principals)],
    [dav("current-user-privilege-set"), privileges],
    [dav("supported-privilege-set"), supportedPrivileges],
    [dav("supported-report-set"), () => reportSet("object")],
    [caldav("supported-collation-set"), () => collationSet],
    [caldav("calendar-data"), data],
  ];
  return livePropsOf({ common, special });
}

/** Source: RFC 4918 15.1, RFC 3339. */
const creationDate = (at: Temporal.Instant): string => at.toString({ smallestUnit: "second" });

/** Value of `Content-Type`. Source: RFC 5545 8.1. */
export const objectType = (component: ObjectComponent): string =>
  `text/calendar; charset=utf-8; component=${component}`;
