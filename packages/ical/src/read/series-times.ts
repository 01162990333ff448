import { quotedValue } from "../ics-problem.ts";
import { loadRruleTemporal } from "../late-packages.ts";
import { writeDate } from "../lines/content-line.ts";
import { fail, ok, type Result } from "../result.ts";
import { type Sentence, sentence } from "../sentences.ts";

/** A local time or day as written, without a zone. */
export type Written = Temporal.PlainDateTime | Temporal.PlainDate;

export const isDate = (time: Written): time is Temporal.PlainDate =>
  time instanceof Temporal.PlainDate;

/** The local time or day of a value such as 20270104T090000Z. Throws a RangeError for others. */
export const timeAt = (value: string): Written =>
  /T/i.test(value)
    ? Temporal.PlainDateTime.from(value.trim().replace(/Z$/i, ""))
    : Temporal.PlainDate.from(value.trim());

/** As in iCalendar: 20270104 or 20270104T090000. Sorts by time. */
export const keyOf = (time: Written): string =>
  isDate(time)
    ? writeDate(time)
    : time.toString({ smallestUnit: "second" }).replaceAll(/[-:]/g, "");

export const tooMany = (most: number): Sentence => sentence("ical.tooManyOccurrences", { most });

/** Enough for a rule that matches every fourth year. */
const mostPeriods = 5000;
const mostCandidates = 100_000;

/** The first occurrence of a rule, and its limits. */
export interface RuleOptions {
  readonly start: Written;
  /** Largest number of occurrences. */
  readonly most: number;
  /** Tells whether a time is after an UNTIL in UTC, such as 20270104T080000Z. */
  readonly endOf: (until: string) => (time: Written) => boolean;
}

/**
 * When the occurrences of an RRULE begin, including the first, as local times. Fails for a rule that has no end,
 * too many occurrences, or cannot be read. Source: RFC 5545 3.3.10.
 */
export function timesOfRule(
  rule: string,
  { start, most, endOf }: RuleOptions,
): Result<readonly Written[], Sentence> {
  const parts = rule.trim().toUpperCase().split(";");
  const until = parts.find((part) => part.startsWith("UNTIL="))?.slice("UNTIL=".length);
  if (until === undefined && !parts.some((part) => part.startsWith("COUNT="))) {
    return fail(sentence("ical.endless"));
  }
  const times: Written[] = [];
  try {
    const isOver = until === undefined ? () => false : isAfter(until, endOf);
    const { RRuleTemporal } = loadRruleTemporal();
    const repeats = new RRuleTemporal({
      rruleString: parts.filter((part) => !part.startsWith("UNTIL=")).join(";"),
      // Local times, as if they were UTC.
      dtstart: Temporal.PlainDateTime.from(start).toZonedDateTime("UTC"),
      includeDtstart: true,
      maxIterations: mostPeriods,
      maxCandidateEvaluations: mostCandidates,
    });
    repeats.all((at) => {
      const local = Temporal.PlainDateTime.from(
        at.toString().replace(/(?:Z|\+00:00)?\[UTC\]$/, ""),
      );
      const time = isDate(start) ? local.toPlainDate() : local;
      if (isOver(time)) return false;
      times.push(time);
      return times.length <= most;
    });
  } catch {
    return fail(sentence("ical.badRule", { rule: quotedValue(rule) }));
  }
  return times.length <= most ? ok(times) : fail(tooMany(most));
}

/** A day includes all of its times; a local time is compared as it is. */
function isAfter(until: string, endOf: RuleOptions["endOf"]): (time: Written) => boolean {
  if (until.endsWith("Z")) return endOf(until);
  const last = keyOf(timeAt(until));
  return (time) => keyOf(time).slice(0, last.length) > last;
}
