/** The present day in a zone; asked for at every request, so the zone is asked only once a day. */
export function createCalendarDay(
  zone: string,
  clock: () => Temporal.Instant,
): () => Temporal.PlainDate {
  let day: Temporal.PlainDate | null = null;
  let startsAt = Number.POSITIVE_INFINITY;
  let endsAt = Number.NEGATIVE_INFINITY;
  return () => {
    const now = clock();
    const { epochMilliseconds } = now;
    if (day && epochMilliseconds >= startsAt && epochMilliseconds < endsAt) return day;
    day = now.toZonedDateTimeISO(zone).toPlainDate();
    startsAt = day.toZonedDateTime(zone).epochMilliseconds;
    endsAt = day.add({ days: 1 }).toZonedDateTime(zone).epochMilliseconds;
    return day;
  };
}
