import type { Calendar, CalendarBackend } from "./backend.ts";
import type { DavTarget, Resource } from "./dav-request.ts";
import { unreachable } from "./unreachable.ts";
import { namedElement } from "./xml/write-xml.ts";
import { caldav, dav, type QName } from "./xml/xml-names.ts";

/** Value of the `DAV` header: no locks (2), no scheduling. Source: RFC 4918 18, RFC 4791 5.1, RFC 3744 7.2. */
export const davClasses = ({ push }: Pick<CalendarBackend, "push">): string =>
  `1, 3, access-control, calendar-access${push ? ", webdav-push" : ""}`;

/**
 * Methods for a kind of resource, for `Allow`. A calendar also lists what its members allow, as some programs consider it
 * read-only without PUT and DELETE at its own URL. `calendar`: the calendar itself or the object's, if known; otherwise what an
 * unknown person could do at most. `push`: of the backend. `but`: a method that was just refused.
 */
export function allowedMethods(
  kind: DavTarget["kind"],
  {
    calendar,
    push,
    but = "",
  }: Pick<CalendarBackend, "push"> & { readonly calendar: Calendar | null; readonly but?: string },
): string {
  const methods = methodsOf(kind, calendar?.access !== "read");
  const all = push && (kind === "calendar" || kind === "home") ? [...methods, "POST"] : methods;
  return all.filter((method) => method !== but).join(", ");
}

const readingMethods = ["OPTIONS", "GET", "HEAD", "PROPFIND", "REPORT"] as const;
const changingMethods = ["COPY", "PUT", "DELETE", "MOVE"] as const;

function methodsOf(kind: DavTarget["kind"], canWrite: boolean): readonly string[] {
  switch (kind) {
    case "file":
      return ["OPTIONS", "GET", "HEAD"];
    case "calendar":
      return canWrite ? [...readingMethods, "PROPPATCH", ...changingMethods] : readingMethods;
    case "object":
      return canWrite ? [...readingMethods, ...changingMethods] : [...readingMethods, "COPY"];
    case "root":
    case "principals":
    case "principal":
    case "homes":
      return readingMethods;
    case "home":
      return [...readingMethods, "PROPPATCH"];
    case "registration":
      return ["OPTIONS", "DELETE"];
    default:
      return unreachable(kind);
  }
}

/**
 * What the person may do with a resource: exactly what the methods allow. A calendar that accepts nothing new lacks bind, and
 * with it the aggregate write. Source: RFC 3744 3, 5.4; RFC 4791 6.1.1.
 */
export function privilegesOf(resource: Resource): readonly QName[] {
  switch (resource.kind) {
    case "calendar":
      return [...readPrivileges, caldav("read-free-busy"), ...ofCalendar(resource.calendar)];
    case "object":
      return resource.calendar.access === "write"
        ? [...readPrivileges, dav("write-content")]
        : readPrivileges;
    case "root":
    case "principals":
    case "principal":
    case "homes":
    // Properties that programs set on a home affect nobody else.
    case "home":
      return readPrivileges;
    default:
      return unreachable(resource);
  }
}

/** Value of `current-user-privilege-set`. */
export const privilegeSet = (privileges: readonly QName[]): string =>
  privileges.map((name) => privilege(name)).join("");

/** Value of `supported-privilege-set`: the tree of all privileges. Source: RFC 3744 5.3. */
export function supportedPrivileges(): string {
  const write = [
    supported(dav("write-properties"), "Change name and color, for oneself"),
    supported(dav("write-content"), "Change the content"),
    supported(dav("bind"), "Add"),
    supported(dav("unbind"), "Remove"),
  ];
  const all = [
    supported(dav("read"), "Read", supported(caldav("read-free-busy"), "Read free-busy times")),
    supported(dav("read-current-user-privilege-set"), "Read one's own privileges"),
    supported(dav("write"), "Write", write.join("")),
  ];
  return supported(dav("all"), "Everything", all.join(""));
}

const readPrivileges: readonly QName[] = [dav("read"), dav("read-current-user-privilege-set")];

function ofCalendar({ access, refusesNew }: Calendar): readonly QName[] {
  if (access === "read") return [];
  const changing = [dav("write-content"), dav("write-properties"), dav("unbind")];
  return refusesNew === null ? [dav("write"), ...changing, dav("bind")] : changing;
}

const privilege = (name: QName): string => `<d:privilege>${namedElement(name, "")}</d:privilege>`;

const supported = (name: QName, description: string, inner = ""): string =>
  `<d:supported-privilege>${privilege(name)}<d:description xml:lang="en">${description}</d:description>${inner}</d:supported-privilege>`;
