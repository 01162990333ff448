/**
 * Says instants in UTC (`…Z`) as `YYYY-MM-DD HH:MM` in a zone. Reports say tens of thousands of them, so the zone is
 * asked once for each span between two of its clock changes.
 */
export function localTimes(zone: string): (instant: string) => string {
  const spans: Span[] = [];
  const spanOf = (time: number): Span => {
    const known = spans.find(({ from, to }) => from <= time && time < to);
    if (known) return known;
    const span = spanAt(time, zone);
    spans.push(span);
    return span;
  };
  return (instant) => {
    const time = Date.parse(instant);
    const local = Temporal.Instant.fromEpochMilliseconds(time + spanOf(time).offset).toString();
    return `${local.slice(0, 10)} ${local.slice(11, 16)}`;
  };
}

/** Milliseconds since 1970 from which and up to which a zone has an offset from UTC, which is in milliseconds too. */
interface Span {
  readonly from: number;
  readonly to: number;
  readonly offset: number;
}

function spanAt(time: number, zone: string): Span {
  const local = Temporal.Instant.fromEpochMilliseconds(time).toZonedDateTimeISO(zone);
  // The change before a moment may not be that moment itself.
  const began = local.add({ milliseconds: 1 }).getTimeZoneTransition("previous");
  return {
    from: began?.epochMilliseconds ?? -Infinity,
    to: local.getTimeZoneTransition("next")?.epochMilliseconds ?? Infinity,
    offset: local.offsetNanoseconds / 1e6,
  };
}
