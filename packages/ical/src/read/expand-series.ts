import { quotedValue } from "../ics-problem.ts";
import { type ContentLine, foldLines, param, readContentLine } from "../lines/content-line.ts";
import { type CalendarTree, readLenientTokens } from "../lines/tokens.ts";
import { fail, ok, type Result } from "../result.ts";
import { type Sentence, sentence } from "../sentences.ts";
import { type IncomingTime, readTime, type ZoneOf } from "../time-values.ts";
import { createZoneBudget, zonesOfFile } from "../zones/file-zones.ts";
import { type CalendarFile, readCalendar } from "./calendar-object.ts";
import { type IncomingItem, underUid } from "./incoming.ts";
import { isDate, keyOf, timeAt, timesOfRule, tooMany, type Written } from "./series-times.ts";

/** Limits of a series. */
export interface SeriesOptions {
  /** The account's IANA time zone, used for floating times. */
  readonly zone: string;
  /** Largest number of items that one series becomes. */
  readonly most: number;
}

/**
 * Replaces each repeating item that ends by its occurrences: single items with the series' UID in `series`. The first one keeps
 * the UID, the others add their date to it, so that the same file read again means the same items. EXDATE, RDATE and changed
 * occurrences (RECURRENCE-ID) count. A series that has no end, too many occurrences or an unreadable rule keeps its problem,
 * with the reason. Source: RFC 5545 3.8.5.
 */
export function expandSeries(file: CalendarFile, options: SeriesOptions): CalendarFile {
  const series = new Map<string, IncomingItem[]>();
  for (const item of file.items) {
    if (item.uid !== "" && isRepeated(item)) {
      series.set(item.uid, [...(series.get(item.uid) ?? []), item]);
    }
  }
  if (series.size === 0) return file;
  const expanded = new Map<IncomingItem, readonly IncomingItem[]>();
  for (const [uid, parts] of series) {
    const masters = parts.filter((item) => !isChangedOccurrence(item));
    const [master] = masters;
    if (!master || masters.length > 1) continue;
    const changed = parts.filter(isChangedOccurrence);
    const read = occurrencesOf(master, { ...options, changed, timeZones: file.timeZones });
    if (read.ok) for (const part of changed) expanded.set(part, []);
    const items = read.ok
      ? read.value.map((item) => ({ ...item, series: uid }))
      : [withReason(master, read.failure)];
    expanded.set(master, items);
  }
  return { ...file, items: file.items.flatMap((item) => expanded.get(item) ?? [item]) };
}

const isRepeated = ({ problems }: IncomingItem): boolean =>
  problems.length > 0 && problems.every(({ code }) => code === "recurrence");

const isChangedOccurrence = ({ raw }: IncomingItem): boolean =>
  raw.some((line) => /^RECURRENCE-ID[;:]/i.test(line));

function withReason(item: IncomingItem, reason: Sentence): IncomingItem {
  const [problem] = item.problems;
  const line = problem?.line ?? item.line;
  return { ...item, problems: [{ line, uid: item.uid, code: "recurrence", message: reason }] };
}

interface Series extends SeriesOptions {
  readonly changed: readonly IncomingItem[];
  /** See `CalendarFile`. */
  readonly timeZones: string;
}

/** The single items of a series, in order, or why there are none. */
function occurrencesOf(
  master: IncomingItem,
  { zone, most, changed, timeZones }: Series,
): Result<readonly IncomingItem[], Sentence> {
  const lines = linesOf(master);
  const zoneOf = zonesIn(calendarText(timeZones, [master.raw]), zone);
  const anchor = lines.find(({ name }) => name === "DTSTART") ?? lineOf(lines, "DUE");
  if (!anchor || !zoneOf) return fail(sentence("ical.seriesStart"));
  const times = timesOf(lines, { anchor, zoneOf, most });
  if (!times.ok) return times;
  const replaced = replacementsOf(changed, { anchor, zoneOf });
  if (!replaced.ok) return replaced;
  const known = new Set(times.value.map(keyOf));
  const stray = [...replaced.value.keys()].find((key) => !known.has(key));
  if (stray !== undefined) {
    return fail(sentence("ical.noSuchOccurrence", { value: quotedValue(stray) }));
  }
  const first = keyOf(timeAt(anchor.value));
  const texts = times.value.map((time) => {
    const key = keyOf(time);
    const own = replaced.value.get(key) ?? occurrenceLines(master, { lines, anchor, time, zoneOf });
    return key === first ? own : own.map((raw) => (/^UID[;:]/i.test(raw) ? `${raw}-${key}` : raw));
  });
  const read = readCalendar(Buffer.from(calendarText(timeZones, texts)), { zone });
  if (!read.ok || read.value.items.length !== texts.length) {
    return fail(sentence("ical.occurrencesUnreadable"));
  }
  const { line } = master;
  return ok(
    read.value.items.map((item) => {
      const { uid } = item;
      const problems = item.problems.map((problem) => ({ ...problem, line }));
      // Version marks are the first occurrence's.
      return { ...(uid === master.uid ? item : underUid(item, uid)), line, problems };
    }),
  );
}

