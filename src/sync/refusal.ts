import type { Failure } from "../upstream/failure.ts";
import { restAfter } from "./schedule.ts";

/** The service said no to this address, and will say so again; a refused key (401) is another matter. */
export const isDenied = (failure: Failure): boolean =>
  failure.kind === "refused" && failure.status !== 401;

/** A look-up that answers in another shape is one that the service does not have. */
export const isRefusal = (failure: Failure): boolean =>
  isDenied(failure) || failure.kind === "unreadable" || failure.kind === "service-refused";

/**
 * How long a source rests that has failed so many times in a row: what the service has asked for, where that is longer than
 * our own growing rest. A failing service is asked again after `maxAge` whatever it says, as its guess at its own repair may
 * be hours too long; one that is over its limit is obeyed.
 */
export function restOf(
  failure: Failure,
  { failures, maxAge }: { readonly failures: number; readonly maxAge: Temporal.Duration },
): Temporal.Duration {
  const rest = restAfter(failures, maxAge);
  if (failure.kind === "rate-limited") return longer(failure.retryAfter, rest);
  if (failure.kind !== "unavailable" || !failure.retryAfter) return rest;
  const isTooLong = Temporal.Duration.compare(failure.retryAfter, maxAge) > 0;
  return isTooLong ? maxAge : longer(failure.retryAfter, rest);
}

const longer = (a: Temporal.Duration, b: Temporal.Duration): Temporal.Duration =>
  Temporal.Duration.compare(a, b) > 0 ? a : b;
