import { oneLine, wholeDay } from "@dayferry/ical";
import { fieldOf } from "./fields.ts";
import { type EventItem, type Item, milestoneCategory, type TaskItem } from "./item.ts";
import { fieldsOf, type Patch, type PatchField, type Place, pick, valuesOf } from "./patch.ts";
import { sameDay, sameWhen, wordsOf } from "./same-values.ts";
import { decodeEntities, plainDescription } from "./text.ts";

/**
 * Compares items and their fields in three ways, each at least as tolerant as the one before: as stored (`sameStored`),
 * as shown to people (`sameShown`), and as the service returns what it was sent (`missingFields`). `looksAlike`
 * compares whole items when it is unknown whether one is the other.
 */

/** Compares two values of one field. */
export type FieldComparison = (field: PatchField, a: Patch, b: Patch) => boolean;

/**
 * True if two values are stored alike: texts exactly, times and lengths to the minute, sets without order. A field
 * present in only one of them differs.
 */
export function sameStored(field: PatchField, a: Patch, b: Patch): boolean {
  if (field === "place") {
    return a.place && b.place ? samePlace(a.place, b.place) : a.place === b.place;
  }
  if (a[field] === undefined || b[field] === undefined) return a[field] === b[field];
  return fieldOf(field).type.same(a[field], b[field]);
}

/**
 * True if two values look the same to people. Outer white space, line ends and equivalent HTML are ignored, and no
 * description equals an empty one.
 */
export function sameShown(field: PatchField, a: Patch, b: Patch): boolean {
  const type = field === "place" ? null : fieldOf(field).type;
  if (!type?.sameShown || a[field] === undefined || b[field] === undefined) {
    return sameStored(field, a, b);
  }
  return type.sameShown(a[field], b[field]);
}

export const samePlace = (a: Place, b: Place): boolean =>
  a.projectId === b.projectId && a.listId === b.listId;

/**
 * The wanted fields that the service's answer does not carry. Differences that `sameShown` allows are ignored, and of a
 * milestone only the first day counts.
 */
export function missingFields(wish: Patch, answer: Item): readonly PatchField[] {
  const got = valuesOf(answer);
  return fieldsOf(wish).filter((field) => {
    return !sameShown(field, field === "when" ? firstDayOf(wish, got) : wish, got);
  });
}

/** Like `missingFields`, also ignoring HTML entities and other white space. */
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

/** The wanted fields that differ from `base`. */
export const changedFields = (base: Patch, wish: Patch): Patch =>
  pick(wish, differingFields(base, wish));

/** Normalises a label's name, which is a category in calendars. */
export const nameKey = (name: string): string => oneLine(name).normalize("NFC").toLowerCase();

/** True if a category marks a milestone. */
export const isMilestoneCategory = (name: string): boolean => nameKey(name) === milestoneKey;

const milestoneKey = nameKey(milestoneCategory);

/** Normalises a text for every way in which a service may store it: HTML entities, other white space. */
export const storedKey = (text: string): string => wordsOf(decodeEntities(text));

/**
 * True if two items could be the same one: same place, kind, title and dates. The service may have changed everything
 * else.
 */
export function looksAlike(a: Item, b: Item): boolean {
  if (a.projectId !== b.projectId || storedKey(a.title) !== storedKey(b.title)) return false;
  if (a.kind === "event" || b.kind === "event") {
    return sameSpan(a, b) && "milestone" in a && "milestone" in b && a.milestone === b.milestone;
  }
  const isThere = a.kind === b.kind && a.listId === b.listId && a.parentId === b.parentId;
  return isThere && sameDay(a.startOn, b.startOn) && sameDay(a.dueOn, b.dueOn);
}

/** How many of the wanted values an item still has: title, each date, description. */
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

/** True if both have the same creation stamp, which a moved item keeps. */
export const sameCreation = (a: Item, b: Item): boolean =>
  a.createdAt !== null && b.createdAt?.equals(a.createdAt) === true;

function firstDayOf(wish: Patch, got: Patch): Patch {
  const { when } = wish;
  if (!when || !got.milestone || when.kind !== "dates") return wish;
  return { when: wholeDay(when.start) };
}

const sameSpan = (a: Item, b: Item): boolean =>
  a.kind === "event" && b.kind === "event" && sameEventSpan(a, b);

/** For two milestones only the first day counts, as in `missingFields`. Either may still have its last day. */
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