interface Anchor {
  /** DTSTART, or DUE of a to-do without one. */
  readonly anchor: ContentLine;
  readonly zoneOf: ZoneOf;
}

/** When the occurrences begin, sorted. */
function timesOf(
  lines: readonly ContentLine[],
  { anchor, zoneOf, most }: Anchor & { readonly most: number },
): Result<readonly Written[], Sentence> {
  const unread = lineOf(lines, "EXRULE");
  if (unread) return fail(sentence("ical.exrule"));
  const rules = lines.filter(({ name }) => name === "RRULE");
  if (rules.length > 1) return fail(sentence("ical.severalRules"));
  const [rule] = rules;
  const start = timeAt(anchor.value);
  const ruled = rule
    ? timesOfRule(rule.value, { start, most, endOf: (until) => endOf(until, { anchor, zoneOf }) })
    : ok([start]);
  if (!ruled.ok) return ruled;
  const added = datesIn(lines, "RDATE", { anchor, zoneOf });
  const removed = datesIn(lines, "EXDATE", { anchor, zoneOf });
  if (!added.ok) return added;
  if (!removed.ok) return removed;
  const left = new Set(removed.value.map(keyOf));
  const byKey = new Map(
    [...ruled.value, ...added.value]
      .filter((time) => !left.has(keyOf(time)) && !left.has(keyOf(time).slice(0, 8)))
      .map((time) => [keyOf(time), time]),
  );
  const times = [...byKey.keys()].toSorted().flatMap((key) => byKey.get(key) ?? []);
  if (times.length === 0) return fail(sentence("ical.noOccurrence"));
  return times.length <= most ? ok(times) : fail(tooMany(most));
}

/** Tells whether a time is after an UNTIL in UTC. */
function endOf(until: string, { anchor, zoneOf }: Anchor): (time: Written) => boolean {
  const last = timeAt(until);
  const day = isDate(last) ? last : last.toPlainDate();
  return (time) => {
    const read = readTime(valued(anchor, keyOf(time)), zoneOf);
    if (!read.ok || read.value.kind === "date" || isDate(last)) return keyOf(time) > keyOf(day);
    const at = read.value.at.toInstant();
    return Temporal.Instant.compare(at, last.toZonedDateTime("UTC").toInstant()) > 0;
  };
}

/** The values of RDATE or EXDATE, in the time zone of the anchor. */
function datesIn(
  lines: readonly ContentLine[],
  name: "RDATE" | "EXDATE",
  anchor: Anchor,
): Result<readonly Written[], Sentence> {
  const times: Written[] = [];
  for (const line of lines.filter((one) => one.name === name)) {
    for (const value of line.value.split(",")) {
      const time = timeLike(anchor, { ...line, value });
      const isWrong =
        time === null || (name === "RDATE" && isDate(time) !== isDate(timeAt(anchor.anchor.value)));
      if (isWrong) return fail(sentence("ical.notOfSeries", { name, value: quotedValue(value) }));
      times.push(time);
    }
  }
  return ok(times);
}

/** A time of another line as the anchor would write it; null if it is none. */
function timeLike({ anchor, zoneOf }: Anchor, line: ContentLine): Written | null {
  const read = readTime(line, zoneOf);
  if (!read.ok) return null;
  if (read.value.kind === "date") return read.value.on;
  const isSameZone =
    param(line, "TZID") === param(anchor, "TZID") && isUtc(line.value) === isUtc(anchor.value);
  if (isSameZone) return timeAt(line.value);
  const own = readTime(anchor, zoneOf);
  if (!own.ok || own.value.kind === "date") return null;
  return read.value.at.withTimeZone(own.value.at.timeZoneId).toPlainDateTime();
}

const isUtc = (value: string): boolean => /Z\s*$/i.test(value);

