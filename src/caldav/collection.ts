import type { Calendar } from "../calendars/calendar.ts";
import type { DavAnswer, DavContext, DavRequest } from "./context.ts";
import { caldavFault, type DavFault, davFault, faultAnswer, plainFault } from "./fault.ts";
import { methodFault, privilegeFault } from "./objects/object-faults.ts";
import type { DavTarget } from "./paths.ts";

/** Why calendars are not made, moved or deleted by programs, for people. */
const madeByProjects =
  "calendars come from the projects and lists of the workspace: make them there";

/**
 * Answers the methods that make, fill or delete what is no object. There is nothing of the kind to be done: the calendars
 * are those of the workspace. Source: RFC 4791 5.3.1; RFC 4918 9.3, 9.6, 9.7.2.
 */
export function collectionAnswer(
  context: DavContext,
  { method, target }: Pick<DavRequest, "method" | "target">,
): DavAnswer {
  const calendar =
    target.kind === "calendar" ? context.calendars.find(context.person.id, target.slug) : null;
  return faultAnswer(faultOf(context, { method, target, calendar }));
}

interface Attempt {
  readonly method: string;
  readonly target: DavTarget;
  readonly calendar: Calendar | null;
}

function faultOf(context: DavContext, attempt: Attempt): DavFault {
  const { method, target, calendar } = attempt;
  switch (method) {
    case "MKCALENDAR":
    case "MKCOL":
      return creationFault(context, attempt);
    case "PUT": {
      const reason = "only objects in a calendar can be stored, not collections";
      return methodFault(reason, { kind: target.kind, calendar, method });
    }
    case "DELETE":
    case "MOVE":
      if (target.kind === "calendar" && !calendar)
        return plainFault(404, "there is no such calendar");
      return privilegeFault("unbind", { href: parentOf(context, target), reason: madeByProjects });
    case "COPY":
      return plainFault(403, `a calendar cannot be copied: ${madeByProjects}`);
    default:
      return methodFault(`${method} does nothing here`, { kind: target.kind, calendar, method });
  }
}

function creationFault(context: DavContext, { method, target, calendar }: Attempt): DavFault {
  const isThere = target.kind !== "object" && (target.kind !== "calendar" || calendar !== null);
  if (isThere && method === "MKCOL") {
    return methodFault("there is a collection already", { kind: target.kind, calendar, method });
  }
  if (isThere) return davFault("resource-must-be-null", "there is a collection already");
  if (method === "MKCALENDAR")
    return caldavFault("calendar-collection-location-ok", madeByProjects);
  return privilegeFault("bind", { href: parentOf(context, target), reason: madeByProjects });
}

/** The collection in which the target is or would be. */
function parentOf({ paths }: DavContext, target: DavTarget): string {
  switch (target.kind) {
    case "calendar":
      return paths.home(target.person);
    case "object":
      return paths.calendar(target);
    case "home":
      return paths.homes;
    case "principal":
    case "profile":
      return paths.principals;
    case "root":
    case "principals":
    case "homes":
      return paths.root;
  }
}
