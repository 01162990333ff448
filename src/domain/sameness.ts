import { cleanText, oneLine, type When, wholeDay, wholeMinutes } from "@dayferry/ical";
import { isHtml } from "./is-html.ts";
import { type EventItem, type Item, milestoneCategory, type TaskItem } from "./item.ts";
import { fieldsOf, type Patch, type PatchField, type Place, pick, valuesOf } from "./patch.ts";
import { unreachable } from "./result.ts";
import { cutSeconds } from "./service-times.ts";
import { decodeEntities, plainDescription } from "./text.ts";

/**
 * Whether this is the same as that. Values of an item are compared in three ways, each at least as generous as the one
 * before it: as they are stored (`sameStored`), as they are shown to people (`sameShown`), and as the service answers what
 * it was sent (`missingFields`). Two whole items are compared when nobody knows whether one is the other (`looksAlike`).
 */

/** Whether two values of one field are the same, in one of the ways in which that may be asked. */
export type FieldComparison = (field: PatchField, a: Patch, b: Patch) => boolean;

/**
 * Whether two values of one field are stored as the same: to the letter for texts, to the minute for times and lengths;
 * sets have no order. A field that only one of them speaks of differs.
 */
export function sameStored(field: PatchField, a: Patch, b: Patch): boolean {
  switch (field) {
    case "when":
      return a.when && b.when ? sameWhen(a.when, b.when) : a.when === b.when;
    case "reminder":
    case "estimated":
      return sameLength(a[field], b[field]);
    case "startOn":
    case "dueOn":
      return sameDay(a[field], b[field]);
    case "assigned":
    case "labels":
      return sameSet(a[field], b[field]);
    case "place":
      return a.place && b.place ? samePlace(a.place, b.place) : a.place === b.place;
    case "title":
    case "description":
    case "milestone":
    case "private":
    case "completed":
      return a[field] === b[field];
    default:
      return unreachable(field);
  }
}

/**
 * Whether two values of one field say the same to people. Texts are compared as calendars show them: white space at the
 * ends, line ends and another way of writing the same HTML make no difference, and no description is an empty one.
 */
export function sameShown(field: PatchField, a: Patch, b: Patch): boolean {
  if (a[field] === undefined || b[field] === undefined) return a[field] === b[field];
  if (field === "title") return sameTitle(a.title ?? "", b.title ?? "");
  if (field !== "description") return sameStored(field, a, b);
  return sameDescription(a.description ?? null, b.description ?? null);
}

/**
 * The wished fields that the service's answer does not carry. It writes texts in its own way, as `sameShown` allows, and
 * keeps of a milestone the first day.
 */
export function missingFields(wish: Patch, answer: Item): readonly PatchField[] {
  const got = valuesOf(answer);
  return fieldsOf(wish).filter((field) => {
    return !sameShown(field, field === "when" ? firstDayOf(wish, got) : wish, got);
  });
}

/** The same, but for texts that the service has stored in a way of its own: with entities of HTML, with other white space. */
export const unstoredFields = (wish: Patch, answer: Item): readonly PatchField[] =>
  missingFields(wish, answer).filter((field) => {
    if (field === "title") return storedKey(wish.title ?? "") !== storedKey(answer.title);
    if (field !== "description") return true;
    const [wished, got] = [wish.description ?? "", plainDescription(answer.description)];
    return storedKey(wished) !== storedKey(got);
  });

/** The fields of `other` that differ from `base`. */
export function differingFields(
  base: Patch,
  other: Patch,
  same: FieldComparison = sameStored,
): readonly PatchField[] {
  return fieldsOf(other).filter((field) => !same(field, base, other));
}

/** What turns `base` into `wish`: the wished fields that are not stored so already. */
export const changedFields = (base: Patch, wish: Patch): Patch =>
  pick(wish, differingFields(base, wish));

/** Whether two are the same to the minute, whatever zone they are written in. */
export function sameWhen(a: When, b: When): boolean {
  if (a.kind === "dates") {
    return b.kind === "dates" && a.start.equals(b.start) && a.end.equals(b.end);
  }
  if (b.kind !== "times" || !sameMinute(a.start, b.start)) return false;
  return a.end && b.end ? sameMinute(a.end, b.end) : a.end === b.end;
}

/** Whether two are the same day, or none in the same way: null (unset) is not undefined (not spoken of). */
export const sameDay = (
  a: Temporal.PlainDate | null | undefined,
  b: Temporal.PlainDate | null | undefined,
): boolean => (a && b ? a.equals(b) : a === b);

export const samePlace = (a: Place, b: Place): boolean =>
  a.projectId === b.projectId && a.listId === b.listId;

/** Whether two hold the same, in whatever order and how often. */
export function sameSet(
  a: readonly number[] | undefined,
  b: readonly number[] | undefined,
): boolean {
  return a && b ? new Set(a).symmetricDifference(new Set(b)).size === 0 : a === b;
}

/**
 * Whether two texts say the same: line ends, white space at the ends of lines, kinds of spaces and of accents are no
 * difference, as calendar programs write all of them anew.
 */
