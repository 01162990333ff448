/** One change of a zone's offset. */
export interface OffsetChange {
  readonly at: Temporal.Instant;
  /** Local time with the offset before. */
  readonly local: Temporal.PlainDateTime;
  /** Offsets before and after, in seconds. */
  readonly from: number;
  readonly to: number;
}

/** Years in which a time zone followed one rule. */
export interface Era {
  /** One per year, in order. */
  readonly onsets: readonly [OffsetChange, ...OffsetChange[]];
  /** The parts of a yearly RRULE after FREQ. */
  readonly parts: string;
  /** When the rule applies in a year, also before the era; local time as in `OffsetChange`. */
  readonly in: (year: number) => Temporal.PlainDateTime;
  /** True if the rule applies as far as is known. */
  readonly endless: boolean;
}

/** Which period a description of a time zone must cover. */
export interface ZoneCoverage {
  /** Earlier onsets only help to recognize a rule. */
  readonly start: Temporal.Instant;
  /** The last year to cover. */
  readonly toYear: number;
  /** The last year of known onsets. */
  readonly lastYear: number;
}

/** A rule followed less often is written as single changes. */
const leastOnsets = 3;
const weekdays = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"] as const;

/** Sorts the changes of a time zone, in order, into yearly rules and single ones within the period. */
export function erasOf(
  onsets: readonly OffsetChange[],
  reach: ZoneCoverage,
): { readonly eras: readonly Era[]; readonly single: readonly OffsetChange[] } {
  const alike = Map.groupBy(onsets, ({ from, to, local }) => {
    return [from, to, local.month, local.toPlainTime().toString()].join();
  });
  const runs = [...alike.values()].flatMap(splitByRules);
  const isSettled = isWholeYear(reach.lastYear, { onsets, runs, reach });
  const eras = runs
    .flatMap((run) => eraOf(run, { reach, isSettled }))
    .toSorted((a, b) => Temporal.Instant.compare(a.onsets[0].at, b.onsets[0].at));
  const ruled = new Set(eras.flatMap((era) => era.onsets));
  const single = onsets.filter((onset) => isWanted(onset, reach) && !ruled.has(onset));
  return { eras, single };
}

/** Consecutive years that follow one rule. */
interface Run {
  readonly onsets: OffsetChange[];
  days: Days;
}

function splitByRules(onsets: readonly OffsetChange[]): readonly Run[] {
  const runs: Run[] = [];
  for (const onset of onsets) {
    const run = runs.at(-1);
    const follows = run?.onsets.at(-1)?.local.year === onset.local.year - 1;
    const days = follows ? withDay(run.days, onset.local) : null;
    if (run && days) {
      run.onsets.push(onset);
      run.days = days;
    } else runs.push({ onsets: [onset], days: daysFrom(onset.local) });
  }
  return runs;
}

/**
 * True if the rules in force since the requested years make up all changes of the last one. If there is another change, as in
 * zones that change clocks after the last Thursday of a month, which may fall in the next month, the rules lead nowhere.
 */
function isWholeYear(
  year: number,
  about: {
    readonly onsets: readonly OffsetChange[];
    readonly runs: readonly Run[];
    readonly reach: ZoneCoverage;
  },
): boolean {
  const lasting = about.runs
    .filter(({ onsets: [first] }) => first && first.local.year <= about.reach.toYear)
    .flatMap(({ onsets }) => onsets);
  return about.onsets.every((onset) => onset.local.year !== year || lasting.includes(onset));
}

/** The run as an era, if it is one within the period. */
function eraOf(
  { onsets, days }: Run,
  { reach, isSettled }: { readonly reach: ZoneCoverage; readonly isSettled: boolean },
): readonly Era[] {
  const endless = isSettled && onsets.at(-1)?.local.year === reach.lastYear;
  const [first, ...others] = onsets.filter((onset) => isWanted(onset, reach));
  const isRule = endless || (others.length > 0 && onsets.length >= leastOnsets);
  if (!first || !isRule) return [];
  return [
    {
      onsets: [first, ...others],
      parts: `BYMONTH=${first.local.month};${dayParts(days)}`,
      in: (year) => dayOf(days, first.local.with({ year, day: 1 })),
      endless,
    },
  ];
}

const isWanted = ({ at, local }: OffsetChange, { start, toYear }: ZoneCoverage): boolean =>
  Temporal.Instant.compare(at, start) > 0 && local.year <= toYear;

/** Common pattern of days in one month, one per year. null for what differs. */
interface Days {
  readonly weekday: number | null;
  readonly day: number | null;
  readonly isLast: boolean;
  /** 1 to 5. */
  readonly nth: number | null;
  readonly lowest: number;
  readonly highest: number;
}

const daysFrom = (date: Temporal.PlainDateTime): Days => ({
  weekday: date.dayOfWeek,
  day: date.day,
  isLast: date.day + 7 > date.daysInMonth,
  nth: Math.ceil(date.day / 7),
  lowest: date.day,
  highest: date.day,
});

/** null if no rule matches all of the days. */
function withDay(days: Days, date: Temporal.PlainDateTime): Days | null {
  const next = daysFrom(date);
  const common = (a: number | null, b: number | null): number | null => (a === b ? a : null);
  const all: Days = {
    weekday: common(days.weekday, next.weekday),
    day: common(days.day, next.day),
    isLast: days.isLast && next.isLast,
    nth: common(days.nth, next.nth),
    lowest: Math.min(days.lowest, date.day),
    highest: Math.max(days.highest, date.day),
  };
  const isRegular = all.isLast || all.nth !== null || all.highest - all.lowest < 7;
  return all.day !== null || (all.weekday !== null && isRegular) ? all : null;
}

/** The last weekday of the month, the n-th, the first from some day on, or a fixed day. */
function dayParts({ weekday, day, isLast, nth, lowest }: Days): string {
  if (weekday === null) return `BYMONTHDAY=${day}`;
  const name = weekdays[weekday - 1];
  if (isLast) return `BYDAY=-1${name}`;
  if (nth !== null) return `BYDAY=${nth}${name}`;
  const week = Array.from({ length: 7 }, (_, at) => lowest + at);
  return `BYMONTHDAY=${week.join(",")};BYDAY=${name}`;
}

/** The rule's day in the month whose first day is `first`. */
function dayOf(
  { weekday, day, isLast, nth, lowest }: Days,
  first: Temporal.PlainDateTime,
): Temporal.PlainDateTime {
  if (weekday === null) return first.with({ day: day ?? 1 });
  const earliest = isLast ? first.daysInMonth - 6 : nth === null ? lowest : nth * 7 - 6;
  const from = first.with({ day: earliest });
  return from.add({ days: (weekday - from.dayOfWeek + 7) % 7 });
}
