/** A request that nobody hears of any more is taken to be carried out within this time, or never. */
const shortest = Temporal.Duration.from({ seconds: 10 });
export const longestLanding = Temporal.Duration.from({ minutes: 3 });
/** A service that was too slow once is given so many times the time that was waited for its answer. */
const patience = 4;
/** In which parts of the time in which a request may still be carried out its item is read again; the end comes by itself. */
const looks = [0.25, 0.5];

/**
 * Until when a request may still be carried out that had left when this process ended: as long as its answer would have
 * been waited for, ten seconds at least.
 */
export const inFlightAfterCrash = (
  now: Temporal.Instant,
  timeout: Temporal.Duration = shortest,
): Temporal.Instant =>
  now.add(Temporal.Duration.compare(timeout, shortest) > 0 ? timeout : shortest);

/**
 * Until when a request may still be carried out that was given up now, after so long without an answer: four times as long
 * since it left, ten seconds at least and three minutes at most.
 */
export function inFlightUntil(now: Temporal.Instant, waited: Temporal.Duration): Temporal.Instant {
  const waitedMs = waited.total("milliseconds");
  const [least, most] = [shortest.total("milliseconds"), longestLanding.total("milliseconds")];
  const span = Math.max(least, Math.min(patience * waitedMs, most), waitedMs);
  return now.add({ milliseconds: Math.round(span - waitedMs) });
}

/** When an item is read next for a request that was given up at `lostAt`; at the end of its time at the latest. */
export function nextLook(
  now: Temporal.Instant,
  { lostAt, until }: { readonly lostAt: Temporal.Instant; readonly until: Temporal.Instant },
): Temporal.Instant {
  const spanMs = lostAt.until(until).total("milliseconds");
  const points = looks.map((part) => lostAt.add({ milliseconds: Math.round(spanMs * part) }));
  return points.find((point) => Temporal.Instant.compare(point, now) > 0) ?? until;
}
