import type { PersonId } from "../../domain/ids.ts";
import { propertyRow } from "../rows/calendars.ts";
import type { StoreDeps } from "../view/changes.ts";

/** What a person's programs have set on calendars, by `{namespace}name`. `calendar` is the last part of its address. */
export interface CalendarProperties {
  of(person: PersonId, calendar: string): ReadonlyMap<string, string>;
  put(at: {
    readonly person: PersonId;
    readonly calendar: string;
    readonly property: string;
    readonly value: string;
  }): void;
  remove(at: {
    readonly person: PersonId;
    readonly calendar: string;
    readonly property: string;
  }): void;
}

export function createCalendarProperties({ db }: StoreDeps): CalendarProperties {
  const ofCalendar = db.prepare(
    "SELECT property, value FROM calendar_properties WHERE person = ? AND calendar = ?",
  );
  const upsert = db.prepare(
    `INSERT INTO calendar_properties (person, calendar, property, value) VALUES (@person, @calendar, @property, @value)
     ON CONFLICT (person, calendar, property) DO UPDATE SET value = excluded.value`,
  );
  const drop = db.prepare(
    "DELETE FROM calendar_properties WHERE person = @person AND calendar = @calendar AND property = @property",
  );
  return {
    of: (person, calendar) => new Map(ofCalendar.all(person, calendar).map(propertyRow)),
    put: (at) => void upsert.run(at),
    remove: (at) => void drop.run(at),
  };
}
