import type { SubscribedItem } from "../../store/rows/channels.ts";
import type { ViewItem } from "../../store/view/view.ts";
import type { DiffContext } from "../intake/diff.ts";

/** In how many whole snapshots in a row an item must be absent before that counts. */
export const snapshotsUntilGone = 2;

/**
 * Why an item that left a subscribed calendar is not deleted for it; null when it is. Calendars drop what is over, and
 * one that itself subscribes to a feed drops what leaves the feed by itself.
 */
export function whyKept(
  { item }: ViewItem,
  about: {
    readonly entry: SubscribedItem;
    readonly context: DiffContext;
    readonly at: Temporal.Instant;
  },
): string | null {
  const { entry, context, at } = about;
  const today = at.toZonedDateTimeISO(context.zone).toPlainDate();
  if (item.completed) return "it is completed, and completed items leave calendars by themselves";
  const hidden = item.kind === "event" ? item.private : context.privateLists.has(item.listId);
  if (hidden) return "it is private, and private items may be hidden from calendars";
  if (entry.projectId !== null && item.projectId !== entry.projectId) {
    return "it was moved to another project";
  }
  const last = lastDay(item, context.zone);
  if (last && Temporal.PlainDate.compare(last, today) < 0) {
    return "it is over, and calendars drop what is over";
  }
  return null;
}

function lastDay(item: ViewItem["item"], zone: string): Temporal.PlainDate | null {
  if (item.kind !== "event") return item.dueOn ?? item.startOn;
  const { when } = item;
  if (when.kind === "dates") return when.end.subtract({ days: 1 });
  return (when.end ?? when.start).withTimeZone(zone).toPlainDate();
}
