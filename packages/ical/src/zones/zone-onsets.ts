import type { RuleZone } from "../time-values.ts";

/** When an offset takes effect. Offsets are in seconds. */
export interface Onset {
  /** Seconds since 1970. */
  readonly at: number;
  readonly from: number;
  readonly to: number;
}

/** A STANDARD or DAYLIGHT of a VTIMEZONE: single onsets in any order, and a rule for more. */
export interface DefinedObservance {
  readonly from: number;
  readonly to: number;
  readonly single: readonly Onset[];
  /** The onsets of the rule between two local times, both in UTC by name only; null if there are too many. */
  readonly rule: ((from: number, to: number) => readonly Onset[] | null) | null;
  /** The last onset of the rule before a local time; null if there is none. */
  readonly last: ((before: number) => Onset | null) | null;
}

const day = 86_400;
/** Rules are expanded for this long at a time: an object mostly stays within it. */
const spanSeconds = 10 * 366 * day;

/** The time zone in which each onset sets its offset until the next one. Rules are expanded on demand and cached. */
export function spreadOnsets(observances: readonly DefinedObservance[]): RuleZone {
  const single = observances.flatMap((observance) => observance.single).toSorted(byTime);
  const known = new Map<number, readonly Onset[]>();
  let isFollowable = true;

  /** All onsets that matter for a period, in order; null if a rule cannot be expanded. */
  function onsetsAround(seconds: number): readonly Onset[] | null {
    const span = Math.floor(seconds / spanSeconds);
    const found = known.get(span);
    if (found || !isFollowable) return found ?? null;
    const onsets = collect(span * spanSeconds);
    if (onsets) known.set(span, onsets);
    else isFollowable = false;
    return onsets;
  }

  function collect(start: number): readonly Onset[] | null {
    const onsets = [...single];
    for (const { rule, last } of observances) {
      if (!rule) continue;
      const before = start - 3 * day;
      const within = rule(before, start + spanSeconds + 3 * day);
      if (within === null) return null;
      const earlier = last?.(before) ?? null;
      onsets.push(...(earlier ? [earlier] : []), ...within);
    }
    return onsets.toSorted(byTime);
  }

  function offsetAt(seconds: number): number | null {
    const onsets = onsetsAround(seconds);
    const [first] = onsets ?? [];
    if (!onsets || !first) return null;
    const at = onsets.findLastIndex((onset) => onset.at <= seconds);
    const onset = onsets[at];
    if (!onset) return first.from;
    // Two different onsets at one local time are ambiguous.
    const rival = onsets[at - 1];
    return rival && wallOf(rival) === wallOf(onset) && rival.to !== onset.to ? null : onset.to;
  }

  function offsetsNear(wall: number): ReadonlySet<number> | null {
    const onsets = onsetsAround(wall);
    if (!onsets) return null;
    const near = onsets.filter(({ at }) => Math.abs(at - wall) <= 2 * day);
    const before = offsetAt(wall - 2 * day);
    if (before === null) return null;
    return new Set([before, ...near.flatMap(({ from, to }) => [from, to])]);
  }

  return {
    settle(clock, pass = "first") {
      const wall = clock.toZonedDateTime("UTC").epochMilliseconds / 1000;
      const offsets = offsetsNear(wall);
      if (!offsets) return null;
      const [only] = offsets;
      if (only !== undefined && offsets.size === 1) return zoned(wall - only, only);
      const real = [...offsets]
        .filter((offset) => offsetAt(wall - offset) === offset)
        .toSorted((a, b) => b - a);
      const offset = pass === "first" ? real[0] : real.at(-1);
      return offset === undefined ? afterGap(wall) : zoned(wall - offset, offset);
    },
  };

  /** A local time in a gap counts from the offset before it. Source: RFC 5545 3.3.5. */
  function afterGap(wall: number): Temporal.ZonedDateTime | null {
    const gap = onsetsAround(wall)?.find(
      ({ at, from, to }) => wall - from >= at && wall - to < at && from < to,
    );
    return gap ? zoned(wall - gap.from, gap.to) : null;
  }
}

const wallOf = ({ at, from }: Onset): number => at + from;

const byTime = (a: Onset, b: Onset): number => a.at - b.at;

/** In its offset; in UTC if the offset has seconds, which the runtime cannot represent. */
function zoned(seconds: number, offset: number): Temporal.ZonedDateTime {
  const instant = Temporal.Instant.fromEpochMilliseconds(seconds * 1000);
  if (offset % 60 !== 0) return instant.toZonedDateTimeISO("UTC");
  const length = Math.abs(offset) / 60;
  const digits = [Math.floor(length / 60), length % 60].map((n) => String(n).padStart(2, "0"));
  return instant.toZonedDateTimeISO(`${offset < 0 ? "-" : "+"}${digits.join(":")}`);
}
