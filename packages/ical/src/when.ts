/**
 * When an event takes place. `dates`: whole days, `end` exclusive as in DTEND. `times`: `end` is null where the
 * service names none (or one equal to the start); a calendar then shows `defaultLength`, which is never written back.
 */
export type When =
  | { readonly kind: "dates"; readonly start: Temporal.PlainDate; readonly end: Temporal.PlainDate }
  | {
      readonly kind: "times";
      readonly start: Temporal.ZonedDateTime;
      readonly end: Temporal.ZonedDateTime | null;
    };

/** What calendars show for a timed event without an end. */
export const defaultLength: Temporal.Duration = Temporal.Duration.from({ minutes: 30 });

/** One whole day. */
export const wholeDay = (day: Temporal.PlainDate): When => ({
  kind: "dates",
  start: day,
  end: day.add({ days: 1 }),
});

/** The same moments in another zone; dates stay as they are. */
export function inZone(when: When, zone: string): When {
  if (when.kind === "dates") return when;
  return {
    kind: "times",
    start: when.start.withTimeZone(zone),
    end: when.end?.withTimeZone(zone) ?? null,
  };
}

/** First instant: midnight of the first day in `zone` for dates. */
export function startsAt(when: When, zone: string): Temporal.Instant {
  if (when.kind === "times") return when.start.toInstant();
  return when.start.toZonedDateTime(zone).toInstant();
}

/** End as calendars show it: exclusive midnight in `zone` for dates, start plus `defaultLength` where none is known. */
export function endsAt(when: When, zone: string): Temporal.Instant {
  if (when.kind === "dates") return when.end.toZonedDateTime(zone).toInstant();
  return (when.end ?? when.start.add(defaultLength)).toInstant();
}

/** Whole minutes of a length, rounded, as the service counts them. A day has 24 hours here, and a month 31 days. */
export function wholeMinutes(length: Temporal.Duration): number {
  // Weeks and longer are refused without a day to count from.
  const relativeTo = new Temporal.PlainDate(2026, 1, 1);
  return Math.round(length.total({ unit: "minutes", relativeTo }));
}

/**
 * The longest time before a start at which anybody is reminded. What programs write beyond is an absolute time of another
 * century, and a moment that lies before the first year stops many a reader.
 */
export const longestLead: Temporal.Duration = Temporal.Duration.from({ days: 366 });

/** Whether a time before the start is short enough for a reminder. */
export const isLead = (lead: Temporal.Duration): boolean =>
  wholeMinutes(lead) <= wholeMinutes(longestLead);

/** A wall clock in a zone, DST gaps and overlaps settled as RFC 5545 3.3.5 does. */
export function wallClock(plain: Temporal.PlainDateTime, zone: string): Temporal.ZonedDateTime {
  return plain.toZonedDateTime(zone, { disambiguation: "compatible" });
}

/** Whether clocks show this time twice that night, as they go back. */
export function isReadTwice(time: Temporal.ZonedDateTime): boolean {
  const clock = time.toPlainDateTime();
  const [first, second] = (["earlier", "later"] as const).map((disambiguation) =>
    clock.toZonedDateTime(time.timeZoneId, { disambiguation }),
  );
  return first?.epochMilliseconds !== second?.epochMilliseconds;
}

/** Whether `zone` is an IANA name that this runtime knows; bare offsets are none. */
export function isZone(zone: string): boolean {
  if (!/^[A-Za-z][A-Za-z0-9_+\-/]*$/.test(zone)) return false;
  try {
    Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(zone);
    return true;
  } catch {
    return false;
  }
}
