import { later } from "../domain/backoff.ts";
import { longestInFlight } from "../domain/edit.ts";
import { instantText } from "./rows/item-rows.ts";
import type { StoreDeps } from "./steady-database.ts";

/** Waits whose end was written by a clock that has been set back since: they would last for as long as it was ahead. */
export interface FutureWaits {
  /**
   * Ends every wait that lies further ahead than such a wait is ever long; returns how many. A request that may still be carried
   * out is given the longest time for that from now on, as nobody knows how much of it is left.
   */
  end(): number;
}

/** No wait that is kept is longer; a calendar that is read more seldom is read once more for it, which does no harm. */
const longestWait = Temporal.Duration.from({ hours: 2 });

/** A request that an end of the process has cut short is waited for as long as its answer would have been. */
const longestTimeout = Temporal.Duration.from({ minutes: 15 });

export function createFutureWaits({ db, clock }: StoreDeps): FutureWaits {
  const rests = [
    "UPDATE edits SET not_before = NULL WHERE state = 'pending' AND not_before > @farthest",
    "UPDATE edit_extras SET not_before = NULL WHERE state = 'pending' AND not_before > @farthest",
    "UPDATE subscriptions SET next_at = NULL WHERE next_at > @farthest",
  ].map((sql) => db.prepare(sql));
  const flights = [
    "UPDATE attempts SET lands_until = @landed WHERE lands_until > @most",
    "UPDATE attempts SET next_look = @landed WHERE next_look > @most",
  ].map((sql) => db.prepare(sql));
  return {
    end: db.transaction((): number => {
      const now = clock();
      const farthest = instantText(later(now, longestWait));
      const most = instantText(later(now, longestTimeout));
      const landed = instantText(later(now, longestInFlight));
      const ended = [
        ...rests.map((statement) => statement.run({ farthest }).changes),
        ...flights.map((statement) => statement.run({ landed, most }).changes),
      ];
      return ended.reduce((sum, count) => sum + count, 0);
    }),
  };
}
