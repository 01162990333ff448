import type { EventCard, When } from "@dayferry/ical";
import { zone } from "./files.ts";

export const at = (text: string) => Temporal.ZonedDateTime.from(`${text}[${zone}]`);
export const dates = (start: string, end: string): When => ({
  kind: "dates",
  start: Temporal.PlainDate.from(start),
  end: Temporal.PlainDate.from(end),
});
export const timed = (start: string, end: string | null): When => ({
  kind: "times",
  start: at(start),
  end: end === null ? null : at(end),
});

const plainCard: EventCard = {
  uid: "event-1@dayferry",
  sequence: 2,
  stampAt: Temporal.Instant.from("2026-06-01T08:00:00Z"),
  createdAt: Temporal.Instant.from("2026-05-01T08:00:00Z"),
  summary: "Kickoff",
  description: "",
  html: null,
  when: timed("2026-07-01T10:00", "2026-07-01T11:00"),
  zone,
  categories: [],
  reminder: null,
  transparent: false,
  classification: null,
  status: null,
  url: null,
};

export const card = (fields: Partial<EventCard>): EventCard => ({ ...plainCard, ...fields });
