import { type Era, erasOf, type OffsetChange } from "./zone-eras.ts";

/** One STANDARD or DAYLIGHT block of a VTIMEZONE. Local times use the offset before; offsets are in seconds. */
export interface Observance {
  readonly kind: "STANDARD" | "DAYLIGHT";
  readonly start: Temporal.PlainDateTime;
  readonly from: number;
  readonly to: number;
  /** A yearly RRULE; null if `start` and `more` are all onsets. */
  readonly rule: string | null;
  /** All onsets including `start`, if there are several and no rule. */
  readonly more: readonly Temporal.PlainDateTime[];
}

/** Years before the requested ones, to recognize a rule that ends in them. */
const lookBack = 12;
/** A rule that applies this much longer than requested has no end: weekdays repeat after 28 years. */
const lookAhead = 28;
/** Single changes written after the requested years, because calendars keep time zones. */
const courtesy = 2;
const anchorYear = 1970;
/** From this year on there are only endless rules. */
const settledYear = 2200;

/**
 * The blocks that describe a time zone from the start of `fromYear` to the end of `toYear`, plus one year around. Changes that
 * follow a yearly rule are one block each, ending with the rule; rules in force from the beginning start in 1970, as Outlook
 * requires. Source: RFC 5545 3.6.5.
 */
export function observancesOf(options: {
  readonly zone: string;
  readonly fromYear: number;
  readonly toYear: number;
}): readonly Observance[] {
  const { zone } = options;
  const firstYear = Math.min(Math.max(options.fromYear - 1, 1), settledYear);
  const toYear = Math.min(Math.max(options.toYear, firstYear), settledYear) + courtesy;
  const lastYear = toYear + lookAhead;
  const start = new Temporal.PlainDateTime(firstYear, 1, 1).toZonedDateTime(zone);
  const onsets = onsetsBetween(start.subtract({ years: lookBack }), lastYear);
  const { eras, single } = erasOf(onsets, { start: start.toInstant(), toYear, lastYear });

  const oldest = Math.min(anchorYear, firstYear);
  const isRound = isCycle(eras, single, firstYear);
  const isSteady = eras.length === 0 && single.length === 0;
  return [
    ...(isRound ? [] : [initialObservance(start, isSteady ? oldest : firstYear)]),
    ...groupByOffsets(single).map(singleObservance),
    ...eras.map((era) => {
      const { year } = era.onsets[0].local;
      return eraObservance(era, isRound && year === firstYear ? oldest : year);
    }),
  ];
}

function onsetsBetween(start: Temporal.ZonedDateTime, lastYear: number): readonly OffsetChange[] {
  const onsets: OffsetChange[] = [];
  let time = start;
  for (;;) {
    const next = time.getTimeZoneTransition("next");
    if (!next || next.year > lastYear) return onsets;
    const from = offsetSeconds(next.subtract({ nanoseconds: 1 }));
    const to = offsetSeconds(next);
    const local = next.withTimeZone("UTC").toPlainDateTime().add({ seconds: from });
    // Some transitions only change the name of the time.
    if (from !== to) onsets.push({ at: next.toInstant(), local, from, to });
    time = next;
  }
}

const offsetSeconds = (time: Temporal.ZonedDateTime): number => time.offsetNanoseconds / 1e9;

/** True if rules make up a whole year, so that they lead to its first offset if they also applied before. */
function isCycle(eras: readonly Era[], single: readonly OffsetChange[], year: number): boolean {
  const round = eras.map(({ onsets }) => onsets[0]).filter(({ local }) => local.year === year);
  const first = round.at(0);
  const last = round.at(-1);
  const isWhole = single.every(({ local }) => local.year !== year);
  return isWhole && first !== undefined && first.from === last?.to;
}

function initialObservance(start: Temporal.ZonedDateTime, year: number): Observance {
  const offset = offsetSeconds(start);
  const first = new Temporal.PlainDateTime(year, 1, 1);
  return { kind: "STANDARD", start: first, from: offset, to: offset, rule: null, more: [] };
}

function eraObservance(era: Era, year: number): Observance {
  const [first] = era.onsets;
  const until = era.endless ? "" : `;UNTIL=${untilOf(era.onsets.at(-1) ?? first)}`;
  const rule = `FREQ=YEARLY;${era.parts}${until}`;
  return { ...shape(first), start: era.in(year), rule, more: [] };
}

/**
 * The last onset of a rule, in UTC. East of Greenwich its local time is used, which is some hours later: programs that compare
 * the two without time zones would otherwise lose the onset.
 */
function untilOf({ at, local }: OffsetChange): string {
  const utc = at.toZonedDateTimeISO("UTC").toPlainDateTime();
  const later = Temporal.PlainDateTime.compare(local, utc) > 0 ? local : utc;
  return `${compactTime(later)}Z`;
}

function singleObservance(onsets: readonly [OffsetChange, ...OffsetChange[]]): Observance {
  const [first] = onsets;
  // Thunderbird's ical.js ignores the onset in DTSTART if there are RDATEs, so it is repeated among them.
  const more = onsets.length > 1 ? onsets.map((onset) => onset.local) : [];
  return { ...shape(first), start: first.local, rule: null, more };
}

function shape(onset: OffsetChange): Pick<Observance, "kind" | "from" | "to"> {
  const { from, to } = onset;
  return { kind: to > from ? "DAYLIGHT" : "STANDARD", from, to };
}

function groupByOffsets(
  onsets: readonly OffsetChange[],
): readonly (readonly [OffsetChange, ...OffsetChange[]])[] {
  const groups = new Map<string, [OffsetChange, ...OffsetChange[]]>();
  for (const onset of onsets) {
    const key = `${onset.from}:${onset.to}`;
    const group = groups.get(key);
    if (group) group.push(onset);
    else groups.set(key, [onset]);
  }
  return [...groups.values()];
}

/** A local time as in DTSTART and RDATE. */
export function compactTime(local: Temporal.PlainDateTime): string {
  return local.toString({ smallestUnit: "second" }).replace(/[-:]/g, "");
}
