import { listId, personId, projectId, serviceId } from "../../src/domain/ids.ts";
import type { EventItem, TaskItem } from "../../src/domain/item.ts";
import type { When } from "../../src/domain/when.ts";

export const berlin = "Europe/Berlin";

export const dates = (start: string, end: string): When => ({
  kind: "dates",
  start: Temporal.PlainDate.from(start),
  end: Temporal.PlainDate.from(end),
});

/** Wall clocks in `zone`. */
export const times = (start: string, end: string | null, zone = berlin): When => ({
  kind: "times",
  start: Temporal.PlainDateTime.from(start).toZonedDateTime(zone),
  end: end === null ? null : Temporal.PlainDateTime.from(end).toZonedDateTime(zone),
});

export function anEvent(fields: Partial<EventItem> = {}): EventItem {
  return {
    kind: "event",
    id: serviceId(501),
    projectId: projectId(2001),
    title: "Design review",
    description: null,
    completed: false,
    assigned: [personId(11)],
    creatorId: personId(11),
    byMe: true,
    createdAt: Temporal.Instant.from("2026-01-02T03:04:05Z"),
    updatedAt: Temporal.Instant.from("2026-01-03T03:04:05Z"),
    when: times("2026-11-24T10:00", "2026-11-24T11:00"),
    reminder: Temporal.Duration.from({ minutes: 15 }),
    milestone: false,
    private: false,
    ...fields,
  };
}

export function aTask(fields: Partial<TaskItem> = {}): TaskItem {
  return {
    kind: "task",
    id: serviceId(601),
    projectId: projectId(2001),
    listId: listId(3001),
    parentId: null,
    title: "Write the brief",
    description: "<p>Two pages</p>",
    completed: false,
    assigned: [personId(12), personId(11)],
    creatorId: personId(11),
    byMe: false,
    createdAt: Temporal.Instant.from("2026-01-02T03:04:05Z"),
    updatedAt: null,
    startOn: Temporal.PlainDate.from("2026-11-20"),
    dueOn: Temporal.PlainDate.from("2026-11-24"),
    estimated: Temporal.Duration.from({ minutes: 90 }),
    logged: null,
    percent: 20,
    labels: [],
    completedAt: null,
    completedBy: null,
    subtaskCount: 0,
    commentCount: 3,
    rrule: null,
    ticket: "T-1",
    stage: "Doing",
    customFields: [{ id: serviceId(1), title: "Tags", type: "Tags", value: ["a", "b"] }],
    ...fields,
  };
}