/** The lines of changed occurrences, by the time that they replace. */
function replacementsOf(
  changed: readonly IncomingItem[],
  anchor: Anchor,
): Result<ReadonlyMap<string, readonly string[]>, Sentence> {
  const replaced = new Map<string, readonly string[]>();
  for (const item of changed) {
    const id = lineOf(linesOf(item), "RECURRENCE-ID");
    const time = id && timeLike(anchor, id);
    if (!id || !time) return fail(sentence("ical.badOccurrence"));
    if (param(id, "RANGE") !== undefined) return fail(sentence("ical.occurrenceRange"));
    replaced.set(keyOf(time), withoutRules(item.raw));
  }
  return ok(replaced);
}

/** The series' lines with the times of one occurrence. */
function occurrenceLines(
  master: IncomingItem,
  about: Anchor & { readonly lines: readonly ContentLine[]; readonly time: Written },
): readonly string[] {
  const { lines, anchor, time, zoneOf } = about;
  const moved = new Map<string, string>([[anchor.raw, written(anchor, time)]]);
  for (const name of ["DTEND", "DUE"]) {
    const line = lineOf(lines, name);
    if (line && line !== anchor) {
      moved.set(line.raw, written(line, endAfter(line, { anchor, time, zoneOf })));
    }
  }
  return withoutRules(master.raw).map((raw) => moved.get(raw) ?? raw);
}

/** The end of an occurrence: as long after its start as in the series. Source: RFC 5545 3.8.5.3 (the same exact duration). */
function endAfter(
  line: ContentLine,
  { anchor, time, zoneOf }: Anchor & { readonly time: Written },
): Written {
  const [start, end, begins] = [
    anchor,
    line,
    valued(anchor, written(anchor, time).split(":").at(-1) ?? ""),
  ].map((one): IncomingTime | null => {
    const read = readTime(one, zoneOf);
    return read.ok ? read.value : null;
  });
  const isNamed = start?.kind === "time" && /^[A-Za-z]/.test(start.at.timeZoneId);
  if (start?.kind === "time" && end?.kind === "time" && begins?.kind === "time" && isNamed) {
    const length = end.at.toInstant().since(start.at.toInstant());
    return begins.at
      .toInstant()
      .add(length)
      .toZonedDateTimeISO(end.at.timeZoneId)
      .toPlainDateTime();
  }
  // Days, or a zone that only the file defines.
  const shift = asTime(timeAt(anchor.value)).until(asTime(time));
  const shifted = asTime(timeAt(line.value)).add(shift);
  return isDate(timeAt(line.value)) ? shifted.toPlainDate() : shifted;
}

const asTime = (time: Written): Temporal.PlainDateTime => Temporal.PlainDateTime.from(time);

const valued = (line: ContentLine, value: string): ContentLine => ({
  ...line,
  value: isUtc(line.value) && !isUtc(value) ? `${value}Z` : value,
});

/** A line with another time, with the parameters and the form that it had. */
function written(line: ContentLine, time: Written): string {
  const params = line.raw.slice(0, line.raw.length - line.value.length);
  return `${params}${valued(line, keyOf(time)).value}`;
}

/** The properties that make a series; they belong to no occurrence. */
const rulePattern = /^(?:RRULE|RDATE|EXDATE|RECURRENCE-ID)[;:]/i;

const withoutRules = (raw: readonly string[]): readonly string[] =>
  raw.filter((line) => !rulePattern.test(line));

/** The item's own lines, without those of its alarms. */
function linesOf({ raw, line }: IncomingItem): readonly ContentLine[] {
  let depth = 0;
  return raw.flatMap((text) => {
    if (/^BEGIN:/i.test(text)) depth += 1;
    else if (/^END:/i.test(text)) depth -= 1;
    else if (depth === 1) {
      const read = readContentLine(text, line);
      return read.ok ? [read.value] : [];
    }
    return [];
  });
}

const lineOf = (lines: readonly ContentLine[], name: string): ContentLine | undefined =>
  lines.find((line) => line.name === name);

const calendarText = (timeZones: string, items: readonly (readonly string[])[]): string =>
  `BEGIN:VCALENDAR\r\nVERSION:2.0\r\n${timeZones}${items.map(foldLines).join("")}END:VCALENDAR\r\n`;

function zonesIn(text: string, zone: string): ZoneOf | null {
  const read = readLenientTokens(Buffer.from(text));
  const calendar: CalendarTree | undefined = read.ok ? read.value.calendars[0] : undefined;
  return calendar ? zonesOfFile(calendar, zone, createZoneBudget()) : null;
}
