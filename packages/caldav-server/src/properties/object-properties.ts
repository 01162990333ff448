import { httpDate } from "@dayferry/http-values";
import type { Calendar, CalendarObject, ObjectComponent } from "../backend.ts";
import type { DavContext } from "../dav-request.ts";
import { privilegeSet, privilegesOf, supportedPrivileges } from "../privileges.ts";
import { collationSet } from "../reports/filter.ts";
import { reportSet } from "../reports/supported-reports.ts";
import { hrefElement, type Propstat } from "../xml/write-xml.ts";
import { caldav, dav, keyOf } from "../xml/xml-names.ts";
import { answerProps, livePropsOf, type Wanted } from "./answer-properties.ts";

export interface ObjectQuestion {
  readonly context: DavContext;
  readonly calendar: Calendar;
  readonly wanted: Wanted;
  readonly minimal: boolean;
  /** Content of `CALDAV:calendar-data` as XML; only reports have it. Source: RFC 4791 9.6. */
  readonly data?: (object: CalendarObject) => string | null;
}

/** Answers the same request for one member of a calendar after the other. */
export function objectProps(
  question: ObjectQuestion,
): (object: CalendarObject) => readonly Propstat[] {
  const { context, calendar, data = () => null } = question;
  const own = hrefElement(context.paths.principal(context.person.id));
  const answer = answerProps({ ...question, live });
  return (object) => answer({ object, context, calendar, data, own });
}

/** A member with the context of its properties. */
interface ObjectSubject extends Required<Pick<ObjectQuestion, "context" | "calendar" | "data">> {
  readonly object: CalendarObject;
  /** The requesting person. */
  readonly own: string;
}

const live = livePropsOf<ObjectSubject>({
  common: [
    [dav("resourcetype"), () => ""],
    // A hash in quotes, which needs no escaping.
    [dav("getetag"), ({ object }) => object.etag],
    [dav("getcontenttype"), ({ object }) => objectType(object.component)],
    [dav("getcontentlength"), ({ object }) => String(object.length)],
    [dav("getlastmodified"), ({ object }) => httpDate(object.modifiedAt)],
    [dav("creationdate"), (member) => creationDate(member)],
  ],
  special: [
    [dav("owner"), ({ own }) => own],
    [dav("current-user-principal"), ({ own }) => own],
    [dav("principal-collection-set"), ({ context }) => hrefElement(context.paths.principals)],
    [dav("current-user-privilege-set"), (member) => privileges(member)],
    [dav("supported-privilege-set"), supportedPrivileges],
    [dav("supported-report-set"), () => reportSet("object")],
    [caldav("supported-collation-set"), () => collationSet],
    [caldav("calendar-data"), ({ data, object }) => data(object)],
  ],
});

const fixed: ReadonlySet<string> = new Set(
  ["resourcetype", "getetag", "getcontenttype", "getcontentlength", "getlastmodified"].map((name) =>
    keyOf(dav(name)),
  ),
);

/** True if the answer depends on the immutable object alone: neither on who asks nor on other stored data. */
export const isFixedWithObject = (wanted: Wanted): wanted is Extract<Wanted, { kind: "prop" }> =>
  wanted.kind === "prop" &&
  wanted.names.map(keyOf).every((key) => fixed.has(key) || !live.has(key));

function privileges({ object, calendar }: ObjectSubject): string {
  return privilegeSet(privilegesOf({ kind: "object", calendar, name: object.name, object }));
}

/** Source: RFC 4918 15.1, RFC 3339. */
const creationDate = ({ context, object }: ObjectSubject): string =>
  context.backend.createdAt(object).toString({ smallestUnit: "second" });

/** Value of `Content-Type`. Source: RFC 5545 8.1. */
export const objectType = (component: ObjectComponent): string =>
  `text/calendar; charset=utf-8; component=${component}`;
