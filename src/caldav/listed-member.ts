import type { Calendar, CalendarObject, Calendars } from "../calendars/calendar-types.ts";
import { EarlierObjectError } from "../calendars/object-cache.ts";

/**
 * Does something with a member that was listed a while ago: with its present version where it has changed since, as a
 * long answer is made while others go on editing. Null for one that has gone.
 */
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
