import type { Calendar, CalendarObject, StoredObject } from "../../src/calendars/calendar-types.ts";
import { createCalendars } from "../../src/calendars/create-calendars.ts";
import { type ItemKey, listId, personId, projectId } from "../../src/domain/ids.ts";
import type { Store } from "../../src/store/store.ts";
import { storeRig } from "../store/rig.ts";
import { aPerson, aProject, aTodolist, zone } from "../support/items.ts";

export const [ann, bob, eve] = [personId(11), personId(12), personId(13)];

/** A workspace of two projects with lists, and the calendars of its people. */
export function calendarRig() {
  const rig = storeRig();
  const { store } = rig;
  store.directory.putPeople([aPerson(11, "Ann"), aPerson(12, "Bob"), aPerson(13, "Eve")], true);
  store.directory.putProjects(
    [
      { ...aProject(2001, "Website"), color: "#1a2b3c", description: "<p>All of it</p>" },
      { ...aProject(2002, "Fair"), members: [ann, bob] },
    ],
    true,
  );
  store.directory.putTodolists(
    null,
    [
      aTodolist(3001, { title: "Relaunch" }),
      aTodolist(3002, { title: "Secret", private: true }),
      aTodolist(3003, { projectId: projectId(2002), title: "Stand" }),
    ],
    true,
  );
  return { ...rig, calendars: calendarsOf(store), reopened: () => calendarsOf(store), listId };
}

export const calendarsOf = (
  store: Store,
  more: Partial<Parameters<typeof createCalendars>[0]> = {},
) =>
  createCalendars({
    store,
    zone,
    hasRead: () => true,
    milestones: true,
    readOnly: new Set(),
    ...more,
  });

type Rig = ReturnType<typeof calendarRig>;

export function open({ calendars }: Pick<Rig, "calendars">, slug: string, person = ann): Calendar {
  const calendar = calendars.find(person, slug);
  if (!calendar) throw new Error(`there is no calendar ${slug}`);
  return calendar;
}

export function textOf(
  { calendars }: Pick<Rig, "calendars">,
  object: CalendarObject | null,
): string {
  if (!object) throw new Error("there is no such object");
  return calendars.octets(object).toString();
}

/** Octets as a program would put them: an event with more than the service can store. */
export function bodyOf(uid: string, title: string, more: readonly string[] = []): string {
  return [
    "BEGIN:VCALENDAR",
    "VERSION:2.0",
    "PRODID:-//Some//Program//EN",
    "BEGIN:VEVENT",
    `UID:${uid}`,
    "SEQUENCE:4",
    `SUMMARY:${title}`,
    "DTSTART:20261123T090000Z",
    "DTEND:20261123T100000Z",
    "LOCATION:Room 3",
    ...more,
    "END:VEVENT",
    "END:VCALENDAR",
    "",
  ].join("\r\n");
}

export function storedObject(key: ItemKey, uid: string, body: string): StoredObject {
  const component = body.includes("BEGIN:VTODO") ? "VTODO" : "VEVENT";
  const lines = body.split("\r\n");
  return {
    key,
    component,
    name: `${uid}.ics`,
    uid,
    body: Buffer.from(body),
    raw: lines.slice(lines.indexOf(`BEGIN:${component}`), lines.indexOf(`END:${component}`) + 1),
    categories: [],
    actor: ann,
    agent: "Program/1",
  };
}
