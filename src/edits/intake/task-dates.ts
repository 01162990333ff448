import type { TaskItem } from "../../domain/item.ts";
import { changedFields, fieldsOf, type Patch } from "../../domain/merge.ts";
import type { IncomingItem, IncomingTime } from "../../ics/read/read.ts";
import { spokenNames } from "./event-times.ts";
import { type Part, refuse, silent, wish } from "./part.ts";

type Day = Temporal.PlainDate;

/** How feeds show a task: on its due date, or from start to due date. */
export type TaskSpan = "due" | "span";

/**
 * The wish for start and due date of a task: DTSTART and DUE of a VTODO, or the days of the VEVENT by which a feed shows
 * it. A time of day is refused, as the service has none for tasks.
 */
export function taskDatesPart(
  incoming: IncomingItem,
  { base, span }: { readonly base: TaskItem; readonly span: TaskSpan },
): Part {
  const timed = [incoming.start, incoming.due].find((time) => time?.kind === "time");
  if (timed?.kind === "time") {
    const at = timed.at.toPlainDateTime().toString({ smallestUnit: "minute" });
    const message = `a task cannot have a time of day, such as ${at}`;
    return refuse({ line: incoming.line, code: "task-time", message });
  }
  if (incoming.component === "VTODO") return ordered(todoDates(incoming), { incoming, base });
  if (incoming.when?.kind !== "dates") return silent;

  const shown = shownDays(base, span);
  const days = spokenDays({ incoming, first: incoming.when.start, end: incoming.when.end }, shown);
  if (shown && days.first.equals(shown.first) && days.last.equals(shown.last)) return silent;
  const isLong = !days.first.equals(days.last);
  if (span === "due" && isLong) {
    const message = `the calendar shows the task on its due date alone; it cannot last from ${days.first.toString()} to ${days.last.toString()}`;
    return refuse({ line: incoming.line, code: "task-days", message });
  }
  return ordered(movedDates(days, { base, isLong, span }), { incoming, base });
}

interface Days {
  readonly first: Day;
  /** Inclusive. */
  readonly last: Day;
}

function todoDates({ start, due }: IncomingItem): Patch {
  return { ...dated("startOn", start), ...dated("dueOn", due) };
}

function dated(field: "startOn" | "dueOn", time: IncomingTime | undefined): Patch {
  return time?.kind === "date" ? { [field]: time.on } : {};
}

/** The days on which a feed shows the task; null when it has no date. */
function shownDays({ startOn, dueOn }: TaskItem, span: TaskSpan): Days | null {
  const last = dueOn ?? startOn;
  if (!last) return null;
  const isSpan = span === "span" && startOn && !isBefore(last, startOn);
  return { first: isSpan ? startOn : last, last };
}

const isBefore = (a: Day, b: Day): boolean => Temporal.PlainDate.compare(a, b) < 0;

function spokenDays(
  { incoming, first, end }: { incoming: IncomingItem; first: Day; end: Day },
  shown: Days | null,
): Days {
  const names = spokenNames(incoming);
  if (names.has("DTEND") || names.has("DURATION") || !shown) {
    return { first, last: end.subtract({ days: 1 }) };
  }
  return { first, last: first.add(shown.first.until(shown.last, { largestUnit: "days" })) };
}

/** A task that is shown by its start date alone is moved by it. */
function movedDates(
  days: Days,
  about: { readonly base: TaskItem; readonly isLong: boolean; readonly span: TaskSpan },
): Patch {
  const { base, isLong, span } = about;
  if (isLong || (span === "span" && base.startOn && base.dueOn)) {
    return { startOn: days.first, dueOn: days.last };
  }
  return base.dueOn === null && base.startOn ? { startOn: days.first } : { dueOn: days.last };
}

function ordered(
  patch: Patch,
  { incoming, base }: { readonly incoming: IncomingItem; readonly base: TaskItem },
): Part {
  const changed = changedFields({ startOn: base.startOn, dueOn: base.dueOn }, patch);
  const startOn = changed.startOn ?? base.startOn;
  const dueOn = changed.dueOn ?? base.dueOn;
  const isChanged = fieldsOf(changed).length > 0;
  if (!isChanged || !startOn || !dueOn || !isBefore(dueOn, startOn)) return wish(changed);
  const message = `the task would be due on ${dueOn.toString()}, before it starts on ${startOn.toString()}`;
  return refuse({ line: incoming.line, code: "due-before-start", message });
}
