import type { Calendar, CalendarObject, Calendars } from "../calendars/calendar-types.ts";
import { EarlierObjectError } from "../calendars/object-cache.ts";

/** Processes a listed member in its present version, as others may edit while a long answer is made. Null if it is gone. */
export function withPresent<Value>(
  work: (object: CalendarObject) => Value,
  of: {
    readonly calendars: Pick<Calendars, "object">;
    readonly calendar: Calendar;
    readonly object: CalendarObject;
  },
): Value | null {
  const { calendars, calendar, object } = of;
  try {
    return work(object);
  } catch (error) {
    if (!(error instanceof EarlierObjectError)) throw error;
    const present = calendars.object(calendar, object.name);
    return present && work(present);
  }
}
