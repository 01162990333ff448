/** What a clock showed at an instant. */
export interface ClockReading {
  readonly instant: Temporal.Instant;
  readonly clock: Temporal.PlainDateTime;
}

/** Possible offsets, as "+05:30", and time zones that have them; empty if none fits. */
export interface LikelyZones {
  readonly offsets: readonly string[];
  readonly zones: readonly string[];
}

const mostZones = 3;
const quarterMs = 15 * 60_000;
const dayMs = 24 * 60 * 60_000;

/** The most populous time zones, listed before others with the same offsets. */
const wellKnown = [
  "UTC",
  "Europe/London",
  "Europe/Berlin",
  "Europe/Athens",
  "Europe/Istanbul",
  "Europe/Moscow",
  "Asia/Dubai",
  "Asia/Karachi",
  "Asia/Kolkata",
  "Asia/Kathmandu",
  "Asia/Dhaka",
  "Asia/Bangkok",
  "Asia/Shanghai",
  "Asia/Tokyo",
  "Australia/Brisbane",
  "Australia/Adelaide",
  "Australia/Sydney",
  "Pacific/Auckland",
  "America/St_Johns",
  "America/Halifax",
  "America/Sao_Paulo",
  "America/New_York",
  "America/Bogota",
  "America/Chicago",
  "America/Mexico_City",
  "America/Denver",
  "America/Phoenix",
  "America/Los_Angeles",
  "America/Anchorage",
  "Pacific/Honolulu",
] as const;

/** Finds time zones whose clocks would have shown the same. Offsets are within a day of UTC and multiples of 15 minutes. */
export function zonesLike(readings: readonly ClockReading[]): LikelyZones {
  const offsetsMs = readings.map(
    ({ instant, clock }) =>
      clock.toZonedDateTime("UTC").epochMilliseconds - instant.epochMilliseconds,
  );
  const isZone = offsetsMs.every((ms) => ms % quarterMs === 0 && Math.abs(ms) < dayMs);
  if (!isZone || readings.length === 0) return { offsets: [], zones: [] };
  const fits = (zone: string): boolean =>
    readings.every(
      ({ instant }, index) =>
        instant.toZonedDateTimeISO(zone).offsetNanoseconds / 1e6 === offsetsMs[index],
    );
  const candidates = new Set<string>([...wellKnown, ...Intl.supportedValuesOf("timeZone")]);
  return {
    offsets: offsetsMs.map(offsetText),
    zones: [...candidates].filter(fits).slice(0, mostZones),
  };
}

/** As "+05:30". */
function offsetText(ms: number): string {
  const minutes = Math.abs(ms) / 60_000;
  const two = (count: number) => String(count).padStart(2, "0");
  return `${ms < 0 ? "-" : "+"}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
}
