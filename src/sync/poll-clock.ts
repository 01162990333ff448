import { credibleLead } from "../domain/clock-lead.ts";

interface PollClockDeps {
  readonly clock: () => Temporal.Instant;
  /** How far this machine's clock is ahead of the service's; null if unknown. */
  readonly clockLead: () => Temporal.Duration | null;
}

/** Moments as seconds for the scheduler. They never decrease, even if the clock is set back. */
export class PollClock {
  readonly #deps: PollClockDeps;
  #last = 0;
  /** How many seconds the clock was set back in all. */
  #setBack = 0;

  constructor(deps: PollClockDeps) {
    this.#deps = deps;
  }

  /** Now. If the clock was set back, everything known would lie ahead, so time continues from the last moment. */
  seconds(): number {
    const seconds = this.#deps.clock().epochMilliseconds / 1000 + this.#setBack;
    this.#setBack += Math.max(0, this.#last - seconds);
    this.#last = Math.max(this.#last, seconds);
    return this.#last;
  }

  /** A moment of this machine's clock; it may lie ahead. */
  secondsAt(at: Temporal.Instant | null): number | null {
    return at && at.epochMilliseconds / 1000 + this.#setBack;
  }

  /** When something was read, never ahead, as a time ahead would break all priorities. */
  secondsOf(at: Temporal.Instant): number {
    const now = this.seconds();
    return Math.min(now, this.secondsAt(at) ?? now);
  }

  /** Add this to seconds of the service's clock. */
  get lead(): number {
    return this.#leadNow() + this.#setBack;
  }

  /** True if a moment of the service's clock is later than `seconds`. */
  isLater(at: Temporal.Instant, seconds: number): boolean {
    return (this.secondsAt(at) ?? 0) + this.#leadNow() > seconds;
  }

  /** How many seconds this machine's clock is ahead of the service's. */
  #leadNow(): number {
    return credibleLead(this.#deps.clockLead()).total("seconds");
  }
}

/**
 * Times of changes in order, in seconds of a clock `lead` ahead of the service's. Unknown or impossible ones are spread over
 * the time in between.
 */
export function timesOf(
  changes: readonly (Temporal.Instant | null)[],
  { from, to, lead }: Readonly<Record<"from" | "to" | "lead", number>>,
): readonly number[] {
  return changes
    .map((change, index) => {
      const at = change && change.epochMilliseconds / 1000 + lead;
      if (at !== null && at > from && at <= to) return at;
      return from + ((to - from) * (index + 0.5)) / changes.length;
    })
    .toSorted((a, b) => a - b);
}
