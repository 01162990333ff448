/** An instant from the API on the clocks of a zone, to the second; "-" for none. The zone is for the heading to say. */
export function localTime(instant: string | null | undefined, zone: string): string {
  if (!instant) return "-";
  const local = Temporal.Instant.from(instant).toZonedDateTimeISO(zone);
  return local.toPlainDateTime().toString({ smallestUnit: "second" }).replace("T", " ");
}
