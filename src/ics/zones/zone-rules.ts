/** One STANDARD or DAYLIGHT block of a VTIMEZONE. Local times are wall clock of the offset before; offsets are seconds. */
export interface Observance {
  readonly kind: "STANDARD" | "DAYLIGHT";
  readonly start: Temporal.PlainDateTime;
  readonly from: number;
  readonly to: number;
  /** A yearly RRULE without end; null when `start` and `more` are all onsets. */
  readonly rule: string | null;
  /** All onsets, `start` included, where there are several and no rule. */
  readonly more: readonly Temporal.PlainDateTime[];
}

interface Onset {
  readonly local: Temporal.PlainDateTime;
  readonly from: number;
  readonly to: number;
}

interface YearlyRule {
  readonly onsets: readonly [Onset, ...Onset[]];
  /** The parts behind FREQ=YEARLY. */
  readonly parts: string;
  readonly falls: (date: Temporal.PlainDate) => boolean;
}

/** A rule is trusted when it holds for this many years beyond the asked ones. */
const lookAhead = 12;
const anchorYear = 1970;
const weekdays = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"] as const;

/** The blocks that describe a zone from the start of `fromYear` to the end of `toYear`, and one year around. */
export function observancesOf(options: {
  readonly zone: string;
  readonly fromYear: number;
  readonly toYear: number;
}): readonly Observance[] {
  const { zone, toYear } = options;
  const firstYear = options.fromYear - 1;
  const start = new Temporal.PlainDateTime(firstYear, 1, 1).toZonedDateTime(zone);
  const onsets = onsetsUntil(start, toYear + lookAhead);
  const tail = regularTail(onsets);
  const tailOnsets = tail.flatMap((rule) => rule.onsets);
  const isWhole =
    tail.length > 0 &&
    tailOnsets.length === onsets.length &&
    tail.every((rule) => rule.onsets[0].local.year === firstYear);
  if (isWhole) return tail.map((rule) => ruleObservance(rule, anchorYear));

  const single = onsets
    .filter((onset) => !tailOnsets.includes(onset))
    .filter((onset) => tail.length > 0 || onset.local.year <= toYear + 2);
  const before = offsetSeconds(start);
  const initial: Observance = {
    kind: "STANDARD",
    start: new Temporal.PlainDateTime(onsets.length === 0 ? anchorYear : firstYear, 1, 1),
    from: before,
    to: before,
    rule: null,
    more: [],
  };
  return [
    initial,
    ...groupByOffsets(single).map(singleObservance),
    ...tail.map((rule) => ruleObservance(rule, rule.onsets[0].local.year)),
  ];
}

function onsetsUntil(start: Temporal.ZonedDateTime, lastYear: number): readonly Onset[] {
  const onsets: Onset[] = [];
  let at = start;
  for (;;) {
    const next = at.getTimeZoneTransition("next");
    if (!next || next.year > lastYear) return onsets;
    const from = offsetSeconds(next.subtract({ nanoseconds: 1 }));
    const to = offsetSeconds(next);
    const utc = next.withTimeZone("UTC").toPlainDateTime();
    // Some transitions change the name of the time only.
    if (from !== to) onsets.push({ local: utc.add({ seconds: from }), from, to });
    at = next;
  }
}

const offsetSeconds = (time: Temporal.ZonedDateTime): number => time.offsetNanoseconds / 1e9;

/** The two rules that the onsets follow from some year to the last; none when they follow no such pair. */
function regularTail(onsets: readonly Onset[]): readonly YearlyRule[] {
  for (let from = 0; from + 2 * lookAhead <= onsets.length + 2; from++) {
    const rest = onsets.slice(from);
    const pair = [0, 1].map((parity) => yearlyRule(rest.filter((_, at) => at % 2 === parity)));
    const rules = pair.filter((rule) => rule !== null);
    if (rules.length === 2) return rules;
  }
  return [];
}

function yearlyRule(onsets: readonly Onset[]): YearlyRule | null {
  const [first, ...others] = onsets;
  if (!first) return null;
  const month = first.local.month;
  const alike = others.every(
    (onset, at) =>
      onset.from === first.from &&
      onset.to === first.to &&
      onset.local.year === first.local.year + at + 1 &&
      onset.local.month === month &&
      onset.local.dayOfWeek === first.local.dayOfWeek &&
      onset.local.toPlainTime().equals(first.local.toPlainTime()),
  );
  const day = alike ? dayRule(onsets.map((onset) => onset.local.toPlainDate())) : null;
  if (!day) return null;
  return {
    onsets: [first, ...others],
    parts: `BYMONTH=${month};${day.parts}`,
    falls: (date) =>
      date.month === month && date.dayOfWeek === first.local.dayOfWeek && day.falls(date),
  };
}

interface DayRule {
  readonly parts: string;
  /** For a date of the right month and weekday. */
  readonly falls: (date: Temporal.PlainDate) => boolean;
}

/** How dates of one weekday and month lie: the last, the n-th, or the first from some day on. */
function dayRule(dates: readonly Temporal.PlainDate[]): DayRule | null {
  const [first] = dates;
  if (!first) return null;
  const weekday = weekdays[first.dayOfWeek - 1];
  const isLast = (date: Temporal.PlainDate): boolean => date.day + 7 > date.daysInMonth;
  if (dates.every(isLast)) return { parts: `BYDAY=-1${weekday}`, falls: isLast };

  const nth = Math.ceil(first.day / 7);
  const isNth = (date: Temporal.PlainDate): boolean => Math.ceil(date.day / 7) === nth;
  if (dates.every(isNth)) return { parts: `BYDAY=${nth}${weekday}`, falls: isNth };

  const lowest = Math.min(...dates.map((date) => date.day));
  const isFrom = (date: Temporal.PlainDate): boolean => date.day >= lowest && date.day < lowest + 7;
  if (!dates.every(isFrom)) return null;
  const days = Array.from({ length: 7 }, (_, at) => lowest + at);
  return { parts: `BYMONTHDAY=${days.join(",")};BYDAY=${weekday}`, falls: isFrom };
}

function ruleObservance(rule: YearlyRule, year: number): Observance {
  const [first] = rule.onsets;
  const firstOfMonth = first.local.toPlainDate().with({ year, day: 1 });
  const date = Array.from({ length: firstOfMonth.daysInMonth }, (_, at) =>
    firstOfMonth.add({ days: at }),
  ).find(rule.falls);
  const start = (date ?? first.local.toPlainDate()).toPlainDateTime(first.local.toPlainTime());
  return { ...shape(first), start, rule: `FREQ=YEARLY;${rule.parts}`, more: [] };
}

function singleObservance(onsets: readonly [Onset, ...Onset[]]): Observance {
  const [first] = onsets;
  // Thunderbird's ical.js leaves the onset of DTSTART out where there are RDATEs, so it is named among them again.
  const more = onsets.length > 1 ? onsets.map((onset) => onset.local) : [];
  return { ...shape(first), start: first.local, rule: null, more };
}

function shape(onset: Onset): Pick<Observance, "kind" | "from" | "to"> {
  const { from, to } = onset;
  return { kind: to > from ? "DAYLIGHT" : "STANDARD", from, to };
}

function groupByOffsets(onsets: readonly Onset[]): readonly (readonly [Onset, ...Onset[]])[] {
  const groups = new Map<string, [Onset, ...Onset[]]>();
  for (const onset of onsets) {
    const key = `${onset.from}:${onset.to}`;
    const group = groups.get(key);
    if (group) group.push(onset);
    else groups.set(key, [onset]);
  }
  return [...groups.values()];
}
