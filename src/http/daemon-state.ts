import type { Tallies } from "../domain/tallies.ts";
import type { HeldTrouble } from "../domain/trouble.ts";
import type { ChannelStates } from "../edits/channel-states.ts";
import type { PublishedFeeds } from "../feeds/published-feeds.ts";
import type { Store } from "../store/store.ts";
import type { FastPathState } from "../sync/fast-path.ts";
import type { Forecast } from "../sync/forecast.ts";
import type { GateState } from "../upstream/gate.ts";
import type { LoopDelay } from "./loop-delay.ts";

/** The sources of `/api/status`, the status page and `/metrics`. */
export interface DaemonState {
  readonly version: string;
  readonly store: Store;
  readonly feeds: PublishedFeeds;
  /** Counts since the start; absent if nothing is counted. */
  readonly tallies?: Tallies;
  readonly ready: () => boolean;
  /** True once everything that is served was read since the start. */
  readonly fresh: () => boolean;
  readonly forecast: () => Forecast;
  /** State of the account-wide list of tasks. */
  readonly fastPath: () => FastPathState;
  readonly gate: () => GateState;
  /** How far this machine's clock is ahead of the service's; null if unknown. */
  readonly clockLead: () => Temporal.Duration | null;
  readonly channels: () => ChannelStates;
  readonly loopDelay: () => LoopDelay;
  /** Current troubles; absent if they are not watched. */
  readonly troubles?: () => readonly HeldTrouble[];
  /** The copy that `serve --read-only` serves; absent for an own database. */
  readonly copy?: () => CopyState;
  /** The database's path; absent if it is in memory. */
  readonly databaseFile?: string;
  readonly clock: () => Temporal.Instant;
}

/** A copy of another daemon's database. */
export interface CopyState {
  /** Age of its newest data; null if the other daemon has read nothing yet. */
  readonly ageSeconds: number | null;
  readonly readAt: Temporal.Instant | null;
  /** When its file was written. */
  readonly fileAt: Temporal.Instant;
  /** Since when this state is served. */
  readonly takenAt: Temporal.Instant;
  readonly revision: number;
  /** Why the present file is not served; null if it is served. */
  readonly problem: string | null;
  /** How edits of each channel are accepted. */
  readonly primary: string | null;
}
