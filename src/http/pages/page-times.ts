/** A time in seconds, for people. */
export function length(seconds: number): string {
  if (seconds < 120) return `${seconds} s`;
  return seconds < 7200 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3600)} h`;
}

/** A moment on the clocks of a zone, for people. */
export function moment(at: Temporal.Instant, zone: string): string {
  const local = at.toZonedDateTimeISO(zone);
  return `${local.toPlainDate().toString()} ${local.toPlainTime().toString({ smallestUnit: "minute" })}`;
}
