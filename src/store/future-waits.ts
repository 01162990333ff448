import { later } from "../domain/backoff.ts";
import { longestInFlight } from "../domain/edit.ts";
import { instantText } from "./rows/item-rows.ts";
import type { StoreDeps } from "./steady-database.ts";

/** No stored wait is longer. A calendar that is polled less often is polled once more, which does no harm. */
const longestWait = Temporal.Duration.from({ hours: 2 });

/** A request interrupted by the end of the process is awaited as long as its answer would have been. */
const longestTimeout = Temporal.Duration.from({ minutes: 15 });

/** Waits whose end was computed by a clock that was set back since. They would last too long by the difference. */
export function createFutureWaits({ db, clock }: StoreDeps) {
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
    /**
     * Ends all waits that are further ahead than such a wait can be; returns how many. A request that may still be carried out
     * gets the longest such time from now on, as the remaining time is unknown.
     */
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
