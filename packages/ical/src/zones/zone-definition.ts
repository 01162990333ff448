import type { RRuleTemporal } from "rrule-temporal";
import { quotedValue } from "../ics-problem.ts";
import { loadRruleTemporal } from "../late-packages.ts";
import { type ContentLine, param } from "../lines/content-line.ts";
import type { Component } from "../lines/tokens.ts";
import { fail, ok, type Result } from "../result.ts";
import { type Sentence, sentence } from "../sentences.ts";
import type { RuleZone } from "../time-values.ts";
import { type DefinedObservance, type Onset, spreadOnsets } from "./zone-onsets.ts";

/** Limit of onsets, all of which are checked for every instant; the largest real definitions have 250. */
const mostOnsets = 2000;
/** A yearly rule names one day; nobody changes clocks every week. */
const mostOnsetsOfRule = 24;

/**
 * Parses the rules of a VTIMEZONE: observances with RRULE, RDATE and UNTIL, any number of eras. Before the first onset its
 * TZOFFSETFROM applies. Calls `spend` before each expansion of a rule to check the file's budget. Errors are the end of a
 * sentence. Source: RFC 5545 3.6.5.
 */
export function readDefinition(block: Component, spend: () => boolean): Result<RuleZone, Sentence> {
  const parts = block.components.filter(({ name }) => name === "STANDARD" || name === "DAYLIGHT");
  if (parts.length === 0) return fail(sentence("ical.zoneEmpty"));
  const observances: DefinedObservance[] = [];
  let onsets = 0;
  for (const part of parts) {
    const read = readObservance(part, spend);
    if (!read.ok)
      return fail(
        sentence("ical.zonePart", { name: part.name, line: part.line, why: read.failure }),
      );
    onsets += read.value.single.length;
    if (onsets > mostOnsets) return fail(sentence("ical.zoneOnsets", { most: mostOnsets }));
    observances.push(read.value);
  }
  return ok(spreadOnsets(observances));
}

function readObservance(
  part: Component,
  spend: () => boolean,
): Result<DefinedObservance, Sentence> {
  const odd = part.lines.find(({ name }) => name === "EXDATE" || name === "EXRULE");
  if (odd) return fail(sentence("ical.zoneMisplaced", { name: odd.name }));
  const [start, from, to] = [
    readWall(only(part, "DTSTART")),
    readOffset(only(part, "TZOFFSETFROM")),
    readOffset(only(part, "TZOFFSETTO")),
  ];
  if (start === null) return fail(sentence("ical.zoneStart"));
  if (from === null || to === null) return fail(sentence("ical.zoneOffset"));
  const walls = [start, ...readDates(part)];
  const onsetAt = (wall: number): Onset => ({ at: wall - from, from, to });
  const single: Onset[] = [];
  for (const wall of walls) {
    if (wall === null) return fail(sentence("ical.zoneDate"));
    single.push(onsetAt(wall));
  }
  const rules = part.lines.filter(({ name }) => name === "RRULE");
  if (rules.length > 1) return fail(sentence("ical.zoneTwoRules"));
  const [line] = rules;
  if (!line) return ok({ from, to, single, rule: null, last: null });
  const rule = readRule(line.value, { start, from });
  if (!rule.ok) return rule;
  const { repeats, isCounted } = rule.value;
  if (!isCounted) return ok({ from, to, single, ...expander(repeats, spend, onsetAt) });
  const counted = repeats.all().map(secondsOf).map(onsetAt);
  return ok({ from, to, single: [...single, ...counted], rule: null, last: null });
}

function expander(
  rule: RRuleTemporal,
  spend: () => boolean,
  onsetAt: (at: number) => Onset,
): Pick<DefinedObservance, "rule" | "last"> {
  return {
    rule(from, to) {
      if (!spend()) return null;
      try {
        const found = rule.between(instantOf(from), instantOf(to), true);
        const years = (to - from) / 31_556_952;
        if (found.length > mostOnsetsOfRule * Math.ceil(years)) return null;
        return found.map(secondsOf).map(onsetAt);
      } catch {
        return null;
      }
    },
    last(before) {
      try {
        const found = rule.previous(instantOf(before));
        return found ? onsetAt(secondsOf(found)) : null;
      } catch {
        return null;
      }
    },
  };
}

function instantOf(seconds: number): Temporal.ZonedDateTime {
  return Temporal.Instant.fromEpochMilliseconds(seconds * 1000).toZonedDateTimeISO("UTC");
}

const secondsOf = (time: Temporal.ZonedDateTime): number => time.epochMilliseconds / 1000;

/** Undefined for none, and for several. */
function only(part: Component, name: string): ContentLine | undefined {
  const [line, ...others] = part.lines.filter((each) => each.name === name);
  return others.every(({ value }) => value === line?.value) ? line : undefined;
}

