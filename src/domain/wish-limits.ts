import type { Patch } from "./patch.ts";
import { dayFault, holdFault, wholeMinutes } from "./when.ts";

/** Something that is wished and that the service cannot hold. */
export interface WishFault {
  readonly kind: "repeated-hour" | "years" | "reminder";
  readonly message: string;
}

/**
 * The longest time before a start at which anybody is reminded. What programs write beyond is an absolute time of another
 * century, and a moment that lies before the first year stops many a reader.
 */
export const longestLead: Temporal.Duration = Temporal.Duration.from({ days: 366 });

/** Whether a time before the start is short enough for a reminder. */
export const isLead = (lead: Temporal.Duration): boolean =>
  wholeMinutes(lead) <= wholeMinutes(longestLead);

/** What of a wish the service cannot hold, as its answer would say something else or none could be given. */
export function wishFaults(patch: Patch, zone: string): readonly WishFault[] {
  const { when, startOn, dueOn, reminder } = patch;
  const days = [startOn, dueOn].map((day) => (day ? dayFault(day) : null));
  const faults = [when ? holdFault(when, zone) : null, ...days].filter((fault) => fault !== null);
  if (!reminder || isLead(reminder)) return faults;
  const message = `a reminder ${wholeMinutes(reminder)} minutes before the start is longer than ${longestLead.days} days`;
  return [...faults, { kind: "reminder", message }];
}
