import type { Calendar } from "../../calendars/calendar-types.ts";
import { ok, type Result } from "../../domain/result.ts";
import type { PlannedItem } from "../../edits/intake/accept.ts";
import type { ObjectFault } from "../../ics/read/calendar-object.ts";
import type { Store } from "../../store/store.ts";
import type { DavAnswer, DavContext } from "../dav-request.ts";
import { caldavFault, type DavFault, davFault, faultAnswer, plainFault } from "../fault.ts";
import { allowedMethods } from "../methods.ts";
import type { DavTarget } from "../paths.ts";
import { element, hrefElement, namedElement } from "../xml/write-xml.ts";
import { dav } from "../xml/xml-names.ts";

/** Octets that are no calendar object, or none that can be kept. */
export function objectFault({ precondition, line, message }: ObjectFault): DavFault {
  const where = line === null ? "" : `line ${line}: `;
  return caldavFault(precondition, `${where}${message}`);
}

/** What the edit that the octets mean was refused for. Source: RFC 4791 5.3.2.1. */
export function refusalFault({ problems }: Pick<PlannedItem, "problems">): DavFault {
  if (problems.some(({ code }) => code === "gone")) return unseenFault();
  const reason = problems.map(({ message }) => message).join("; ");
  const isSeries = problems.some(({ code }) => code === "recurrence");
  return caldavFault(isSeries ? "max-instances" : "valid-calendar-object-resource", reason);
}

/**
 * The UID is none of a new item, and the person is shown none that has it. Whether such an item is hidden, was deleted or
 * never was is not told: UIDs that are made here count up, and could be tried one after the other.
 */
export function unseenFault(): DavFault {
  const reason =
    "there is no item of this UID for you: it was deleted, or is not yours to see; something new needs another UID";
  return caldavFault("valid-calendar-object-resource", reason);
}

/** The privilege that a person lacks for a resource. Source: RFC 3744 7.1.1. */
export function privilegeFault(
  privilege: "bind" | "unbind" | "write-content",
  about: { readonly href: string; readonly reason: string },
): DavFault {
  const lacking =
    hrefElement(about.href) + element("d:privilege", namedElement(dav(privilege), ""));
  return davFault("need-privileges", about.reason, element("d:resource", lacking));
}

/** The UID is in use here under another name, or this name by another UID. Source: RFC 4791 5.3.2.1. */
export const uidFault = (href: string, reason: string): DavFault =>
  caldavFault("no-uid-conflict", reason, hrefElement(href));

/** Why nothing of the calendar may be changed by the person; null when it may. */
export function readOnlyFault(
  calendar: Calendar,
  about: {
    readonly privilege: "bind" | "unbind" | "write-content";
    readonly href: string;
  },
): DavFault | null {
  if (calendar.access === "write") return null;
  const reason = `you may read the calendar "${calendar.name}", but not change it`;
  return privilegeFault(about.privilege, { href: about.href, reason });
}

/** Why nothing new may be put into the calendar by the person; null when it may. */
export function closedFault(
  calendar: Calendar,
  { paths }: Pick<DavContext, "paths">,
): DavFault | null {
  const href = paths.calendar(calendar);
  const barred = readOnlyFault(calendar, { privilege: "bind", href });
  if (barred || calendar.refusesNew === null) return barred;
  return privilegeFault("bind", { href, reason: calendar.refusesNew });
}

export const missingFault = (): DavFault => plainFault(404, "there is nothing at this address");

/** A method that a resource of this kind does not have. Source: RFC 9110 15.5.6. */
export function methodFault(
  reason: string,
  {
    kind,
    calendar,
    method,
  }: {
    readonly kind: DavTarget["kind"];
    readonly calendar: Calendar | null;
    readonly method: string;
  },
): DavFault {
  const headers = { Allow: allowedMethods(kind, { calendar, but: method }) };
  return { ...plainFault(405, reason), headers };
}

/** Thrown to undo what the steps of a request have stored before one of them was refused; never leaves this file. */
class RefusedStepError extends Error {
  override readonly name = "RefusedStepError";
  readonly fault: DavFault;
  constructor(fault: DavFault) {
    super(fault.reason);
    this.fault = fault;
  }
}

/** Runs the steps of a write as one, safe on the disk when it returns; a refusal leaves nothing of them behind. */
export function atomically(store: Store, steps: () => Result<DavAnswer, DavFault>): DavAnswer {
  try {
    const done = store.durably(() => {
      const result = steps();
      if (!result.ok) throw new RefusedStepError(result.failure);
      return ok(result.value);
    });
    return done.value;
  } catch (error) {
    if (error instanceof RefusedStepError) return faultAnswer(error.fault);
    throw error;
  }
}
