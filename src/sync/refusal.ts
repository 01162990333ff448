import type { Failure } from "../upstream/failure.ts";

/** The service said no to this address, and will say so again; a refused key (401) is another matter. */
export const isDenied = (failure: Failure): boolean =>
  failure.kind === "refused" && failure.status !== 401;

/** A look-up that answers in another shape is one that the service does not have. */
export const isRefusal = (failure: Failure): boolean =>
  isDenied(failure) || failure.kind === "unreadable" || failure.kind === "service-refused";

/** How long a failing source rests: what the service has asked for, where that is longer than our own `rest`. */
export function askedRest(failure: Failure, rest: Temporal.Duration): Temporal.Duration {
  const isBusy = failure.kind === "unavailable" || failure.kind === "rate-limited";
  const asked = isBusy ? failure.retryAfter : null;
  return asked && Temporal.Duration.compare(asked, rest) > 0 ? asked : rest;
}
