import { defaultLength, inZone, isReadTwice, oneLine, type When } from "@dayferry/ical";
import { formatClock, formatDay, formatList } from "../texts/dates.ts";
import { say } from "../texts/say.ts";
import type { Channel } from "./edit.ts";
import type { FieldTypeName } from "./field-types.ts";
import { type EditedField, type FieldName, fieldOf } from "./fields.ts";
import type { LabelId, ListId, PersonId, ProjectId } from "./ids.ts";
import { type Item, spokenKind } from "./item.ts";
import type { Patch, PatchField } from "./patch.ts";
import { programName } from "./program-name.ts";
import { plainDescription } from "./text.ts";

/** Values in words for people: days, lengths, one-line texts, and fields by name. */

/**
 * When an event takes place, for a reader in `zone`: "Tue 24 Nov 2026, 10:00–11:00 (Europe/Lisbon)". Whole days have no
 * zone. A repeated wall clock is shown with its offset.
 */
export function spanInWords(when: When, zone: string): string {
  const local = inZone(when, zone);
  if (local.kind === "dates") {
    const last = local.end.subtract({ days: 1 });
    const days = last.equals(local.start)
      ? dayInWords(local.start)
      : `${dayInWords(local.start)} – ${dayInWords(last)}`;
    return say("span.allDay", { days });
  }
  const { start, end } = local;
  const from = `${dayInWords(start)}, ${clockInWords(start)}`;
  if (!end) return `${from} (${zone})`;
  const sameDay = end.toPlainDate().equals(start.toPlainDate());
  const to = sameDay ? `–${clockInWords(end)}` : ` – ${dayInWords(end)}, ${clockInWords(end)}`;
  return `${from}${to} (${zone})`;
}

/** A moment for a reader in `zone`: "Tue 24 Nov 2026, 09:45 (Europe/Lisbon)". */
export function momentInWords(at: Temporal.Instant, zone: string): string {
  const local = at.toZonedDateTimeISO(zone);
  return `${dayInWords(local)}, ${clockInWords(local)} (${zone})`;
}

/**
 * How far away the start is: "Starts in 1 day 2 hours.", "Started 5 minutes ago.", "Starts tomorrow." for whole days.
 */
export function distanceInWords(when: When, now: Temporal.ZonedDateTime): string {
  if (when.kind === "dates") return daysInWords(when, now.toPlainDate());
  const start = when.start.withTimeZone(now.timeZoneId);
  const minutes = now.until(start).round({ smallestUnit: "minutes", relativeTo: now });
  if (minutes.sign === 0) return say("when.now");
  const exact = now.until(start, { largestUnit: "days" }).abs();
  const length = lengthInWords(exact, now);
  if (minutes.sign > 0) return say("when.in", { length });
  const end = when.end ?? when.start.add(defaultLength);
  const over = Temporal.ZonedDateTime.compare(end, now) <= 0;
  return say(over ? "when.agoOver" : "when.ago", { length });
}

/** A length in its two largest units: "1 day 2 hours", "2 hours 30 minutes", "15 minutes". */
export function lengthInWords(length: Temporal.Duration, from: Temporal.ZonedDateTime): string {
  const whole = length.round({ largestUnit: "days", smallestUnit: "minutes", relativeTo: from });
  const { days, hours, minutes } = whole.days
    ? whole.round({ largestUnit: "days", smallestUnit: "hours", relativeTo: from })
    : whole;
  const units = [
    ["length.days", days],
    ["length.hours", hours],
    ["length.minutes", minutes],
  ] as const;
  const parts = units.filter(([, count]) => count > 0).map(([unit, count]) => say(unit, { count }));
  return parts.length > 0 ? parts.join(" ") : say("length.minutes", { count: 0 });
}

/** A day: "Tue 24 Nov 2026". */
export function dayInWords(day: Temporal.PlainDate | Temporal.ZonedDateTime): string {
  return formatDay(day instanceof Temporal.PlainDate ? day : day.toPlainDate(), "day");
}

/** A wall clock: "09:00", "9:00 AM". A repeated one is shown with its offset. */
export function clockInWords(time: Temporal.PlainTime | Temporal.ZonedDateTime): string {
  if (time instanceof Temporal.PlainTime) return formatClock(time);
  const clock = formatClock(time.toPlainTime());
  return isReadTwice(time) ? `${clock} UTC${time.offset}` : clock;
}

/** How far away a due day is: "Due tomorrow", "Due in 7 days", "Was due yesterday". */
export function dueInWords(day: Temporal.PlainDate, today: Temporal.PlainDate): string {
  const { days } = today.until(day, { largestUnit: "days" });
  if (days === 0) return say("due.today");
  if (days === 1) return say("due.tomorrow");
  if (days > 1) return say("due.in", { days });
  return days === -1 ? say("due.yesterday") : say("due.ago", { days: -days });
}

function daysInWords(
  { start, end }: Extract<When, { readonly kind: "dates" }>,
  today: Temporal.PlainDate,
): string {
  const { days } = today.until(start, { largestUnit: "days" });
  if (days === 0) return say("when.today");
  if (days === 1) return say("when.tomorrow");
  if (days > 1) return say("when.inDays", { days });
  const over = Temporal.PlainDate.compare(end, today) <= 0;
  if (days === -1) return say(over ? "when.yesterdayOver" : "when.yesterday");
  return say(over ? "when.daysAgoOver" : "when.daysAgo", { days: -days });
}

