import { calendarEnd, productId, writeTimeZone } from "@dayferry/ical";
import type { Calendar } from "../backend.ts";
import { type CollectionContent, contentOf, lengthOf } from "../collection-content.ts";
import type { CollectionResource, DavContext, Resource } from "../dav-request.ts";
import { notReadyFault } from "../paths.ts";
import { privilegeSet, privilegesOf, supportedPrivileges } from "../privileges.ts";
import { supportedTriggers, transports } from "../push/push-methods.ts";
import { collationSet } from "../reports/filter.ts";
import { reportSet } from "../reports/supported-reports.ts";
import { unreachable } from "../unreachable.ts";
import { element, escapeXml, hrefElement, type Propstat } from "../xml/write-xml.ts";
import { apple, caldav, dav, keyOf, push, type QName, server } from "../xml/xml-names.ts";
import {
  answerProps,
  type LiveProps,
  livePropsOf,
  type PropEntry,
  type Wanted,
} from "./answer-properties.ts";
import { settableProps, splitLanguages } from "./settable-properties.ts";

interface CollectionQuestion {
  readonly context: DavContext;
  readonly wanted: Wanted;
  readonly minimal: boolean;
}

/** Answers the same request for the context root, principals, homes and calendars, one after the other. */
export function collectionProps(
  question: CollectionQuestion,
): (resource: CollectionResource) => readonly Propstat[] {
  const live = liveProps(question.context);
  return (resource) => {
    const { own, languages } = splitLanguages(ownOf(resource, question.context));
    const dead = new Map([...own].filter(([key]) => !live.has(key)));
    return answerProps({ ...question, live, dead, languages })({ resource, own });
  };
}

/** The place of properties that a person's programs set on a resource: a calendar or the home (null). Undefined if they cannot. */
export function settableAt(resource: Resource): Calendar | null | undefined {
  if (resource.kind === "calendar") return resource.calendar;
  return resource.kind === "home" ? null : undefined;
}

/** True if no program may set a property. */
export function protectedProps(context: DavContext): (name: QName) => boolean {
  const live = liveProps(context);
  return (name) => {
    const key = keyOf(name);
    return !settableProps.has(key) && (live.has(key) || unwritable.has(key));
  };
}

/** Properties of members and of WebDAV that a calendar lacks and nobody may set. */
const unwritable: ReadonlySet<string> = new Set(
  [
    dav("getlastmodified"),
    dav("creationdate"),
    dav("lockdiscovery"),
    dav("supportedlock"),
    dav("acl"),
    dav("quota-available-bytes"),
    dav("quota-used-bytes"),
    caldav("calendar-data"),
    caldav("min-date-time"),
    caldav("max-date-time"),
    caldav("max-attendees-per-instance"),
  ].map(keyOf),
);

const nothing: ReadonlyMap<string, string> = new Map();

function ownOf(resource: CollectionResource, { backend, person }: DavContext) {
  const place = settableAt(resource);
  return place === undefined ? nothing : backend.properties(person, place);
}

function liveProps(context: DavContext): LiveProps<CollectionSubject> {
  const common: readonly PropEntry<CollectionSubject>[] = [
    [dav("resourcetype"), ({ resource }) => resourceType(resource)],
    [dav("displayname"), (subject) => escapeXml(displayName(subject, context))],
    ...ofContent(context),
  ];
  const special = [
    ...ofAll(context),
    ...ofPrincipal(context),
    ...calendarEntries(context),
    ...ofPush(context),
  ];
  return livePropsOf({ common, special });
}

/** As in GET. Source: RFC 4918 15.4, 15.5, 15.6. */
function ofContent(context: DavContext): readonly PropEntry<CollectionSubject>[] {
  const content =
    (say: (of: CollectionContent) => string | null) =>
    ({ resource }: CollectionSubject) => {
      const isPart =
        resource.kind === "calendar" && notReadyFault(context.backend, resource.calendar) !== null;
      return isPart ? null : say(contentOf(context, resource));
    };
  return [
    [dav("getetag"), content(({ etag }) => escapeXml(etag))],
    [dav("getcontenttype"), content(({ type }) => type)],
    [dav("getcontentlength"), content((of) => lengthOf(of)?.toString() ?? null)],
  ];
}

function ofAll({ paths, person }: DavContext): readonly PropEntry<CollectionSubject>[] {
  const own = hrefElement(paths.principal(person.id));
  const owned = new Set(["principal", "home", "calendar"]);
  return [
    [dav("current-user-principal"), () => own],
    [dav("principal-collection-set"), () => hrefElement(paths.principals)],
    [dav("owner"), ({ resource }) => (owned.has(resource.kind) ? own : null)],
    [dav("current-user-privilege-set"), ({ resource }) => privilegeSet(privilegesOf(resource))],
    [dav("supported-privilege-set"), supportedPrivileges],
    [dav("supported-report-set"), ({ resource }) => reportSet(resource.kind)],
  ];
}

