import { type InProject, type Need, type ProjectPlace, seesEvent } from "./access.ts";
import { overlapsDays, readEventTimes, shownEnd } from "./event-times.ts";
import { Fields } from "./fields.ts";
import type { EventRecord, PersonRecord } from "./records.ts";
import { knownPeople, type Setting, stampNow } from "./setting.ts";
import { readDate } from "./times.ts";
import { done, type Outcome, refused } from "./work-outcome.ts";

export interface EventPlace extends ProjectPlace {
  readonly event: number;
}

/** `startDate` and `endDate` are `YYYY-MM-DD`; an event counts when it overlaps those days. */
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

  list(place: ProjectPlace, query: EventQuery): Outcome<readonly EventView[]> {
    const found = this.#setting.access.project(place, "read");
    if (found.kind === "refused") return found;
    const { view } = query;
    if (view !== "all" && view !== "events" && view !== "milestones")
      return refused(400, "view is required: all, events or milestones");
    const days = { from: query.startDate || null, to: query.endDate || null };
    if (days.from !== null && readDate(days.from) === null)
      return refused(400, `startDate must be YYYY-MM-DD, not ${days.from}`);
    if (days.to !== null && readDate(days.to) === null)
      return refused(400, `endDate must be YYYY-MM-DD, not ${days.to}`);
    const events = this.#setting.store.events
      .of(place.project)
      .filter((it) => view === "all" || it.milestone === (view === "milestones"))
      .filter((it) => seesEvent(found.value.person, it) && overlapsDays(it, days));
    return done(events.map((it) => showEvent(it, found.value)));
  }

  get(place: EventPlace): Outcome<EventView> {
    const found = this.#find(place, "read");
    if (found.kind === "refused") return found;
    return done(showEvent(found.value.event, found.value));
  }

  create(place: ProjectPlace, body: unknown): Outcome<EventView> {
    const found = this.#setting.access.project(place, "write");
    if (found.kind === "refused") return found;
    const fields = new Fields(body);
    const title = fields.title("title") ?? fields.refuse("title is required");
    const times = readEventTimes(fields, { timeZone: this.#setting.timeZone });
    const rest = readRest(fields, this.#setting);
    if (fields.problem !== null || title === undefined || times === undefined)
      return refused(400, fields.problem ?? "the event is incomplete");
    const now = stampNow(this.#setting);
    const event: EventRecord = {
      id: this.#setting.store.next("events"),
      project: place.project,
      description: null,
      private: false,
      reminder: null,
      assigned: [],
      ...rest,
      ...times,
      title,
      completed: false,
      createdBy: found.value.person.id,
      createdAt: now,
      updatedAt: now,
    };
    return done(showEvent(this.#setting.store.events.put(event), found.value));
  }

  update(place: EventPlace, body: unknown): Outcome<EventView> {
    const found = this.#find(place, "write");
    if (found.kind === "refused") return found;
    const old = found.value.event;
    const fields = new Fields(body);
    const title = fields.title("title") ?? old.title;
    const times = readEventTimes(fields, { old, timeZone: this.#setting.timeZone });
    const rest = readRest(fields, this.#setting);
    const completed = fields.flag("completed");
    if (fields.problem !== null || times === undefined)
      return refused(400, fields.problem ?? "the event is incomplete");
    if (completed === true && !times.milestone)
      return refused(400, "completed is for milestones only");
    const wanted: EventRecord = {
      ...old,
      ...rest,
      ...times,
      title,
      completed: times.milestone && (completed ?? old.completed),
    };
    if (JSON.stringify(wanted) === JSON.stringify(old)) return done(showEvent(old, found.value));
    const event = { ...wanted, updatedAt: stampNow(this.#setting) };
    return done(showEvent(this.#setting.store.events.put(event), found.value));
  }

  remove(place: EventPlace): Outcome<null> {
    const found = this.#find(place, "write");
    if (found.kind === "refused") return found;
    this.#setting.store.events.remove(place.event);
    return done(null);
  }

  #find(place: EventPlace, need: Need): Outcome<InProject & { readonly event: EventRecord }> {
    const found = this.#setting.access.project(place, need);
    if (found.kind === "refused") return found;
    const event = this.#setting.store.events.get(place.event);
    if (event?.project !== place.project)
      return refused(404, `there is no event ${place.event} in project ${place.project}`);
    if (!seesEvent(found.value.person, event))
      return refused(403, `no access to event ${event.id}: it is private`);
    return done({ ...found.value, event });
  }
}

type Rest = Partial<Pick<EventRecord, "description" | "private" | "reminder" | "assigned">>;

function readRest(fields: Fields, setting: Setting): Rest {
  const description = fields.text("description");
  const hidden = fields.flag("private");
  const reminder = fields.count("reminder");
  const assigned = fields.ids("assigned");
  return {
    ...(description === undefined ? {} : { description }),
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
    description: event.description,
    updated_at: event.updatedAt,
    created_at: event.createdAt,
    by_me: event.createdBy === seen.person.id,
    creator: { id: event.createdBy },
    project: { id: seen.project.id, name: seen.project.title },
  };
}
