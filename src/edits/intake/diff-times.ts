import {
  defaultLength,
  type IncomingItem,
  type IncomingTime,
  inZone,
  propertyName,
  type When,
  wholeDay,
} from "@dayferry/ical";
import type { EventItem, TaskItem } from "../../domain/item.ts";
import { fieldsOf, type Patch } from "../../domain/patch.ts";
import { sameWhen } from "../../domain/same-values.ts";
import { changedFields } from "../../domain/sameness.ts";
import { say } from "../../texts/say.ts";
import { type PlanPart, refuse, silent, wish } from "./plan-part.ts";

interface EventAim {
  readonly base: EventItem;
  /** True if the event will be a milestone. */
  readonly milestone: boolean;
  /** The account's zone. */
  readonly zone: string;
}

/**
 * The change of an event's start and end. A missing end keeps the duration; the default duration that a calendar shows is no
 * change. A milestone is one day.
 */
export function eventTimesPart(incoming: IncomingItem, aim: EventAim): PlanPart {
  const { base, milestone, zone } = aim;
  const spoken = incoming.component === "VTODO" ? dayOfTodo(incoming) : incoming.when;
  const when = spoken
    ? wishedTimes(serviceTimes(spoken, zone), { incoming, base: base.when })
    : null;
  if (milestone) {
    const fault = milestoneFault(when ?? base.when, aim);
    if (fault) return refuse({ line: incoming.line, ...fault });
  }
  return when && !sameWhen(when, base.when) ? wish({ when }) : silent;
}

/** Times as the service stores them: in the account's zone, to the minute, and without an end equal to the start. */
export function serviceTimes(spoken: When, zone: string): When {
  const when = inZone(spoken, zone);
  if (when.kind === "dates") return when;
  const start = wholeMinute(when.start);
  const end = when.end && wholeMinute(when.end);
  return { kind: "times", start, end: end?.equals(start) ? null : end };
}

/** Names of an item's own properties, without those of its alarms. */
export function spokenNames(incoming: IncomingItem): ReadonlySet<string> {
  const names = new Set<string>();
  let depth = 0;
  for (const line of incoming.raw) {
    const name = propertyName(line);
    if (name === "END") depth--;
    if (depth === 1) names.add(name);
    if (name === "BEGIN") depth++;
  }
  return names;
}

/** A milestone's day in a to-do: DUE, else DTSTART. */
export function dayOfTodo({ due, start }: IncomingItem): When | undefined {
  const time = due ?? start;
  if (!time) return undefined;
  if (time.kind === "time") return { kind: "times", start: time.at, end: null };
  return wholeDay(time.on);
}

function wishedTimes(
  spoken: When,
  { incoming, base }: { readonly incoming: IncomingItem; readonly base: When },
): When {
  const names = spokenNames(incoming);
  const endSpoken = names.has("DTEND") || names.has("DURATION") || names.has("DUE");
  if (spoken.kind === "dates") {
    if (base.kind !== "dates" || endSpoken) return spoken;
    return {
      ...spoken,
      end: spoken.start.add(base.start.until(base.end, { largestUnit: "days" })),
    };
  }
  const { start, end } = spoken;
  if (base.kind === "times" && !endSpoken) {
    const length = base.end && base.start.until(base.end, { largestUnit: "hours" });
    return { kind: "times", start, end: length && start.add(length) };
  }
  const unknownEnd = base.kind === "times" && base.end === null;
  const isDefault = unknownEnd && end?.equals(start.add(defaultLength));
  return { kind: "times", start, end: isDefault ? null : end };
}

const wholeMinute = (time: Temporal.ZonedDateTime): Temporal.ZonedDateTime =>
  time.round({ smallestUnit: "minute", roundingMode: "floor" });

function milestoneFault(
  when: When,
  { base }: EventAim,
): { readonly code: string; readonly message: string } | null {
  if (when.kind === "times") {
    const time = when.start.toPlainDateTime().toString({ smallestUnit: "minute" });
    return { code: "milestone-time", message: say("intake.milestoneTime", { time }) };
  }
  const days = daysOf(when);
  const kept = base.milestone && base.when.kind === "dates" && days === daysOf(base.when);
  if (days === 1 || kept) return null;
  return { code: "milestone-days", message: say("intake.milestoneDays", { days }) };
}

const daysOf = (when: Extract<When, { readonly kind: "dates" }>): number =>
  when.start.until(when.end, { largestUnit: "days" }).days;

type Day = Temporal.PlainDate;

/** How feeds show a task: on its due date, or from start to due date. */
type TaskSpan = "due" | "span";

/**
 * The change of a task's start and due date: DTSTART and DUE of a VTODO, or the days of the VEVENT in a feed. A time of day is
 * refused, as the service has none for tasks.
 */
export function taskDatesPart(incoming: IncomingItem, base: TaskItem, span: TaskSpan): PlanPart {
  const timed = [incoming.start, incoming.due].find((time) => time?.kind === "time");
  if (timed?.kind === "time") {
    const time = timed.at.toPlainDateTime().toString({ smallestUnit: "minute" });
    const message = say("intake.taskTime", { time });
    return refuse({ line: incoming.line, code: "task-time", message });
  }
  if (incoming.component === "VTODO") return ordered(todoDates(incoming), incoming, base);
  if (incoming.when?.kind !== "dates") return silent;

  const shown = shownDays(base, span);
  const days = spokenDays({ incoming, first: incoming.when.start, end: incoming.when.end }, shown);
  if (shown && days.first.equals(shown.first) && days.last.equals(shown.last)) return silent;
  const isLong = !days.first.equals(days.last);
  if (span === "due" && isLong) {
    const span = { first: days.first.toString(), last: days.last.toString() };
    const message = say("intake.taskDays", span);
    return refuse({ line: incoming.line, code: "task-days", message });
  }
  return ordered(movedDates(days, { base, isLong, span }), incoming, base);
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

/** The days on which a feed shows the task; null without a date. */
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

/** A task shown by its start date alone is moved by it. */
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

function ordered(patch: Patch, incoming: IncomingItem, base: TaskItem): PlanPart {
  const changed = changedFields({ startOn: base.startOn, dueOn: base.dueOn }, patch);
  const startOn = changed.startOn ?? base.startOn;
  const dueOn = changed.dueOn ?? base.dueOn;
  const isChanged = fieldsOf(changed).length > 0;
  if (!isChanged || !startOn || !dueOn || !isBefore(dueOn, startOn)) return wish(changed);
  const dates = { due: dueOn.toString(), start: startOn.toString() };
  const message = say("intake.dueBeforeStart", dates);
  return refuse({ line: incoming.line, code: "due-before-start", message });
}
