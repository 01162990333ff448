import type { EventItem, Item, TaskItem } from "../domain/item.ts";
import type { Edit } from "../domain/journal.ts";
import { applyPatch } from "../domain/merge.ts";
import { sameWhen } from "../domain/when.ts";

/** The service's stamps have whole seconds, and its clock is not ours. */
const tolerance = Temporal.Duration.from({ seconds: 5 });

/**
 * Whether an item that no row knows may be the one that this creation has made: same place, title and dates, made by us
 * or by the edit's actor, and not before the request left. Shown now, it would stand twice in the view until the answer
 * comes in. A creation that the service has refused has made nothing.
 */
export function looksLike(edit: Edit, item: Item): boolean {
  if (edit.state === "parked" && edit.parkReason !== "unknown-outcome") return false;
  if (!edit.sentAt || !(item.byMe || (edit.actor !== null && item.creatorId === edit.actor))) {
    return false;
  }
  const earliest = edit.sentAt.subtract(tolerance);
  if (item.createdAt && Temporal.Instant.compare(item.createdAt, earliest) < 0) return false;
  const wish = applyPatch(edit.base, edit.patch);
  if (wish.title.trim() !== item.title.trim()) return false;
  if (wish.kind === "event" || item.kind === "event") {
    return wish.kind === "event" && item.kind === "event" && sameEvent(wish, item);
  }
  return sameTask(wish, item);
}

const sameEvent = (wish: EventItem, item: EventItem): boolean =>
  wish.projectId === item.projectId && sameWhen(wish.when, item.when);

const sameTask = (wish: TaskItem, item: TaskItem): boolean =>
  wish.kind === item.kind &&
  wish.listId === item.listId &&
  wish.parentId === item.parentId &&
  wish.startOn?.toString() === item.startOn?.toString() &&
  wish.dueOn?.toString() === item.dueOn?.toString();
