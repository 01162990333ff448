/**
 * Start and end of an event. `dates`: whole days, `end` exclusive as in DTEND. `times`: `end` is null if the service has none
 * (or one equal to the start); calendars then show `defaultLength`, which is never written back.
 */
export type When =
  | { readonly kind: "dates"; readonly start: Temporal.PlainDate; readonly end: Temporal.PlainDate }
  | {
      readonly kind: "times";
      readonly start: Temporal.ZonedDateTime;
      readonly end: Temporal.ZonedDateTime | null;
    };

/** Duration that calendars show for a timed event without an end. */
export const defaultLength: Temporal.Duration = Temporal.Duration.from({ minutes: 30 });

/** One whole day. */
export const wholeDay = (day: Temporal.PlainDate): When => ({
  kind: "dates",
  start: day,
  end: day.add({ days: 1 }),
});

/** The same instants in another time zone; dates stay as they are. */
export function inZone(when: When, zone: string): When {
  if (when.kind === "dates") return when;
  return {
    kind: "times",
    start: when.start.withTimeZone(zone),
    end: when.end?.withTimeZone(zone) ?? null,
  };
}

/** First instant: for dates midnight of the first day in `zone`. */
export function startsAt(when: When, zone: string): Temporal.Instant {
  if (when.kind === "times") return when.start.toInstant();
  return when.start.toZonedDateTime(zone).toInstant();
}

/** End as calendars show it: for dates the exclusive midnight in `zone`, and start plus `defaultLength` if unknown. */
export function endsAt(when: When, zone: string): Temporal.Instant {
  if (when.kind === "dates") return when.end.toZonedDateTime(zone).toInstant();
  return (when.end ?? when.start.add(defaultLength)).toInstant();
}

/** Whole minutes of a duration, rounded, as the service counts them. A day is 24 hours here, and a month 31 days. */
export function wholeMinutes(length: Temporal.Duration): number {
  // Weeks and longer units need a day to count from.
  const relativeTo = new Temporal.PlainDate(2026, 1, 1);
  return Math.round(length.total({ unit: "minutes", relativeTo }));
}

/**
 * Limit of the time before a start for a reminder. Longer ones are absolute times of another century, and an instant before
 * year 1 crashes many parsers.
 */
export const longestLead: Temporal.Duration = Temporal.Duration.from({ days: 366 });

/** True if a time before the start is short enough for a reminder. */
export const isLead = (lead: Temporal.Duration): boolean =>
  wholeMinutes(lead) <= wholeMinutes(longestLead);

/** A local time in a time zone, with DST gaps and overlaps resolved per RFC 5545 3.3.5. */
export function wallClock(plain: Temporal.PlainDateTime, zone: string): Temporal.ZonedDateTime {
  return plain.toZonedDateTime(zone, { disambiguation: "compatible" });
}

/** True if clocks show this time twice because they go back. */
export function isReadTwice(time: Temporal.ZonedDateTime): boolean {
  const clock = time.toPlainDateTime();
  const [first, second] = (["earlier", "later"] as const).map((disambiguation) =>
    clock.toZonedDateTime(time.timeZoneId, { disambiguation }),
  );
  return first?.epochMilliseconds !== second?.epochMilliseconds;
}

/** True if `zone` is a known IANA name; bare offsets are not. */
export function isZone(zone: string): boolean {
  if (!/^[A-Za-z][A-Za-z0-9_+\-/]*$/.test(zone)) return false;
  try {
    Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(zone);
    return true;
  } catch {
    return false;
  }
}
