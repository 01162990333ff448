/** The time zone data that a runtime computes with: its own version, such as `2026c`, and that of the library that reads it. */
export interface ZoneData {
  /** Null where the runtime does not say. */
  readonly tz: string | null;
  readonly icu: string | null;
}

/** Countries change their clocks at a few weeks' notice; what is a year old has missed some. */
const longestAge = Temporal.Duration.from({ years: 1 });

/** What a runtime says of itself, as `process.versions` does. */
export const zoneDataOf = (versions: Readonly<Record<string, string | undefined>>): ZoneData => ({
  tz: versions["tz"] ?? null,
  icu: versions["icu"] ?? null,
});

/**
 * About when a version of the data came out; null for what is no version. Their names hold the year and, from `a`, its
 * releases, of which there are some six, one every two months.
 * Source: the tz database's NEWS and its theory file (releases).
 */
export function releasedOn(tz: string): Temporal.PlainDate | null {
  const [, year, letter] = /^(\d{4})([a-z])$/.exec(tz) ?? [];
  if (year === undefined || letter === undefined) return null;
  const release = letter.charCodeAt(0) - "a".charCodeAt(0);
  return new Temporal.PlainDate(Number(year), Math.min(12, 1 + 2 * release), 1);
}

/** Whether the data is older than a year on a day, as far as its version tells. */
export function isOldZoneData({ tz }: ZoneData, today: Temporal.PlainDate): boolean {
  const released = tz === null ? null : releasedOn(tz);
  return released !== null && Temporal.PlainDate.compare(released.add(longestAge), today) < 0;
}
