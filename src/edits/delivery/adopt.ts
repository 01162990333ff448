import type { PersonId } from "../../domain/ids.ts";
import type { Item } from "../../domain/item.ts";
import { sameField, valuesOf } from "../../domain/merge.ts";
import { sameText } from "../../ics/text/decoration.ts";

/** A creation whose answer was lost. `sentAt`: when it left; `actor`: on whose behalf. */
export interface LostCreation {
  readonly wished: Item;
  readonly sentAt: Temporal.Instant;
  readonly actor: PersonId | null;
}

/** The service's stamps have whole seconds, and its clock may be a little behind. */
const tolerance = Temporal.Duration.from({ seconds: 2 });

/**
 * The items of a list that may be what a lost creation has made: same title and dates, made by the same hand and not
 * before the request left. The caller leaves out those that are known as something else.
 */
export function findCreated(items: readonly Item[], lost: LostCreation): readonly Item[] {
  return items.filter((item) => isOfTheTime(item, lost) && looksAlike(item, lost.wished));
}

/**
 * The items of a list that may be what a lost creation has made and somebody has changed since, so that title and dates
 * tell nothing any more. The caller leaves out those that are known to be something else.
 */
export function findAltered(items: readonly Item[], lost: LostCreation): readonly Item[] {
  return items.filter((item) => {
    const { createdAt, updatedAt } = item;
    const isChanged =
      createdAt !== null &&
      updatedAt !== null &&
      Temporal.Instant.compare(createdAt, updatedAt) < 0;
    return isChanged && isOfTheTime(item, lost) && !looksAlike(item, lost.wished);
  });
}

/** A move of a task whose answer was lost. `before`: the task as it was when the request left. */
interface LostMove extends LostCreation {
  readonly before: Item;
}

/**
 * The tasks of a list that may be a moved task under another id: same title and dates, and made when the task was, or
 * by the same hand when it was moved. The caller leaves out those that are known as something else.
 */
export function findMoved(items: readonly Item[], lost: LostMove): readonly Item[] {
  const { createdAt, id } = lost.before;
  const isOld = (item: Item) => createdAt !== null && item.createdAt?.equals(createdAt) === true;
  return items.filter((item) => {
    const isOfAge = isOld(item) || isOfTheTime(item, lost);
    return item.id !== id && isOfAge && looksAlike(item, lost.wished);
  });
}

/** Made by the same hand, and not before the request left. */
function isOfTheTime({ createdAt, byMe, creatorId }: Item, { sentAt, actor }: LostCreation) {
  const earliest = sentAt.subtract(tolerance);
  const isLate = createdAt === null || Temporal.Instant.compare(createdAt, earliest) >= 0;
  return isLate && (byMe || (actor !== null && creatorId === actor));
}

/** Whether two items could be taken for each other: same place, kind, title and dates. */
export function looksAlike(a: Item, b: Item): boolean {
  if (a.kind !== b.kind || a.projectId !== b.projectId) return false;
  if (!sameText(a.title.trim(), b.title.trim())) return false;
  const [x, y] = [valuesOf(a), valuesOf(b)];
  if (a.kind === "event" || b.kind === "event") {
    return sameField("when", x, y) && x.milestone === y.milestone;
  }
  const isThere = a.listId === b.listId && a.parentId === b.parentId;
  return isThere && sameField("startOn", x, y) && sameField("dueOn", x, y);
}
