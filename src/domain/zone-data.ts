/** Versions of the runtime's time zone data, such as `2026c`, and of the library that reads it. */
export interface ZoneData {
  /** Null if the runtime does not say. */
  readonly tz: string | null;
  readonly icu: string | null;
}

/** Countries change their clocks at a few weeks' notice, so older data has missed some changes. */
const longestAge = Temporal.Duration.from({ years: 1 });

/** The versions reported by `process.versions`. */
export const zoneDataOf = (versions: Readonly<Record<string, string | undefined>>): ZoneData => ({
  tz: versions["tz"] ?? null,
  icu: versions["icu"] ?? null,
});

/**
 * Approximate release date of a version; null if it is none. A name has the year and a letter from `a`; there are about
 * six releases a year. Source: the tz database's NEWS and its theory file (releases).
 */
export function releasedOn(tz: string): Temporal.PlainDate | null {
  const [, year, letter] = /^(\d{4})([a-z])$/.exec(tz) ?? [];
  if (year === undefined || letter === undefined) return null;
  const release = letter.charCodeAt(0) - "a".charCodeAt(0);
  return new Temporal.PlainDate(Number(year), Math.min(12, 1 + 2 * release), 1);
}

/** True if the data is more than a year old on a day, judging by its version. */
export function isOldZoneData({ tz }: ZoneData, today: Temporal.PlainDate): boolean {
  const released = tz === null ? null : releasedOn(tz);
  return released !== null && Temporal.PlainDate.compare(released.add(longestAge), today) < 0;
}
