import type { Source } from "../domain/source.ts";
import type { PollCandidate } from "./turn-order.ts";

/** A source with what this process knows of it. */
export interface PolledSource extends PollCandidate {
  readonly source: Source;
  /** Consecutive failed polls in this process. */
  readonly failures: number;
  /** Whether it was read in this process, and whether it was read or permanently refused. */
  readonly read: boolean;
  readonly settled: boolean;
  /**
   * Why it counts as read although this process has not read it: an earlier one did recently enough, or pages of all tasks have
   * shown the mirror's contents.
   */
  readonly assumedFresh: "earlier" | "pages" | null;
  /** True if it was ever read into this data directory. */
  readonly everRead: boolean;
  /** When an earlier process started its last attempt, if that read it; otherwise null. */
  readonly readBefore: Temporal.Instant | null;
  /** True if its refusal concerns this source alone: it was refused twice, and others were read in between. */
  readonly refusalConfirmed: boolean;
  /** The turn of the first consecutive refusal, 0 in an earlier process; null if it is not refused. */
  readonly refusedIn: number | null;
  /** The last round in which it was read or refused; null if none. */
  readonly round: number | null;
  /** Turn of the latest attempt that read it, or was permanently refused; 0 = none yet. */
  readonly answered: number;
}

/** A source whose poll is in progress, as it was when the poll started. */
export interface Begun extends PolledSource {
  readonly attemptedAt: Temporal.Instant;
  /** The round in progress at that time. The poll counts for that one only, as data may have changed since. */
  readonly inRound: number | null;
}

/** How a poll ended; `notBefore`: end of the rest that follows, null if none. */
export interface PollOutcome {
  readonly kind: "read" | "refused" | "failed";
  readonly notBefore: Temporal.Instant | null;
}
