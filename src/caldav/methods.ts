import type { Calendar } from "../calendars/calendar-types.ts";
import { unreachable } from "../domain/result.ts";
import type { DavTarget } from "./dav-request.ts";

/** Value of the `DAV` header: no locks (2), no scheduling. Source: RFC 4918 18, RFC 4791 5.1, RFC 3744 7.2. */
export const davClasses = "1, 3, access-control, calendar-access";

/**
 * Methods that work on a kind of resource, as `Allow` names them. A calendar allows besides what its members allow: there
 * are programs that take it for read-only where its own address does not offer PUT and DELETE. `calendar`: the one that
 * the address is of or in, when it is known; without it what an unknown person could do at most. `but`: a method that was
 * just refused.
 */
export function allowedMethods(
  kind: DavTarget["kind"],
  { calendar, but = "" }: { readonly calendar: Calendar | null; readonly but?: string },
): string {
  const methods = methodsOf(kind, calendar?.access !== "read");
  return methods.filter((method) => method !== but).join(", ");
}

const reading = ["OPTIONS", "GET", "HEAD", "PROPFIND", "REPORT"] as const;
const changing = ["COPY", "PUT", "DELETE", "MOVE"] as const;

function methodsOf(kind: DavTarget["kind"], canWrite: boolean): readonly string[] {
  switch (kind) {
    case "profile":
      return ["OPTIONS", "GET", "HEAD"];
    case "calendar":
      return canWrite ? [...reading, "PROPPATCH", ...changing] : reading;
    case "object":
      return canWrite ? [...reading, ...changing] : [...reading, "COPY"];
    case "root":
    case "principals":
    case "principal":
    case "homes":
      return reading;
    case "home":
      return [...reading, "PROPPATCH"];
    default:
      return unreachable(kind);
  }
}
