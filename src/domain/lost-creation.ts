import type { PersonId } from "./ids.ts";
import type { EventItem, Item, TaskItem } from "./item.ts";
import { sameWhen } from "./when.ts";

/** A creation whose answer was lost. `sentAt`: when it first left; `actor`: on whose behalf. */
export interface LostCreation {
  readonly wished: Item;
  readonly sentAt: Temporal.Instant;
  readonly actor: PersonId | null;
}

/** More than any clock is wrong, a wrong zone included: what is older by its own stamp is something else. */
const widest = Temporal.Duration.from({ hours: 26 });

/**
 * How an item that nobody knew when the request left is like what the creation was to make: the `same` place, title and dates, or
 * `altered`: moved, renamed or dated anew, but alike in something. Null when a different hand has made it, or when it differs in
 * everything. The service's clock does not decide: it may be wrong by any zone.
 */
export function likenessOf(item: Item, lost: LostCreation): "same" | "altered" | null {
  if (!isOfHand(item, lost) || isAncient(item, lost)) return null;
  if (looksAlike(item, lost.wished)) return "same";
  return sharedFields(item, lost.wished) > 0 ? "altered" : null;
}

/** How much of what was wished an item still says: its title, each of its dates, its description. */
export function sharedFields(item: Item, wished: Item): number {
  if (item.kind !== wished.kind) return 0;
  const texts = [
    sameWords(item.title, wished.title),
    sameWords(item.description, wished.description),
  ];
  const dates =
    item.kind === "event" || wished.kind === "event"
      ? [sameSpan(item, wished)]
      : sharedDates(item, wished);
  return [...texts, ...dates].filter(Boolean).length;
}

/** Whether two items could be taken for each other: same place, kind, title and dates. */
export function looksAlike(a: Item, b: Item): boolean {
  if (a.projectId !== b.projectId || plain(a.title) !== plain(b.title)) return false;
  if (a.kind === "event" || b.kind === "event") {
    return sameSpan(a, b) && "milestone" in a && "milestone" in b && a.milestone === b.milestone;
  }
  const isThere = a.kind === b.kind && a.listId === b.listId && a.parentId === b.parentId;
  return isThere && sameDay(a.startOn, b.startOn) && sameDay(a.dueOn, b.dueOn);
}

/** Whether the hand that the creation went out under has made the item. */
function isOfHand({ byMe, creatorId }: Item, { actor }: LostCreation): boolean {
  return byMe || (actor !== null && creatorId === actor);
}

const isAncient = ({ createdAt }: Item, { sentAt }: LostCreation): boolean =>
  createdAt !== null && Temporal.Instant.compare(createdAt, sentAt.subtract(widest)) < 0;

const sameSpan = (a: Item, b: Item): boolean =>
  a.kind === "event" && b.kind === "event" && sameEventSpan(a, b);

/** A milestone is its first day. */
function sameEventSpan(a: EventItem, b: EventItem): boolean {
  if (sameWhen(a.when, b.when)) return true;
  const isDay = a.milestone && b.milestone && a.when.kind === "dates" && b.when.kind === "dates";
  return isDay && a.when.start.toString() === b.when.start.toString();
}

const sharedDates = (a: TaskItem, b: TaskItem): readonly boolean[] => [
  a.startOn !== null && sameDay(a.startOn, b.startOn),
  a.dueOn !== null && sameDay(a.dueOn, b.dueOn),
];

const sameDay = (a: Temporal.PlainDate | null, b: Temporal.PlainDate | null): boolean =>
  a?.toString() === b?.toString();

const sameWords = (a: string | null, b: string | null): boolean =>
  plain(a) !== "" && plain(a) === plain(b);

const plain = (text: string | null): string =>
  (text ?? "").normalize("NFC").replace(/\s+/g, " ").trim();