/** Parts of a rule for days of a year; a rule with weeks or several hours is not a clock rule. */
const ruleParts: readonly RegExp[] = [
  /^FREQ=(?:YEARLY|MONTHLY)$/,
  /^(?:INTERVAL=[1-9]\d?|COUNT=[1-9]\d{0,2})$/,
  /^BYMONTH=(?:0?[1-9]|1[0-2])(?:,(?:0?[1-9]|1[0-2]))*$/,
  /^BYMONTHDAY=-?(?:0?[1-9]|[12]\d|3[01])(?:,-?(?:0?[1-9]|[12]\d|3[01]))*$/,
  /^BYDAY=[+-]?\d{0,2}(?:MO|TU|WE|TH|FR|SA|SU)(?:,[+-]?\d{0,2}(?:MO|TU|WE|TH|FR|SA|SU))*$/,
  /^BYYEARDAY=-?[1-9]\d{0,2}$/,
  /^BYSETPOS=-?[1-9]\d?$/,
  /^(?:BYHOUR|BYMINUTE|BYSECOND)=\d{1,2}$/,
  /^WKST=(?:MO|TU|WE|TH|FR|SA|SU)$/,
  /^UNTIL=/,
];
const longestRule = 300;

interface Rule {
  readonly repeats: RRuleTemporal;
  /** True if it has a COUNT, so that there are few onsets. */
  readonly isCounted: boolean;
}

/**
 * The rule over local times that are treated as UTC. UNTIL is UTC in a VTIMEZONE, and is converted to the local time of the
 * previous offset.
 */
function readRule(
  value: string,
  { start, from }: { readonly start: number; readonly from: number },
): Result<Rule, Sentence> {
  const parts = value
    .trim()
    .toUpperCase()
    .split(";")
    .filter((part) => part !== "");
  const isOdd = !parts.every((part) => ruleParts.some((pattern) => pattern.test(part)));
  if (value.length > longestRule || isOdd)
    return fail(sentence("ical.zoneNotYearly", { rule: quotedValue(value) }));
  const local: string[] = [];
  for (const part of parts) {
    const until = part.startsWith("UNTIL=") ? localUntil(part.slice(6), from) : part;
    if (until === null) return fail(sentence("ical.zoneUntil", { rule: quotedValue(value) }));
    local.push(until);
  }
  try {
    const dtstart = instantOf(start);
    const { RRuleTemporal: Rule } = loadRruleTemporal();
    const repeats = new Rule({ rruleString: local.join(";"), dtstart });
    const isCounted = parts.some((part) => part.startsWith("COUNT="));
    if (repeats.next(dtstart, true)) return ok({ repeats, isCounted });
  } catch {
    // Rules that the library does not understand never apply.
  }
  return fail(sentence("ical.zoneNever", { rule: quotedValue(value) }));
}

/** An UNTIL in local time is invalid but can only mean local time; a date means the whole day. */
function localUntil(until: string, from: number): string | null {
  const isUtc = until.endsWith("Z");
  const wall = wallSeconds(/^\d{8}$/.test(until) ? `${until}T235959` : until.replace(/Z$/, ""));
  if (wall === null) return null;
  const text = instantOf(isUtc ? wall + from : wall).toPlainDateTime();
  return `UNTIL=${text.toString({ smallestUnit: "second" }).replace(/[-:]/g, "")}Z`;
}

function readDates(part: Component): readonly (number | null)[] {
  return part.lines
    .filter(({ name }) => name === "RDATE")
    .flatMap((line) => {
      const isPeriod = param(line, "VALUE")?.toUpperCase() === "PERIOD";
      return line.value.split(",").map((value) => (isPeriod ? null : wallSeconds(value.trim())));
    });
}

const readWall = (line: ContentLine | undefined): number | null =>
  line ? wallSeconds(line.value.trim()) : null;

/** A local time as seconds since 1970, as if it were UTC; for a date its midnight. */
function wallSeconds(text: string): number | null {
  if (!/^\d{8}(?:T\d{6})?$/.test(text)) return null;
  try {
    const time = Temporal.PlainDateTime.from(text).toZonedDateTime("UTC");
    return time.epochMilliseconds / 1000;
  } catch {
    return null;
  }
}

/** Source: RFC 5545 3.3.14. */
export function readOffset(line: ContentLine | undefined): number | null {
  const digits = /^([+-])(\d{2}):?(\d{2})(?::?(\d{2}))?$/.exec(line?.value.trim() ?? "");
  if (!digits) return null;
  const [, sign, hours, minutes, seconds = 0] = digits;
  if (Number(hours) > 23 || Number(minutes) > 59 || Number(seconds) > 59) return null;
  const length = Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds);
  return sign === "-" ? -length : length;
}
