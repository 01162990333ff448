/** One change of a zone's offset. */
export interface OffsetChange {
  readonly at: Temporal.Instant;
  /** Wall clock of the offset before. */
  readonly local: Temporal.PlainDateTime;
  /** Offsets before and after, in seconds. */
  readonly from: number;
  readonly to: number;
}

/** Years in which a zone changed its offset by one rule. */
export interface Era {
  /** One in each year, in order. */
  readonly onsets: readonly [OffsetChange, ...OffsetChange[]];
  /** The parts of a yearly RRULE behind FREQ. */
  readonly parts: string;
  /** When the rule strikes in a year, also in one before the era; wall clock as in `OffsetChange`. */
  readonly in: (year: number) => Temporal.PlainDateTime;
  /** Whether the rule holds as far as is known. */
  readonly endless: boolean;
}

/** How far a description of a zone has to reach. */
export interface ZoneCoverage {
  /** What is older only shows that a rule is one. */
  readonly start: Temporal.Instant;
  /** The last year whose changes are wanted. */
  readonly toYear: number;
  /** The last year of the onsets that are known. */
  readonly lastYear: number;
}

/** A rule that was followed less often is a few single changes. */
const leastOnsets = 3;
const weekdays = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"] as const;

/** Sorts the changes of a zone, in order, into those that follow yearly rules and single ones, all within reach. */
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

/** A run of years, and the rule that all of it follows. */
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
 * Whether rules that hold since the wanted years make up all of the last one. Where another change belongs to it, as in
 * zones whose clocks change after the last Thursday of a month, which may be in the next month, they lead nowhere.
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

/** The run as an era where it is one within reach. */
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

/** How days of one month, one a year, lie. What they do not have in common is null. */
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

/** Null when no rule names all of the days. */
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

/** The last weekday of the month, its n-th, the first from some day on, or a day whatever weekday it is. */
function dayParts({ weekday, day, isLast, nth, lowest }: Days): string {
  if (weekday === null) return `BYMONTHDAY=${day}`;
  const name = weekdays[weekday - 1];
  if (isLast) return `BYDAY=-1${name}`;
  if (nth !== null) return `BYDAY=${nth}${name}`;
  const week = Array.from({ length: 7 }, (_, at) => lowest + at);
  return `BYMONTHDAY=${week.join(",")};BYDAY=${name}`;
}

/** The day of the rule in the month of `first`, its first day. */
function dayOf(
  { weekday, day, isLast, nth, lowest }: Days,
  first: Temporal.PlainDateTime,
): Temporal.PlainDateTime {
  if (weekday === null) return first.with({ day: day ?? 1 });
  const earliest = isLast ? first.daysInMonth - 6 : nth === null ? lowest : nth * 7 - 6;
  const from = first.with({ day: earliest });
  return from.add({ days: (weekday - from.dayOfWeek + 7) % 7 });
}