/** Use of the service's quota, and what waits for it. Edits go first. */
export function quotaInWords({
  used,
  quota,
  waiting = {},
}: {
  readonly used: number;
  readonly quota: number;
  readonly waiting?: Readonly<Record<string, number>>;
}): string {
  const queued = Object.values(waiting).reduce((sum, count) => sum + count, 0);
  const behind = queued > 0 ? `; ${queued} more are queued, edits first` : "";
  return used < quota
    ? `${used} of the ${quota} requests the service allows are in use${behind}`
    : `all ${quota} requests the service allows are in use${behind}`;
}

/** People notice a delay of this length. */
const longBlockMs = 250;

/** That the main thread was blocked for a noticeable time; null if it was not. */
export function longBlockInWords({
  longestMs,
  minutes,
}: {
  readonly longestMs: number;
  /** The period it looks back on. */
  readonly minutes: number;
}): string | null {
  if (longestMs < longBlockMs) return null;
  const span = minutes === 1 ? "minute" : `${minutes} minutes`;
  return `there was no response for ${(longestMs / 1000).toFixed(1)} s at a time within the last ${span}`;
}

/** The first `most` characters as readers count them, with an ellipsis if something was cut. */
export function excerpt(text: string, most: number): string {
  if (text.length <= most) return text;
  let kept = "";
  let count = 0;
  for (const { segment } of new Intl.Segmenter("en").segment(text)) {
    // A character can consist of many combining marks.
    if (++count > most || kept.length + segment.length > most * 8) return `${kept.trimEnd()}…`;
    kept += segment;
  }
  return text;
}

/** One line of user-written text. */
export const plainLine = (text: string): string => oneLine(withoutOverrides(text));

/** Removes bidirectional overrides, so that a title cannot disguise the date after it. */
export const withoutOverrides = (text: string): string =>
  text.replace(/[\u202a-\u202e\u2066-\u2069]/g, "");

/** A list in a sentence: "A, B and C". */
export const enumerated = (words: readonly string[]): string => formatList(words);

/** How an edit came in. */
export const channelInWords = (channel: Channel): string => say(`channel.${channel}`);

/** "event", "milestone", "task" or "subtask", for people. */
export const kindInWords = (item: Item): string => say(`kind.${spokenKind(item)}`);

/** The program or channel of an edit; null if it came through these pages. */
export function programInWords({
  channel,
  program,
}: {
  readonly channel: Channel;
  readonly program: string | null;
}): string | null {
  if (channel === "dashboard") return null;
  const name = channel === "caldav" || channel === "upload" ? programName(program) : null;
  return name === null ? channelInWords(channel) : say("channel.by", { program: name });
}

/** Names for ids in texts. */
export interface Names {
  readonly people: ReadonlyMap<PersonId, string>;
  readonly labels: ReadonlyMap<LabelId, string>;
  readonly project: (id: ProjectId) => string | null;
  readonly list: (id: ListId) => string | null;
  /** The reader's zone. */
  readonly zone: string;
}

/** What people call a field. */
export const fieldNameOf = (field: PatchField | FieldName): string => say(`field.${field}`);

/** One field's value for people, on one line; "none" if unset. */
export function fieldInWords(field: PatchField, values: Patch, names: Names): string {
  if (field === "place") return placeInWords(values.place, names);
  if (field === "completed") return say(values.completed ? "value.done" : "value.open");
  if (field === "reminder" && values.reminder) {
    return say("length.before", { length: exactly(values.reminder) });
  }
  if (field === "assigned") {
    return listed(
      values.assigned?.map((id) => names.people.get(id) ?? say("unnamed.person", { id })),
    );
  }
  if (field === "labels") {
    return listed(values.labels?.map((id) => names.labels.get(id) ?? say("unnamed.label", { id })));
  }
  return wordsOfValue(values[field] ?? null, fieldOf(field).type.name, names);
}

/** A value that explains itself. */
function wordsOfValue(
  value: Patch[Exclude<EditedField, "assigned" | "labels">] | null,
  type: FieldTypeName,
  names: Names,
): string {
  if (type === "flag") return say(value === true ? "value.yes" : "value.no");
  if (value === null || value === undefined || typeof value === "boolean") return none();
  if (typeof value === "string") {
    return type === "prose"
      ? excerpt(plainLine(plainDescription(value)), 300) || none()
      : excerpt(plainLine(value), 200) || none();
  }
  if (value instanceof Temporal.PlainDate) return dayInWords(value);
  return value instanceof Temporal.Duration ? exactly(value) : spanInWords(value, names.zone);
}

const none = (): string => say("value.none");

function placeInWords(place: Patch["place"], { project, list }: Names): string {
  if (!place) return none();
  const { projectId, listId } = place;
  const parts = [
    project(projectId) ?? say("unnamed.project", { id: projectId }),
    ...(listId === null ? [] : [list(listId) ?? say("unnamed.list", { id: listId })]),
  ];
  return parts.map(plainLine).join(", ");
}

const listed = (words: readonly string[] | undefined): string =>
  words && words.length > 0 ? words.map(plainLine).join(", ") : none();

/** An exact length ignores zones and clock changes. */
const exactly = (length: Temporal.Duration): string =>
  lengthInWords(length, new Temporal.ZonedDateTime(0n, "UTC"));
