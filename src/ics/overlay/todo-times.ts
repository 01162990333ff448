import {
  asWritten,
  type IncomingTime,
  type ObjectLines,
  readContentLine,
  readSpan,
  readTree,
  todoDays,
  writeDate,
  writeStamp,
  zonesOfFile,
} from "@dayferry/ical";

type Day = Temporal.PlainDate;

/** A client's DTSTART or DUE with a time of day. */
interface Timed {
  /** The line up to its value, after the name. */
  readonly params: string;
  readonly isUtc: boolean;
  readonly at: Temporal.ZonedDateTime;
}

/**
 * The date lines of a to-do for a client's octets. The service has dates only, so the client's times of day are kept on the new
 * days. A date and a time cannot be combined, so a new one takes the other's time. If it would be due before it starts, both
 * become dates. `zone`: the account's, for days. Source: RFC 5545 3.8.2.3 (one value type, DUE not before DTSTART).
 */
export function timedLines(
  lines: readonly string[],
  { object, zone }: { readonly object: ObjectLines; readonly zone: string },
): readonly string[] {
  const span = spanIn(object, zone);
  const start = timedOf("DTSTART", object, span.start);
  // With a DURATION, its parameters are those of the start.
  const end = timedOf("DUE", object, span.due) ?? startsWords(start, span.due);
  const model = { start: start ?? end, due: end ?? start };
  if (!model.start || !model.due) return lines;

  const was = todoDays(span, zone);
  const due = dayIn(lines, "DUE");
  const begins = dayIn(lines, "DTSTART") ?? carried(was, due);
  const moved = {
    start: begins && { ...model.start, at: onDay(model.start.at, begins, zone) },
    due: due && { ...model.due, at: onDay(model.due.at, due, zone) },
  };
  const isTurned =
    moved.start && moved.due && Temporal.ZonedDateTime.compare(moved.due.at, moved.start.at) < 0;
  if (isTurned) return lines;
  return [
    ...lines.filter((line) => !/^(?:DTSTART|DUE)[;:]/.test(line)),
    ...(moved.start ? [lineOf("DTSTART", moved.start)] : []),
    ...(moved.due ? [lineOf("DUE", moved.due)] : []),
  ];
}

/** A start that is not before the due date is omitted, so one on that day moves with it. */
function carried(
  was: { readonly start: Day | undefined; readonly due: Day | undefined },
  due: Day | undefined,
): Day | undefined {
  return was.start && was.due && was.start.equals(was.due) ? due : undefined;
}

function spanIn({ text, lines, begin }: ObjectLines, zone: string) {
  const calendar = readTree(text);
  const component = calendar.components.find(({ line }) => line === lines[begin]?.line);
  if (!component) throw new Error("one text was split in two ways");
  const zoneOf = zonesOfFile(calendar, zone);
  const { start, end } = readSpan({
    component,
    uid: "",
    problems: [],
    zoneOf,
  });
  return { start, due: end };
}

function timedOf(
  name: "DTSTART" | "DUE",
  object: ObjectLines,
  time: IncomingTime | undefined,
): Timed | undefined {
  const [at] = object.own.get(name) ?? [];
  const raw = at === undefined ? "" : (object.lines[at]?.raw ?? "");
  const line = readContentLine(raw, 0);
  if (time?.kind !== "time" || !line.ok) return undefined;
  const { value } = line.value;
  const params = raw.slice(name.length, raw.length - value.length);
  return { params, isUtc: value.trim().endsWith("Z"), at: time.at };
}

const startsWords = (start: Timed | undefined, due: IncomingTime | undefined): Timed | undefined =>
  start && due?.kind === "time" ? { ...start, at: due.at } : undefined;

function dayIn(lines: readonly string[], name: string): Day | undefined {
  const digits = lines
    .map((line) => new RegExp(`^${name}(?:;[^:]*)?:(\\d{8})$`).exec(line)?.[1])
    .find((found) => found !== undefined);
  return digits === undefined ? undefined : Temporal.PlainDate.from(digits);
}

/** The same time of day on another day, in its writer's zone. */
function onDay(at: Temporal.ZonedDateTime, day: Day, zone: string): Temporal.ZonedDateTime {
  const own = asWritten(at, zone);
  const time = own.toPlainTime();
  return day
    .toZonedDateTime({ timeZone: own.timeZoneId, plainTime: time })
    .withTimeZone(at.timeZoneId);
}

function lineOf(name: string, { params, isUtc, at }: Timed): string {
  if (isUtc) return `${name}${params}${writeStamp(at.toInstant())}`;
  const time = at.toPlainTime().toString({ smallestUnit: "second" }).replaceAll(":", "");
  return `${name}${params}${writeDate(at.toPlainDate())}T${time}`;
}
