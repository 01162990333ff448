import { type IcsProblem, quotedValue } from "../ics-problem.ts";
import { loadNodeIcal } from "../late-packages.ts";
import { type ContentLine, param, propertyName, unfold } from "../lines/content-line.ts";
import type { CalendarTree, Component } from "../lines/tokens.ts";
import { firstLine } from "../lines/tokens.ts";
import { sentence } from "../sentences.ts";

import { type IncomingTime, readDuration, settleClock, type ZoneOf } from "../time-values.ts";
import type { IncomingItem } from "./incoming.ts";
import {
  excuses,
  type PlainReading,
  rewordings,
  type TimeDifference,
  type TimeLine,
} from "./second-reader-faults.ts";

/** Parsed items and, in the same order, their components. */
export interface ItemsRead {
  readonly components: readonly Component[];
  readonly items: readonly IncomingItem[];
  readonly zoneOf: ZoneOf;
}

interface ReadItem {
  readonly component: Component;
  readonly item: IncomingItem;
}

/**
 * Parses the times of accepted items again with node-ical, and reports, by item, where it gets another day or instant for a
 * start, an end, a due date or a completion: two programs would show such an item at two times. It gets the lines as they are
 * in the file, including folds, except for the forms of `rewordings`, one item at a time, so that its exceptions do no harm.
 * Where it returns nothing there is nothing to compare.  Items whose times differ only in day and time of day, within half a
 * year and one offset, have the same form: the first and the last stand for all, and if one of these differs, all are parsed.
 * This covers both sides of a clock change, and a file of ten thousand events costs little more than one of a hundred.
 */
export function readAgain(
  calendar: CalendarTree,
  { components, items, zoneOf }: ItemsRead,
): ReadonlyMap<IncomingItem, readonly IcsProblem[]> {
  const found = new Map<IncomingItem, readonly IcsProblem[]>();
  const look = (each: ReadItem): boolean => {
    const problems = disagreements(each, { calendar, zoneOf });
    if (problems.length > 0) found.set(each.item, problems);
    return problems.length > 0;
  };
  for (const { first, last, alike } of byForm({ components, items })) {
    const isDisputed = look(first) || (last !== first && look(last));
    if (isDisputed) for (const each of alike) look(each);
  }
  return found;
}

const timeNames: ReadonlySet<string> = new Set([
  "COMPLETED",
  "DTEND",
  "DTSTART",
  "DUE",
  "DURATION",
]);

/** Items of one form, at least one, with those that begin first and last, and the values that determine it. */
interface Alike {
  readonly alike: ReadItem[];
  first: ReadItem;
  begins: string;
  last: ReadItem;
  ends: string;
}

function byForm({ components, items }: Omit<ItemsRead, "zoneOf">): Iterable<Alike> {
  const formOf = createForms();
  const forms = new Map<number, Alike>();
  for (const [at, item] of items.entries()) {
    const component = components[at];
    if (!component || item.problems.length > 0) continue;
    const each = { component, item };
    const form = formOf(each);
    const begins = beginOf(each);
    const same = forms.get(form);
    if (!same) {
      forms.set(form, { alike: [each], first: each, begins, last: each, ends: begins });
      continue;
    }
    same.alike.push(each);
    if (begins < same.begins) {
      same.first = each;
      same.begins = begins;
    } else if (begins > same.ends) {
      same.last = each;
      same.ends = begins;
    }
  }
  return forms.values();
}

/** Values of one form sort by time. */
const beginOf = ({ component }: ReadItem): string =>
  (firstLine(component, "DTSTART") ?? firstLine(component, "DUE"))?.value ?? "";

/**
 * Numbers the forms: everything in the time lines of an item except the day within half a year and the time of day, plus the
 * offsets at that time. Numbers for the parts take a third of the time of one long string per item.
 */