/** Source: RFC 3744 4, RFC 4791 6.2.1, RFC 6638 2.4 (addresses of a person). */
function ofPrincipal({ paths, person }: DavContext): readonly PropEntry<CollectionSubject>[] {
  const self = hrefElement(paths.principal(person.id));
  const home = hrefElement(paths.home(person.id));
  const mail = person.email;
  const addresses = mail === null ? "" : hrefElement(`mailto:${encodeURI(mail)}`);
  const emails = mail === null ? "" : `<cs:email-address>${escapeXml(mail)}</cs:email-address>`;
  const principal = (value: string) => {
    return ({ resource }: CollectionSubject) => (resource.kind === "principal" ? value : null);
  };
  return [
    [dav("principal-URL"), principal(self)],
    [dav("alternate-URI-set"), principal("")],
    [dav("group-member-set"), principal("")],
    [dav("group-membership"), principal("")],
    [caldav("calendar-home-set"), principal(home)],
    [caldav("calendar-user-address-set"), principal(addresses + self)],
    [caldav("calendar-user-type"), principal("INDIVIDUAL")],
    [server("email-address-set"), principal(emails)],
  ];
}

/** Of calendars and the home. Source: draft-bitfire-webdav-push. */
function ofPush({ backend, person }: DavContext): readonly PropEntry<CollectionSubject>[] {
  const { push: support } = backend;
  if (!support) return [];
  const watched =
    (say: (calendar: Calendar | null) => string) =>
    ({ resource }: CollectionSubject) => {
      const place = settableAt(resource);
      return place === undefined ? null : say(place);
    };
  return [
    [push("transports"), watched(() => transports(support.vapidKey))],
    [push("topic"), watched((calendar) => support.topic(person, calendar))],
    [push("supported-triggers"), watched(() => supportedTriggers)],
  ];
}

function resourceType({ kind }: CollectionResource): string {
  if (kind === "calendar") return "<d:collection/><c:calendar/>";
  return kind === "principal" ? "<d:collection/><d:principal/>" : "<d:collection/>";
}

function displayName({ resource, own }: CollectionSubject, { person, name }: DavContext): string {
  switch (resource.kind) {
    case "root":
      return name;
    case "principals":
      return "People";
    case "principal":
      return person.name;
    case "homes":
      return "Calendars";
    case "home":
      return `Calendars of ${person.name}`;
    case "calendar":
      return own.get(keyOf(dav("displayname"))) ?? resource.calendar.name;
    default:
      return unreachable(resource);
  }
}

/** A collection whose properties are requested. */
interface CollectionSubject {
  readonly resource: CollectionResource;
  /** Properties set by the person's programs, by `keyOf`. */
  readonly own: ReadonlyMap<string, string>;
}

/** Properties of calendars, and what homes say about calendars. Source: RFC 4791 5.2, 7.5.1; RFC 6578 4. */
function calendarEntries({
  backend,
  clock,
  maxSize,
  zone,
}: DavContext): readonly PropEntry<CollectionSubject>[] {
  const calendar = (content: (of: CalendarSubject) => string | null) => {
    return ({ resource, own }: CollectionSubject) =>
      resource.kind === "calendar" ? content({ calendar: resource.calendar, own }) : null;
  };
  const settable = (name: QName, content: (of: CalendarSubject) => string | null) =>
    [
      name,
      calendar((of) => {
        const text = of.own.get(keyOf(name)) ?? content(of);
        return text === null || text === "" ? null : escapeXml(text);
      }),
    ] as const;
  // A program must not store the state of a calendar that it cannot list yet.
  const state = (content: (of: Calendar) => string) =>
    calendar((of) =>
      notReadyFault(backend, of.calendar) === null ? escapeXml(content(of.calendar)) : null,
    );
  let timeZone: string | null = null;
  const accountZone = () => {
    timeZone ??= timeZoneText(zone, clock());
    return timeZone;
  };
  return [
    [
      caldav("supported-calendar-component-set"),
      calendar(({ calendar: { components } }) => componentSet(components)),
    ],
    [
      caldav("supported-calendar-component-sets"),
      ({ resource }) => (resource.kind === "home" ? homeComponents : null),
    ],
    [
      caldav("supported-calendar-data"),
      calendar(() => `<c:calendar-data content-type="text/calendar" version="2.0"/>`),
    ],
    [caldav("supported-collation-set"), calendar(() => collationSet)],
    [caldav("max-resource-size"), calendar(() => String(maxSize))],
    [caldav("max-instances"), calendar(() => "1")],
    [server("getctag"), state((of) => backend.ctag(of))],
    [dav("sync-token"), state((of) => backend.token(of))],
    settable(caldav("calendar-description"), (of) => of.calendar.description),
    settable(caldav("calendar-timezone"), accountZone),
    settable(apple("calendar-color"), (of) => of.calendar.color),
    settable(apple("calendar-order"), (of) => String(of.calendar.order)),
  ];
}

interface CalendarSubject extends Pick<CollectionSubject, "own"> {
  readonly calendar: Calendar;
}

const componentSet = (names: readonly string[]): string =>
  names.map((name) => `<c:comp name="${name}"/>`).join("");

const homeComponents = ["VEVENT", "VTODO"]
  .map((name) => element("c:supported-calendar-component-set", componentSet([name])))
  .join("");

function timeZoneText(zone: string, now: Temporal.Instant): string {
  const { year } = now.toZonedDateTimeISO(zone);
  const component = writeTimeZone({ zone, tzid: zone, fromYear: year - 10, toYear: year + 10 });
  return `BEGIN:VCALENDAR\r\nVERSION:2.0\r\n${productId}\r\n${component}${calendarEnd}`;
}
