import { type Era, erasOf, type OffsetChange } from "./zone-eras.ts";

/** One STANDARD or DAYLIGHT block of a VTIMEZONE. Local times are wall clock of the offset before; offsets are seconds. */
export interface Observance {
  readonly kind: "STANDARD" | "DAYLIGHT";
  readonly start: Temporal.PlainDateTime;
  readonly from: number;
  readonly to: number;
  /** A yearly RRULE; null when `start` and `more` are all onsets. */
  readonly rule: string | null;
  /** All onsets, `start` included, where there are several and no rule. */
  readonly more: readonly Temporal.PlainDateTime[];
}

/** A rule that ends in the asked years is recognised by what it did in the years before. */
const lookBack = 12;
/** A rule that holds for so much longer than the asked years has no end: after 28 years weekdays are on the same days. */
const lookAhead = 28;
/** Single changes after the requested years, written anyway because calendars keep zones. */
const courtesy = 2;
const anchorYear = 1970;
/** What no table of single changes reaches: from then on there are rules without end, or nothing. */
const settledYear = 2200;

/**
 * The blocks that describe a zone from the start of `fromYear` to the end of `toYear`, and one year around. Changes that
 * follow a yearly rule are one block each, which ends where the rule did; rules that hold from the beginning on start in
 * 1970, as Outlook needs it.
 * Source: RFC 5545 3.6.5.
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
  const isRound = isCycle(eras, { single, year: firstYear });
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
    // Some transitions change the name of the time only.
    if (from !== to) onsets.push({ at: next.toInstant(), local, from, to });
    time = next;
  }
}

const offsetSeconds = (time: Temporal.ZonedDateTime): number => time.offsetNanoseconds / 1e9;

/** Whether rules make up the whole of a year, so that they lead to its first offset when they hold before it too. */
function isCycle(
  eras: readonly Era[],
  { single, year }: { readonly single: readonly OffsetChange[]; readonly year: number },
): boolean {
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
 * The last onset of a rule, in UTC. East of Greenwich its wall clock stands for it, which is some hours later: programs
 * that compare the two as if there were no zone would lose the onset otherwise.
 */
function untilOf({ at, local }: OffsetChange): string {
  const utc = at.toZonedDateTimeISO("UTC").toPlainDateTime();
  const later = Temporal.PlainDateTime.compare(local, utc) > 0 ? local : utc;
  return `${compactTime(later)}Z`;
}

function singleObservance(onsets: readonly [OffsetChange, ...OffsetChange[]]): Observance {
  const [first] = onsets;
  // Thunderbird's ical.js leaves the onset of DTSTART out where there are RDATEs, so it is named among them again.
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

/** A wall clock as DTSTART and RDATE write it. */
export function compactTime(local: Temporal.PlainDateTime): string {
  return local.toString({ smallestUnit: "second" }).replace(/[-:]/g, "");
}
