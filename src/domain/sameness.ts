import { oneLine, wholeDay } from "@dayferry/ical";
import { fieldOf } from "./fields.ts";
import { type EventItem, type Item, milestoneCategory, type TaskItem } from "./item.ts";
import { fieldsOf, type Patch, type PatchField, type Place, pick, valuesOf } from "./patch.ts";
import { sameDay, sameWhen, wordsOf } from "./same-values.ts";
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
  if (field === "place") {
    return a.place && b.place ? samePlace(a.place, b.place) : a.place === b.place;
  }
  if (a[field] === undefined || b[field] === undefined) return a[field] === b[field];
  return fieldOf(field).type.same(a[field], b[field]);
}

/**
 * Whether two values of one field say the same to people. Texts are compared as calendars show them: white space at the
 * ends, line ends and another way of writing the same HTML make no difference, and no description is an empty one.
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
