import type { Calendar } from "../calendars/calendar.ts";
import { unreachable } from "../domain/result.ts";
import type { DavTarget } from "./paths.ts";

/** Value of the `DAV` header: no locks (2), no scheduling. Source: RFC 4918 18, RFC 4791 5.1, RFC 3744 7.2. */
export const davClasses = "1, 3, access-control, calendar-access";

/**
 * Methods that work on a kind of resource, as `Allow` names them. `calendar`: the one that the address is of or in, when
 * it is known; without it what an unknown person could do at most.
 */
export function allowedMethods(kind: DavTarget["kind"], calendar: Calendar | null): string {
  const canWrite = calendar?.access !== "read";
  switch (kind) {
    case "profile":
      return "OPTIONS, GET, HEAD";
    case "calendar":
      return `OPTIONS, GET, HEAD, PROPFIND, REPORT${canWrite ? ", PROPPATCH" : ""}`;
    case "object":
      return `OPTIONS, GET, HEAD, PROPFIND, REPORT, COPY${canWrite ? ", PUT, DELETE, MOVE" : ""}`;
    case "root":
    case "principals":
    case "principal":
    case "homes":
      return "OPTIONS, GET, HEAD, PROPFIND, REPORT";
    case "home":
      return "OPTIONS, GET, HEAD, PROPFIND, REPORT, PROPPATCH";
    default:
      return unreachable(kind);
  }
}
