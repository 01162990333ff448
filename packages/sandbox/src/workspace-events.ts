import { type InProject, type Need, type ProjectPlace, seesEvent } from "./access-checks.ts";
import { Fields } from "./fields.ts";
import { type EventRecord, eventTexts, type PersonRecord, textsOfEvent } from "./records.ts";
import { refuse } from "./refusal.ts";
import { knownPeople, type Setting, stampNow } from "./setting.ts";
import { readDate, readMoment } from "./times.ts";

export interface EventPlace extends ProjectPlace {
  readonly event: number;
}

/** `startDate` and `endDate` are `YYYY-MM-DD`; matches events that overlap these days. */
export interface EventQuery {
  readonly view: string | null;
  readonly startDate?: string | null;
  readonly endDate?: string | null;
}

export type EventView = ReturnType<typeof showEvent>;

/**
 * Calendar events and milestones of projects.
 * Source: service-api.md, Calendar events and milestones.
 */
export class EventWork {
  readonly #setting: Setting;

  constructor(setting: Setting) {
    this.#setting = setting;
  }

  list(place: ProjectPlace, query: EventQuery): readonly EventView[] {
    const found = this.#setting.access.project(place, "read");
    const { view } = query;
    if (view !== "all" && view !== "events" && view !== "milestones")
      return refuse(400, "view is required: all, events or milestones");
    const days = { from: query.startDate || null, to: query.endDate || null };
    if (days.from !== null && readDate(days.from) === null)
      return refuse(400, `startDate must be YYYY-MM-DD, not ${days.from}`);
    if (days.to !== null && readDate(days.to) === null)
      return refuse(400, `endDate must be YYYY-MM-DD, not ${days.to}`);
    const events = this.#setting.store.events
      .of(place.project)
      .filter((it) => view === "all" || it.milestone === (view === "milestones"))
      .filter((it) => seesEvent(found.person, it) && overlapsDays(it, days));
    return events.map((it) => showEvent(it, found));
  }

  get(place: EventPlace): EventView {
    const found = this.#find(place, "read");
    return showEvent(found.event, found);
  }

