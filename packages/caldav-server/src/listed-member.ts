import {
  type Calendar,
  type CalendarBackend,
  type CalendarObject,
  OutdatedObjectError,
} from "./backend.ts";

/** Processes a listed member in its present version, as others may edit while a long answer is made. Null if it is gone. */
export function withPresent<Value>(
  work: (object: CalendarObject) => Value,
  of: {
    readonly backend: CalendarBackend;
    readonly calendar: Calendar;
    readonly object: CalendarObject;
  },
): Value | null {
  const { backend, calendar, object } = of;
  try {
    return work(object);
  } catch (error) {
    if (!(error instanceof OutdatedObjectError)) throw error;
    const present = backend.finder(calendar)(object.name);
    return present && work(present);
  }
}
