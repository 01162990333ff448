/** A request that nobody hears of any more is taken to be carried out within this time, or never. */
const shortest = Temporal.Duration.from({ seconds: 10 });
const longest = Temporal.Duration.from({ minutes: 3 });
/** A service that was too slow once is given so many times the time that was waited for its answer. */
const patience = 4;

/** Until when a request may still be carried out that leaves now, should this process end before it is answered. */
export const landsAfterCrash = (now: Temporal.Instant): Temporal.Instant => now.add(shortest);

/**
 * Until when a request may still be carried out that was given up now, after so long without an answer: four times as long
 * since it left, ten seconds at least and three minutes at most.
 */
export function landsUntil(now: Temporal.Instant, waited: Temporal.Duration): Temporal.Instant {
  const waitedMs = waited.total("milliseconds");
  const [least, most] = [shortest.total("milliseconds"), longest.total("milliseconds")];
  const span = Math.max(least, Math.min(patience * waitedMs, most), waitedMs);
  return now.add({ milliseconds: Math.round(span - waitedMs) });
}
