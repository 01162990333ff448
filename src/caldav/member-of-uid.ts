import type { IncomingItem } from "@dayferry/ical";
import type { Calendar, CalendarObject } from "../calendars/calendar-types.ts";
import type { WriteContext } from "./write-context.ts";

/** A member, and the calendar in which the person sees it. */
export interface Located {
  readonly calendar: Calendar;
  readonly object: CalendarObject;
}

/** Where the person sees the item of a UID, with `assigned` last; null if nowhere. */
export function memberOfUid(
  uid: string,
  { calendars, person }: Pick<WriteContext, "calendars" | "person">,
): Located | null {
  const all = calendars.list(person.id);
  const own = all.filter(({ kind }) => kind === "events" || kind === "tasks");
  for (const calendar of [...own, ...all.filter(({ kind }) => kind === "assigned")]) {
    const object = calendars.objectOfUid(calendar, uid);
    if (object) return { calendar, object };
  }
  return null;
}

/**
 * The to-do of a PUT. A new one has no task above it that the person cannot see, nor may the answer reveal that task. A task of
 * another list has its subtasks there, so the to-do becomes a task where it was put.
 */
export function putBelow(
  context: WriteContext,
  { calendar, incoming }: { readonly calendar: Calendar; readonly incoming: IncomingItem },
): IncomingItem {
  const { uid, relatedTo } = incoming;
  // It stays where it is, whatever it names.
  if (context.store.view.findUid(uid)) return incoming;
  const above = relatedTo === undefined ? null : context.store.view.findUid(relatedTo)?.item;
  if (relatedTo === undefined || !above) return incoming;
  const isFar = above.kind !== "event" && above.listId !== calendar.listId;
  return isFar || !memberOfUid(relatedTo, context)
    ? { ...incoming, relatedTo: undefined }
    : incoming;
}
