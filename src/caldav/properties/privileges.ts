import type { Calendar } from "../../calendars/calendar.ts";
import { unreachable } from "../../domain/result.ts";
import type { Resource } from "../resource.ts";
import { caldav, dav, type QName } from "../xml/names.ts";
import { namedElement } from "../xml/write.ts";

/**
 * What the person may do with a resource: exactly what the methods go on to allow. A calendar that takes nothing new
 * lacks bind, and with it the aggregate write. Source: RFC 3744 3, 5.4; RFC 4791 6.1.1.
 */
export function privilegesOf(resource: Resource): readonly QName[] {
  switch (resource.kind) {
    case "calendar":
      return [...reading, caldav("read-free-busy"), ...ofCalendar(resource.calendar)];
    case "object":
      return resource.calendar.access === "write" ? [...reading, dav("write-content")] : reading;
    case "root":
    case "principals":
    case "principal":
    case "homes":
    // What programs note at a home changes nothing that anybody else sees, and is not theirs to be told apart by.
    case "home":
      return reading;
    default:
      return unreachable(resource);
  }
}

/** Value of `current-user-privilege-set`. */
export const privilegeSet = (privileges: readonly QName[]): string =>
  privileges.map((name) => privilege(name)).join("");

/** Value of `supported-privilege-set`: the tree of all privileges that are told apart. Source: RFC 3744 5.3. */
export function supportedPrivileges(): string {
  const write = [
    supported(dav("write-properties"), "Change name and colour, for oneself"),
    supported(dav("write-content"), "Change what is there"),
    supported(dav("bind"), "Add"),
    supported(dav("unbind"), "Remove"),
  ];
  const all = [
    supported(dav("read"), "Read", supported(caldav("read-free-busy"), "Read when it is busy")),
    supported(dav("read-current-user-privilege-set"), "Read one's own privileges"),
    supported(dav("write"), "Write", write.join("")),
  ];
  return supported(dav("all"), "Everything", all.join(""));
}

const reading: readonly QName[] = [dav("read"), dav("read-current-user-privilege-set")];

function ofCalendar({ access, refusesNew }: Calendar): readonly QName[] {
  if (access === "read") return [];
  const changing = [dav("write-content"), dav("write-properties"), dav("unbind")];
  return refusesNew === null ? [dav("write"), ...changing, dav("bind")] : changing;
}

const privilege = (name: QName): string => `<d:privilege>${namedElement(name, "")}</d:privilege>`;

const supported = (name: QName, description: string, inner = ""): string =>
  `<d:supported-privilege>${privilege(name)}<d:description xml:lang="en">${description}</d:description>${inner}</d:supported-privilege>`;
