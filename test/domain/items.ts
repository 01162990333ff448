import { personId, serviceId } from "../../src/domain/ids.ts";
import type { EventItem, TaskItem } from "../../src/domain/item.ts";
import { anEvent as bareEvent, aTask as bareTask, times } from "../support/items.ts";

const createdAt = Temporal.Instant.from("2026-01-02T03:04:05Z");

/** An event with most of its fields set. */
export const anEvent = (fields: Partial<EventItem> = {}): EventItem => ({
  ...bareEvent(501, {
    title: "Design review",
    assigned: [personId(11)],
    creatorId: personId(11),
    byMe: true,
    createdAt,
    updatedAt: Temporal.Instant.from("2026-01-03T03:04:05Z"),
    when: times("2026-11-24T10:00", "2026-11-24T11:00"),
    reminder: Temporal.Duration.from({ minutes: 15 }),
  }),
  ...fields,
});

/** A task with most of its fields set. */
export const aTask = (fields: Partial<TaskItem> = {}): TaskItem => ({
  ...bareTask(601, {
    title: "Write the brief",
    description: "<p>Two pages</p>",
    assigned: [personId(12), personId(11)],
    creatorId: personId(11),
    createdAt,
    updatedAt: null,
    startOn: Temporal.PlainDate.from("2026-11-20"),
    estimated: Temporal.Duration.from({ minutes: 90 }),
    percent: 20,
    commentCount: 3,
    ticket: "T-1",
    stage: "Doing",
    customFields: [{ id: serviceId(1), title: "Tags", type: "Tags", value: ["a", "b"] }],
  }),
  ...fields,
});