  create(place: ProjectPlace, body: unknown): EventView {
    const found = this.#setting.access.project(place, "write");
    const fields = new Fields(body);
    const title = fields.title("title") ?? fields.refuse("title is required");
    const times = readEventTimes(fields, { timeZone: this.#setting.timeZone });
    const rest = readRest(fields, this.#setting);
    if (fields.problem !== null || title === undefined || times === undefined)
      return refuse(400, fields.problem ?? "the event is incomplete");
    const now = stampNow(this.#setting);
    const event: EventRecord = {
      id: this.#setting.store.next("events"),
      project: place.project,
      ...textsOfEvent({}),
      private: false,
      reminder: null,
      assigned: [],
      ...rest,
      ...times,
      title,
      completed: false,
      createdBy: found.person.id,
      createdAt: now,
      updatedAt: now,
    };
    return showEvent(this.#setting.store.events.put(event), found);
  }

  update(place: EventPlace, body: unknown): EventView {
    const found = this.#find(place, "write");
    const old = found.event;
    const fields = new Fields(body);
    const title = fields.title("title") ?? old.title;
    const times = readEventTimes(fields, { old, timeZone: this.#setting.timeZone });
    const rest = readRest(fields, this.#setting);
    const completed = fields.flag("completed");
    if (fields.problem !== null || times === undefined)
      return refuse(400, fields.problem ?? "the event is incomplete");
    if (completed === true && !times.milestone)
      return refuse(400, "completed is for milestones only");
    const wanted: EventRecord = {
      ...old,
      ...rest,
      ...times,
      title,
      completed: times.milestone && (completed ?? old.completed),
    };
    if (JSON.stringify(wanted) === JSON.stringify(old)) return showEvent(old, found);
    const event = { ...wanted, updatedAt: stampNow(this.#setting) };
    return showEvent(this.#setting.store.events.put(event), found);
  }

  remove(place: EventPlace): null {
    this.#find(place, "write");
    this.#setting.store.events.remove(place.event);
    return null;
  }

  #find(place: EventPlace, need: Need): InProject & { readonly event: EventRecord } {
    const found = this.#setting.access.project(place, need);
    const event = this.#setting.store.events.get(place.event);
    if (event?.project !== place.project)
      return refuse(404, `there is no event ${place.event} in project ${place.project}`);
    if (!seesEvent(found.person, event))
      return refuse(403, `no access to event ${event.id}: it is private`);
    return { ...found, event };
  }
}

/** Stored times of an event: local times of the account. */
type EventTimes = Pick<EventRecord, "start" | "end" | "bareEnd" | "allDay" | "milestone">;

/** True if the event overlaps the days `from` to `to`, both inclusive and both optional. */
function overlapsDays(
  event: EventTimes,
  days: { readonly from: string | null; readonly to: string | null },
): boolean {
  const first = event.start.slice(0, 10);
  const last = (shownEnd(event) || event.start).slice(0, 10);
  return (days.to === null || first <= days.to) && (days.from === null || last >= days.from);
}

/**
 * The times a body requests, on top of the event's current ones (`old`, absent on creation). A new `start` alone keeps the old
 * end. Undefined after an error, which is in `fields`: a missing start, a date instead of a date-time with offset or the other
 * way round, an end before the start. Source: service-api.md, Event create/update body; beyond-the-document.md, Times.
 */
function readEventTimes(
  fields: Fields,
  about: { readonly old?: EventTimes; readonly timeZone: string },
): EventTimes | undefined {
  const { old, timeZone } = about;
  const milestone = fields.flag("milestone") ?? old?.milestone ?? false;
  const allDay = milestone || (fields.flag("all_day") ?? old?.allDay ?? false);
  const turned = old !== undefined && old.allDay !== allDay;
  if (!fields.has("start") && (old === undefined || turned))
    return fields.refuse(turned ? "start is required with a new all_day" : "start is required");

  const form = { allDay, timeZone };
  const given = fields.has("start") ? readEdge(fields, "start", form) : undefined;
  const end = fields.has("end") ? readEdge(fields, "end", form) : undefined;
  const start = given === undefined ? old?.start : given;
  if (fields.problem !== null || start === undefined || start === null)
    return fields.refuse("start must not be null");

  const keptEnd = turned ? null : (old?.end ?? null);
  const wanted: EventTimes = {
    start,
    end: end === undefined ? keptEnd : end,
    bareEnd: fields.has("end") ? "equal" : (old?.bareEnd ?? "equal"),
    allDay,
    milestone,
  };
  if (wanted.end !== null && wanted.end < wanted.start)
    return fields.refuse(`end ${wanted.end} is before start ${wanted.start}`);
  return wanted;
}

function readEdge(
  fields: Fields,
  name: "start" | "end",
  form: { readonly allDay: boolean; readonly timeZone: string },
): string | null | undefined {
  const value = fields.raw(name);
  if (value === null || value === undefined) return null;
  if (typeof value !== "string") return fields.refuse(`${name} must be a text`);
  if (form.allDay) {
    const date = readDate(value);
    if (date === null)
      return fields.refuse(`${name} must be a date YYYY-MM-DD for whole days and milestones`);
    return `${date} ${name === "start" ? "00:00" : "23:59"}`;
  }
  const moment = readMoment(value, form.timeZone);
  return moment ?? fields.refuse(`${name} must be an ISO 8601 date-time with UTC offset`);
}

type Rest = Partial<EventRecord>;

function readRest(fields: Fields, setting: Setting): Rest {
  const texts = eventTexts.map((name) => [name, fields.text(name)] as const);
  const hidden = fields.flag("private");
  const reminder = fields.count("reminder");
  const assigned = fields.ids("assigned");
  return {
    ...Object.fromEntries(texts.filter(([, text]) => text !== undefined)),
    ...(hidden === undefined ? {} : { private: hidden }),
    ...(reminder === undefined ? {} : { reminder }),
    ...(assigned === undefined ? {} : { assigned: knownPeople(setting, assigned) }),
  };
}

function showEvent(
  event: EventRecord,
  seen: { readonly person: PersonRecord; readonly project: InProject["project"] },
) {
  const end = shownEnd(event);
  return {
    id: event.id,
    title: event.title,
    start: event.start,
    ...(end === undefined ? {} : { end }),
    all_day: event.allDay,
    reminder: event.reminder,
    milestone: event.milestone,
    private: event.private,
    completed: event.completed,
    assigned: event.assigned,
    ...textsOfEvent(event),
    updated_at: event.updatedAt,
    created_at: event.createdAt,
    by_me: event.createdBy === seen.person.id,
    creator: { id: event.createdBy },
    project: { id: seen.project.id, name: seen.project.title },
  };
}

/** The `end` in a response: the last minute of the last day for all-day events; undefined if omitted. */
function shownEnd(event: EventTimes): string | undefined {
  if (event.end !== null) return event.end;
  if (event.allDay) return `${event.start.slice(0, 10)} 23:59`;
  switch (event.bareEnd) {
    case "equal":
      return event.start;
    case "empty":
      return "";
    case "absent":
      return undefined;
  }
}
