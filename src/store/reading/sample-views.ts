import { blankEvent, blankTask } from "../../domain/blank-item.ts";
import { fieldOf, fieldsOfKind, type ItemKind, isEdited } from "../../domain/fields.ts";
import {
  itemKey,
  labelId,
  listId,
  type PersonId,
  personId,
  projectId,
  serviceId,
} from "../../domain/ids.ts";
import type { Item } from "../../domain/item.ts";
import type { ViewItem } from "../view/view.ts";

const at = Temporal.Instant.from("2026-01-02T03:04:05Z");

/** The label id used by the samples. */
export const sampleLabel = labelId(5);
export const samplePerson: PersonId = personId(3);

const common = {
  title: "Title; with, \\ and ✓",
  description: '<p>Text &amp; <b>more</b><br><img src="https://example.com/x"></p>',
  assigned: [samplePerson],
  id: serviceId(1),
  updatedAt: at,
} as const;
const origin = { projectId: projectId(2), creatorId: samplePerson, createdAt: at };

const event = {
  ...blankEvent({
    ...origin,
    when: { kind: "times", start: at.toZonedDateTimeISO("UTC"), end: null },
  }),
  ...common,
  ...linesOf("event"),
  reminder: Temporal.Duration.from({ minutes: 15 }),
  private: true,
};
const task = {
  ...blankTask({ ...origin, kind: "task", listId: listId(4), parentId: null }),
  ...common,
  ...linesOf("task"),
  startOn: new Temporal.PlainDate(2026, 1, 2),
  dueOn: new Temporal.PlainDate(2026, 1, 5),
  labels: [sampleLabel],
};

const items: readonly Item[] = [
  event,
  {
    ...event,
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

/** A text for each one-line field. */
function linesOf(kind: ItemKind): object {
  const lines = fieldsOfKind(kind).filter(
    (name) => isEdited(name) && fieldOf(name).type.name === "line",
  );
  return Object.fromEntries(lines.map((name) => [name, `Text; of, ${name}`]));
}

/**
 * One item of each kind with a value in every field. Modules render them to detect that this build writes differently than an
 * earlier one, which changes everyone's data without a change in the log.
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
