import { unreachable } from "../../domain/result.ts";
import type { DavContext } from "../context.ts";
import { reportSet } from "../reports/report-set.ts";
import type { CollectionResource, Resource } from "../resource.ts";
import type { Propstat } from "../xml/multistatus.ts";
import { caldav, dav, keyOf, type QName, server } from "../xml/names.ts";
import { escapeText, hrefElement } from "../xml/write.ts";
import { splitLanguages } from "./own-languages.ts";
import { ownProps } from "./own-props.ts";
import { privilegeSet, privilegesOf, supportedPrivileges } from "./privileges.ts";
import { answerProps, type LiveProps, livePropsOf, type PropEntry, type Wanted } from "./props.ts";
import { type CollectionSubject, calendarEntries } from "./props-calendar.ts";

export interface CollectionQuestion {
  readonly context: DavContext;
  readonly wanted: Wanted;
  readonly minimal: boolean;
}

/** Answers the same question for the context root, principals, homes and calendars, one after the other. */
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

/** Under what the properties are kept that a person's programs set on a resource; null where they cannot. No calendar is called "". */
export function ownSlot(resource: Resource): string | null {
  if (resource.kind === "calendar") return resource.calendar.slug;
  return resource.kind === "home" ? "" : null;
}

/** Whether no program may set a property. */
export function protectedProps(context: DavContext): (name: QName) => boolean {
  const live = liveProps(context);
  return (name) => {
    const key = keyOf(name);
    return !ownProps.has(key) && (live.has(key) || unwritable.has(key));
  };
}

/** Properties of members and of WebDAV that a calendar lacks, and that nobody may give it. */
const unwritable: ReadonlySet<string> = new Set(
  [
    dav("getetag"),
    dav("getcontentlength"),
    dav("getcontenttype"),
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

function ownOf(resource: CollectionResource, { store, person }: DavContext) {
  const slot = ownSlot(resource);
  return slot === null ? nothing : store.calendarProperties.of(person.id, slot);
}

function liveProps(context: DavContext): LiveProps<CollectionSubject> {
  const common: readonly PropEntry<CollectionSubject>[] = [
    [dav("resourcetype"), ({ resource }) => resourceType(resource)],
    [dav("displayname"), (subject) => escapeText(displayName(subject, context))],
  ];
  const special = [...ofAll(context), ...ofPrincipal(context), ...calendarEntries(context)];
  return livePropsOf({ common, special });
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

/** Source: RFC 3744 4, RFC 4791 6.2.1, RFC 6638 2.4 (what a person is called by). */
function ofPrincipal({ paths, person }: DavContext): readonly PropEntry<CollectionSubject>[] {
  const self = hrefElement(paths.principal(person.id));
  const home = hrefElement(paths.home(person.id));
  const mail = person.email;
  const addresses = mail === null ? "" : hrefElement(`mailto:${encodeURI(mail)}`);
  const emails = mail === null ? "" : `<cs:email-address>${escapeText(mail)}</cs:email-address>`;
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

function resourceType({ kind }: CollectionResource): string {
  if (kind === "calendar") return "<d:collection/><c:calendar/>";
  return kind === "principal" ? "<d:collection/><d:principal/>" : "<d:collection/>";
}

function displayName({ resource, own }: CollectionSubject, { person }: DavContext): string {
  switch (resource.kind) {
    case "root":
      return "Dayferry";
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
