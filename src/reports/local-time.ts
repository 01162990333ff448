/**
 * Says instants in UTC (`…Z`) as `YYYY-MM-DD HH:MM` in a zone. Reports say tens of thousands of them, mostly of the same
 * minutes, so each minute is worked out once.
 */
export function localTimes(zone: string): (instant: string) => string {
  const known = new Map<string, string>();
  return (instant) => {
    const minute = instant.slice(0, "2026-11-30T12:00".length);
    const said = known.get(minute) ?? localTime(instant, zone);
    known.set(minute, said);
    return said;
  };
}

function localTime(instant: string, zone: string): string {
  const local = Temporal.Instant.from(instant).toZonedDateTimeISO(zone).toPlainDateTime();
  return local.toString({ smallestUnit: "minute" }).replace("T", " ");
}
