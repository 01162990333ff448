import type { Fields } from "./fields.ts";
import type { EventRecord } from "./records.ts";
import { readDate, readMoment } from "./times.ts";

/** When an event is, as stored: wall-clock text of the account's zone. */
export type EventTimes = Pick<EventRecord, "start" | "end" | "bareEnd" | "allDay" | "milestone">;

/**
 * The times a body asks for, over the ones the event has (`old`, absent on creation). A new `start` alone keeps
 * the old end. Undefined after a problem, which `fields` then holds: a missing start, a date where a date-time with
 * offset belongs or the other way round, an end before the start.
 * Source: service-api.md, Event create/update body; beyond-the-document.md, Times.
 */
export function readEventTimes(
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

/** The `end` of an answer: the last minute of the last day for whole days; undefined where it is left out. */
export function shownEnd(event: EventTimes): string | undefined {
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

/** Whether any part of the event lies on the days `from` to `to`, both included and both optional. */
export function overlapsDays(
  event: EventTimes,
  days: { readonly from: string | null; readonly to: string | null },
): boolean {
  const first = event.start.slice(0, 10);
  const last = (shownEnd(event) || event.start).slice(0, 10);
  return (days.to === null || first <= days.to) && (days.from === null || last >= days.from);
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
