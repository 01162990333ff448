import type { Calendar, CalendarObject } from "../../calendars/calendar.ts";
import type { DavContext } from "../context.ts";

/** The calendar in which the person is shown the item of a UID, `assigned` last of all; null when it is in none. */
export function holderOf(
  { calendars, person }: Pick<DavContext, "calendars" | "person">,
  uid: string,
): { readonly calendar: Calendar; readonly object: CalendarObject } | null {
  const all = calendars.list(person.id);
  const own = all.filter(({ kind }) => kind === "events" || kind === "tasks");
  for (const calendar of [...own, ...all.filter(({ kind }) => kind === "assigned")]) {
    const object = calendars.objectOfUid(calendar, uid);
    if (object) return { calendar, object };
  }
  return null;
}