function createForms(): (read: ReadItem) => number {
  const parts = new Map<string, number>();
  const forms = new Map<number, number>();
  const partOf = (text: string): number => {
    const known = parts.get(text);
    if (known === undefined) parts.set(text, parts.size);
    return known ?? parts.size - 1;
  };
  const join = (form: number, part: number): number => {
    const both = form * 2 ** 24 + part;
    const known = forms.get(both);
    if (known === undefined) forms.set(both, forms.size + 1);
    return known ?? forms.size;
  };
  return ({ component, item }) => {
    let form = partOf(component.name);
    for (const { name, raw, value } of component.lines) {
      if (timeNames.has(name))
        form = join(form, partOf(isPlain(name, value) ? plainForm(raw, value) : raw));
    }
    const { start, due, when } = item;
    const end = when?.kind === "times" ? when.end : null;
    form = join(form, offsetOf(start?.kind === "time" ? start.at : null));
    form = join(form, offsetOf(due?.kind === "time" ? due.at : null));
    return join(form, offsetOf(end));
  };
}

/** Never negative; zero for none. */
const offsetOf = (time: Temporal.ZonedDateTime | null): number =>
  time ? time.offsetNanoseconds / 1e9 + 100_000 : 0;

/** The item has no problems, so the length of a value determines its type; a leap second is a form of its own. */
const isPlain = (name: string, value: string): boolean =>
  name !== "DURATION" && (value.length === 8 || (value.length < 17 && !value.startsWith("60", 13)));

/** Year and half-year, and "Z" if present. */
function plainForm(raw: string, value: string): string {
  const year = raw.slice(0, raw.length - value.length + 4);
  return value.slice(4, 6) < "07" ? `${year}a${value.length}` : `${year}b${value.length}`;
}

interface Context {
  readonly calendar: CalendarTree;
  readonly zoneOf: ZoneOf;
}

function disagreements(read: ReadItem, context: Context): readonly IcsProblem[] {
  const { component, item } = read;
  const lines = timeLines(component, context.zoneOf);
  const answer = ask(textFor(component, context.calendar.text, lines));
  if (!answer) return [];
  const startLine = lines.get("DTSTART")?.line;
  const startAt = plainOf(item.start);
  const start = startLine && startAt ? { line: startLine, at: startAt } : null;
  const problems: IcsProblem[] = [];
  for (const [name, ours] of ourTimes(item)) {
    const time = lines.get(name);
    const theirs = time && theirTime(answer, time);
    if (!time || !ours || !theirs) continue;
    const difference = { line: time.line, ours, theirs, start, zoneOf: context.zoneOf };
    if (isSame(ours, theirs) || isExcused(difference)) continue;
    problems.push(problemOf(item, difference));
  }
  const length = lengthProblem(read, answer);
  return length ? [...problems, length] : problems;
}

/** The first line of each name with a DATE or DATE-TIME. */
function timeLines(component: Component, zoneOf: ZoneOf): ReadonlyMap<string, TimeLine> {
  const found = new Map<string, TimeLine>();
  for (const line of component.lines) {
    const { name, value } = line;
    if (!timeNames.has(name) || name === "DURATION" || found.has(name)) continue;
    const isLocal = /T\d{6}\s*$/.test(value);
    found.set(name, { line, zone: isLocal ? zoneOf(param(line, "TZID") ?? null) : null });
  }
  return found;
}

/**
 * The item alone, with its own UID and only its times, each once and folded as in the file: with a UID such as `type`, a
 * duplicate line, a name in lower case, a trailing space, or text with U+2028 node-ical produces another item, none, or an
 * error.
 */
function textFor(component: Component, text: string, lines: ReadonlyMap<string, TimeLine>): string {
  const kept = ["BEGIN:VCALENDAR", `BEGIN:${component.name}`, "UID:item"];
  const seen = new Set<string>();
  const own = text.slice(component.from, component.to);
  let depth = 0;
  for (const { raw, from, to } of unfold(own)) {
    const name = propertyName(raw);
    if (name === "BEGIN") depth++;
    else if (name === "END") depth--;
    else if (depth === 1 && timeNames.has(name) && !seen.has(name) && !/:\s*$/.test(raw)) {
      seen.add(name);
      const time = lines.get(name);
      const rewording = time && rewordings.find(({ isFor }) => isFor(time));
      // A repaired line is passed as it was understood.
      const isMended = time !== undefined && time.line.raw !== raw;
      const asWritten = isMended ? time.line.raw : own.slice(from, to).trimEnd();
      kept.push(rewording ? rewording.reword(time) : `${name}${asWritten.slice(name.length)}`);
    }
  }
  return [...kept, `END:${component.name}`, "END:VCALENDAR", ""].join("\r\n");
}

