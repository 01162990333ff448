import { fail, ok, type Result } from "../../domain/result.ts";
import { excerpt, type IcsProblem } from "../ics-problem.ts";
import { type Component, readTokens } from "../lines/tokens.ts";
import type { IncomingCalendar, IncomingItem } from "./incoming.ts";
import { itemLimits, readComponents } from "./read-calendar.ts";
import { firstLine } from "./reading.ts";

/** A calendar object as CalDAV knows it: one calendar with one item. */
export interface CalendarObjectText {
  readonly component: "VEVENT" | "VTODO";
  readonly uid: string;
  /** With exactly this item, which has no problems. */
  readonly incoming: IncomingCalendar;
  /** The component alone, unfolded lines from BEGIN to END. */
  readonly raw: readonly string[];
}

/** The precondition of CALDAV: that a calendar object fails. Source: RFC 4791 5.3.2.1. */
export type ObjectPrecondition =
  | "supported-calendar-data"
  | "valid-calendar-data"
  | "valid-calendar-object-resource"
  | "supported-calendar-component"
  | "max-resource-size"
  | "max-instances";

/** Why octets are no calendar object. */
export interface ObjectFault {
  readonly precondition: ObjectPrecondition;
  /** 1-based; null where the fault has no place. */
  readonly line: number | null;
  /** For people. */
  readonly message: string;
}

/**
 * Reads the octets of a calendar object. `zone` is the account's IANA zone, in which floating times stand.
 * Fails for whatever is no iCalendar data, for data that may not be an object (a METHOD, several items or none), and for
 * what the service cannot hold at all: other components than events and to-dos, and items that repeat.
 * Source: RFC 4791 4.1, 5.3.2.1; RFC 5545 3.6.
 */
export function readCalendarObject(
  bytes: Uint8Array,
  options: { readonly zone: string },
): Result<CalendarObjectText, ObjectFault> {
  const tree = readTokens(bytes, itemLimits);
  if (!tree.ok) return fail(faultOf(tree.failure));
  const calendar = tree.value;
  const shape = shapeFault(calendar);
  if (shape) return fail(shape);

  const incoming = readComponents(calendar, options);
  if (!incoming.ok) return fail(faultOf(incoming.failure));
  const [item, ...others] = incoming.value.items;
  if (!item || others.length > 0) throw new Error("a calendar of one item was read as another");
  const fault = itemFault(item, calendar);
  if (fault) return fail(fault);
  return ok({
    component: item.component,
    uid: item.uid,
    incoming: incoming.value,
    raw: item.raw,
  });
}

const preconditions: ReadonlyMap<string, ObjectPrecondition> = new Map([
  ["too-large", "max-resource-size"],
  ["version", "supported-calendar-data"],
  ["calendar-scale", "supported-calendar-data"],
  ["two-calendars", "valid-calendar-object-resource"],
  ["too-many-components", "valid-calendar-object-resource"],
  ["too-many-lines", "valid-calendar-object-resource"],
  ["too-many-zones", "valid-calendar-object-resource"],
  ["method", "valid-calendar-object-resource"],
  ["duplicate-uid", "valid-calendar-object-resource"],
  ["missing-uid", "valid-calendar-object-resource"],
  ["bad-uid", "valid-calendar-object-resource"],
  ["recurrence", "max-instances"],
]);

/** The first problem counts: the answer names one precondition. */
function faultOf(problems: readonly IcsProblem[]): ObjectFault {
  const [problem] = problems;
  if (!problem) throw new Error("a refusal names no problem");
  const { line, code, message } = problem;
  return { precondition: preconditions.get(code) ?? "valid-calendar-data", line, message };
}

/** Parts of a calendar that are no item. */
const isItem = (component: Component): boolean => component.name !== "VTIMEZONE";

function shapeFault(calendar: Component): ObjectFault | null {
  const method = firstLine(calendar, "METHOD");
  if (method) {
    const message = `METHOD ${excerpt(method.value)}: a stored object has none, as it is no message`;
    return resourceFault(method.line, message);
  }
  const items = calendar.components.filter(isItem);
  const [first] = items;
  if (!first) return resourceFault(calendar.line, "the calendar holds no event and no to-do");
  const stranger = items.find((item) => item.name !== first.name);
  if (stranger) {
    const message = `a ${first.name} and a ${stranger.name} cannot stand in one object`;
    return resourceFault(stranger.line, message);
  }
  if (first.name !== "VEVENT" && first.name !== "VTODO") {
    const message = `the service has nothing for a ${first.name}: it keeps events and to-dos`;
    return { precondition: "supported-calendar-component", line: first.line, message };
  }
  return items.length === 1 ? null : severalFault(items);
}

/** Several components are one item that repeats, or several items. */
function severalFault(items: readonly Component[]): ObjectFault {
  const uids = items.map((item) => firstLine(item, "UID")?.value ?? "");
  const other = items.find((_item, at) => uids[at] !== uids[0]);
  if (other) return resourceFault(other.line, "an object holds one item, not several UIDs");
  const override = items.find((item) => firstLine(item, "RECURRENCE-ID"));
  if (!override) {
    const message = `the UID ${excerpt(uids[0] ?? "")} stands in several components`;
    return resourceFault(items.at(1)?.line ?? null, message);
  }
  const message = "RECURRENCE-ID: the service has no repeating items";
  return { precondition: "max-instances", line: override.line, message };
}

function itemFault(item: IncomingItem, calendar: Component): ObjectFault | null {
  // An item that repeats is refused as one, whatever else is wrong with it.
  const repeat = item.problems.filter(({ code }) => code === "recurrence");
  if (item.problems.length > 0) return faultOf([...repeat, ...item.problems]);
  if (item.component === "VTODO" || item.when) return null;
  const line = calendar.components.find(isItem)?.line ?? null;
  return { precondition: "valid-calendar-data", line, message: "the VEVENT has no DTSTART" };
}

function resourceFault(line: number | null, message: string): ObjectFault {
  return { precondition: "valid-calendar-object-resource", line, message };
}
