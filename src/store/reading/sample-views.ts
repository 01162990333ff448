import {
  itemKey,
  labelId,
  listId,
  type PersonId,
  personId,
  projectId,
  serviceId,
} from "../../domain/ids.ts";
import { type Item, unsetTaskFields } from "../../domain/item.ts";
import type { ViewItem } from "../view/view.ts";

const at = Temporal.Instant.from("2026-01-02T03:04:05Z");

/** What the samples name by id. */
export const sampleLabel = labelId(5);
export const samplePerson: PersonId = personId(3);

const common = {
  id: serviceId(1),
  projectId: projectId(2),
  title: "Title; with, \\ and ✓",
  description: '<p>Text &amp; <b>more</b><br><img src="https://example.com/x"></p>',
  completed: false,
  assigned: [samplePerson],
  creatorId: samplePerson,
  byMe: true,
  createdAt: at,
  updatedAt: at,
} as const;

const task = {
  ...common,
  kind: "task",
  listId: listId(4),
  parentId: null,
  ...unsetTaskFields,
  startOn: new Temporal.PlainDate(2026, 1, 2),
  dueOn: new Temporal.PlainDate(2026, 1, 5),
  labels: [sampleLabel],
} as const satisfies Item;

const items: readonly Item[] = [
  {
    ...common,
    kind: "event",
    when: { kind: "times", start: at.toZonedDateTimeISO("UTC"), end: null },
    reminder: Temporal.Duration.from({ minutes: 15 }),
    milestone: false,
    private: true,
  },
  {
    ...common,
    kind: "event",
    completed: true,
    description: "Text\nmore",
    when: {
      kind: "dates",
      start: new Temporal.PlainDate(2026, 1, 2),
      end: new Temporal.PlainDate(2026, 1, 3),
    },
    reminder: null,
    milestone: true,
    private: false,
  },
  task,
  { ...task, kind: "subtask", parentId: serviceId(6), percent: 40 },
];

/**
 * One item of each kind with something in every field. Rooms write them to find out how this build writes: what differs
 * from what an earlier one wrote has changed for everybody, and no change log tells of it.
 */
export const sampleViews: readonly ViewItem[] = items.map((item) => ({
  key: itemKey(1),
  uid: "sample",
  collection: "directory",
  sequence: 1,
  modifiedAt: at,
  knownAt: at,
  pending: false,
  item,
}));