export const sameText = (a: string, b: string): boolean => a === b || asShown(a) === asShown(b);

/** Whether two titles say the same: white space around them is not shown. */
export const sameTitle = (a: string, b: string): boolean => sameText(a.trim(), b.trim());

/**
 * Whether two descriptions or comments, as the service has them, are shown as the same text. The service breaks and indents
 * HTML as it likes, so that white space in it means nothing.
 */
export function sameDescription(a: string | null, b: string | null): boolean {
  const [left, right] = [plainDescription(a).trim(), plainDescription(b).trim()];
  if (sameText(left, right)) return true;
  if (!isHtml(a ?? "") && !isHtml(b ?? "")) return false;
  return wordsOf(left) === wordsOf(right);
}

/** What all texts of the same words have in common, however these are spaced and accents are written. */
export const wordsOf = (text: string): string => text.normalize("NFC").replace(/\s+/g, " ").trim();

/** What all spellings of a label's name, a category in calendars, have in common. */
export const nameKey = (name: string): string => oneLine(name).normalize("NFC").toLowerCase();

/** Whether a category says of an event that it is a milestone. */
export const isMilestoneCategory = (name: string): boolean => nameKey(name) === milestoneKey;

const milestoneKey = nameKey(milestoneCategory);

/** What all ways have in common in which a service may store one text: with entities of HTML, with other white space. */
export const storedKey = (text: string): string => wordsOf(decodeEntities(text));

/**
 * Whether two items could be taken for each other: same place, kind, title and dates. Of what else they hold the service
 * may have made something of its own.
 */
export function looksAlike(a: Item, b: Item): boolean {
  if (a.projectId !== b.projectId || storedKey(a.title) !== storedKey(b.title)) return false;
  if (a.kind === "event" || b.kind === "event") {
    return sameSpan(a, b) && "milestone" in a && "milestone" in b && a.milestone === b.milestone;
  }
  const isThere = a.kind === b.kind && a.listId === b.listId && a.parentId === b.parentId;
  return isThere && sameDay(a.startOn, b.startOn) && sameDay(a.dueOn, b.dueOn);
}

/** How much of what was wished an item still says: its title, each of its dates, its description. */
export function sharedFields(item: Item, wished: Item): number {
  if (item.kind !== wished.kind) return 0;
  const texts = [
    sharesWords(item.title, wished.title),
    sharesWords(item.description, wished.description),
  ];
  const dates =
    item.kind === "event" || wished.kind === "event"
      ? [sameSpan(item, wished)]
      : sharedDates(item, wished);
  return [...texts, ...dates].filter(Boolean).length;
}

/** Whether both were made at the same moment, by the service's own stamp: a moved item keeps the one it was made with. */
export const sameCreation = (a: Item, b: Item): boolean =>
  a.createdAt !== null && b.createdAt?.equals(a.createdAt) === true;

function firstDayOf(wish: Patch, got: Patch): Patch {
  const { when } = wish;
  if (!when || !got.milestone || when.kind !== "dates") return wish;
  return { when: wholeDay(when.start) };
}

/** Before standard time a minute of one zone's clock begins within one of another zone's. */
function sameMinute(a: Temporal.ZonedDateTime, b: Temporal.ZonedDateTime): boolean {
  return a.epochMilliseconds === b.epochMilliseconds || isMinuteOf(a, b) || isMinuteOf(b, a);
}

function isMinuteOf(a: Temporal.ZonedDateTime, b: Temporal.ZonedDateTime): boolean {
  const cut = [a, b.withTimeZone(a.timeZoneId)].map((time) => cutSeconds(time).epochMilliseconds);
  return cut[0] === cut[1];
}

const sameLength = (
  a: Temporal.Duration | null | undefined,
  b: Temporal.Duration | null | undefined,
): boolean => (a && b ? wholeMinutes(a) === wholeMinutes(b) : a === b);

function asShown(text: string): string {
  return cleanText(text)
    .normalize("NFC")
    .replace(/[\u00a0\u202f\u2007]/g, " ")
    .split("\n")
    .map((line) => line.trimEnd())
    .join("\n")
    .trimEnd();
}

const sameSpan = (a: Item, b: Item): boolean =>
  a.kind === "event" && b.kind === "event" && sameEventSpan(a, b);

/** Of two milestones the first day counts, as in `missingFields`; either may still have its last one. */
function sameEventSpan(a: EventItem, b: EventItem): boolean {
  if (sameWhen(a.when, b.when)) return true;
  const areDays = a.milestone && b.milestone && a.when.kind === "dates" && b.when.kind === "dates";
  return areDays && sameDay(a.when.start, b.when.start);
}

const sharedDates = (a: TaskItem, b: TaskItem): readonly boolean[] => [
  a.startOn !== null && sameDay(a.startOn, b.startOn),
  a.dueOn !== null && sameDay(a.dueOn, b.dueOn),
];

function sharesWords(a: string | null, b: string | null): boolean {
  const words = storedKey(a ?? "");
  return words !== "" && words === storedKey(b ?? "");
}