interface Answer {
  readonly DTSTART: unknown;
  readonly DTEND: unknown;
  readonly DUE: unknown;
  readonly COMPLETED: unknown;
}

function ask(text: string): Answer | null {
  try {
    const found = loadNodeIcal().sync.parseICS(text)["item"];
    if (found?.type !== "VEVENT" && found?.type !== "VTODO") return null;
    const { start: DTSTART, end: DTEND } = found;
    const isTodo = found.type === "VTODO";
    const [DUE, COMPLETED] = isTodo ? [found.due, found.completed] : [undefined, undefined];
    return { DTSTART, DTEND, DUE, COMPLETED };
  } catch {
    return null;
  }
}

function theirTime(answer: Answer, { line, zone }: TimeLine): PlainReading | null {
  const value = new Map<string, unknown>(Object.entries(answer)).get(line.name);
  if (!(value instanceof Date) || Number.isNaN(value.getTime())) return null;
  if (Reflect.get(value, "dateOnly") === true) {
    const [month, day] = [value.getMonth() + 1, value.getDate()];
    const on = Temporal.PlainDate.from({ year: value.getFullYear(), month, day });
    return { kind: "date", on: on.toString() };
  }
  if (zone === null || typeof zone === "string" || "kind" in zone) {
    return { kind: "time", at: value.getTime() };
  }
  const clock = Temporal.Instant.fromEpochMilliseconds(value.getTime()).toZonedDateTimeISO("UTC");
  const settled = settleClock({ clock: clock.toPlainDateTime(), zone });
  return settled && { kind: "time", at: settled.epochMilliseconds };
}

function ourTimes(item: IncomingItem): readonly (readonly [string, PlainReading | null])[] {
  const { when, completedAt } = item;
  const end: PlainReading | null =
    when?.kind === "dates"
      ? { kind: "date", on: when.end.toString() }
      : when
        ? { kind: "time", at: (when.end ?? when.start).epochMilliseconds }
        : null;
  return [
    ["DTSTART", plainOf(item.start)],
    ["DTEND", end],
    ["DUE", plainOf(item.due)],
    ["COMPLETED", completedAt ? { kind: "time", at: completedAt.epochMilliseconds } : null],
  ];
}

function plainOf(time: IncomingTime | undefined): PlainReading | null {
  if (!time) return null;
  return time.kind === "date"
    ? { kind: "date", on: time.on.toString() }
    : { kind: "time", at: time.at.epochMilliseconds };
}

const isSame = (a: PlainReading, b: PlainReading): boolean =>
  a.kind === "date" ? b.kind === "date" && a.on === b.on : b.kind === "time" && a.at === b.at;

const isExcused = (difference: TimeDifference): boolean =>
  excuses.some(({ isFor }) => isFor(difference));

/**
 * Compares a DURATION as a length: node-ical takes a day as 24 hours, also across a clock change, while RFC 5545 3.3.6 means a
 * calendar day.
 */
function lengthProblem({ component, item }: ReadItem, answer: Answer): IcsProblem | null {
  const line = firstLine(component, "DURATION");
  const length = line && readDuration(line.value);
  const { DTSTART: start, DTEND: end } = answer;
  if (!line || !length || !(start instanceof Date) || !(end instanceof Date)) return null;
  const theirs = (end.getTime() - start.getTime()) / 1000;
  if (theirs === length.total("seconds")) return null;
  const other = Temporal.Duration.from({ seconds: theirs }).round({ largestUnit: "hours" });
  return disagreement(item, line, [length.toString(), other.toString()]);
}

function problemOf(item: IncomingItem, { line, ours, theirs }: TimeDifference): IcsProblem {
  return disagreement(item, line, [inWords(ours), inWords(theirs)]);
}

function disagreement(
  { uid }: IncomingItem,
  line: ContentLine,
  [ours, theirs]: readonly [string, string],
): IcsProblem {
  const message = sentence("ical.readersDisagree", { text: quotedValue(line.raw), ours, theirs });
  return { line: line.line, uid: uid || null, code: "readers-disagree", message };
}

const inWords = (reading: PlainReading): string =>
  reading.kind === "date" ? reading.on : instantText(reading.at);

const instantText = (at: number): string =>
  Temporal.Instant.fromEpochMilliseconds(at).toString({ smallestUnit: "second" });
