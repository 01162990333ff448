import type { LabelId, ListId, PersonId, ProjectId } from "./ids.ts";
import type { Patch, PatchField } from "./patch.ts";
import { unreachable } from "./result.ts";
import { plainDescription } from "./text.ts";
import { dayInWords, excerpt, lengthInWords, plainLine, spanInWords } from "./wording.ts";

/** What numbers are called. */
export interface Names {
  readonly people: ReadonlyMap<PersonId, string>;
  readonly labels: ReadonlyMap<LabelId, string>;
  readonly project: (id: ProjectId) => string | null;
  readonly list: (id: ListId) => string | null;
  /** The reader's zone. */
  readonly zone: string;
}

/** What people call a field. */
export const fieldNames: Readonly<Record<PatchField, string>> = {
  title: "Title",
  description: "Description",
  when: "When",
  reminder: "Reminder",
  milestone: "Milestone",
  private: "Private",
  completed: "State",
  assigned: "Assigned",
  labels: "Labels",
  startOn: "Start",
  dueOn: "Due",
  estimated: "Estimated time",
  place: "Place",
};

/** One field's value for people, on one line; "none" for an unset one. */
export function fieldInWords(field: PatchField, values: Patch, names: Names): string {
  switch (field) {
    case "title":
      return excerpt(plainLine(values.title ?? ""), 200) || none;
    case "description":
      return excerpt(plainLine(plainDescription(values.description ?? null)), 300) || none;
    case "when":
      return values.when ? spanInWords(values.when, names.zone) : none;
    case "reminder":
      return values.reminder ? `${exactly(values.reminder)} before` : none;
    case "estimated":
      return values.estimated ? exactly(values.estimated) : none;
    case "milestone":
    case "private":
      return values[field] ? "yes" : "no";
    case "completed":
      return values.completed ? "done" : "open";
    case "startOn":
    case "dueOn": {
      const day = values[field];
      return day ? dayInWords(day) : none;
    }
    case "assigned":
      return listed(values.assigned?.map((id) => names.people.get(id) ?? `person ${id}`));
    case "labels":
      return listed(values.labels?.map((id) => names.labels.get(id) ?? `label ${id}`));
    case "place":
      return placeInWords(values.place, names);
    default:
      return unreachable(field);
  }
}

const none = "none";

function placeInWords(place: Patch["place"], { project, list }: Names): string {
  if (!place) return none;
  const { projectId, listId } = place;
  const parts = [
    project(projectId) ?? `project ${projectId}`,
    ...(listId === null ? [] : [list(listId) ?? `list ${listId}`]),
  ];
  return parts.map(plainLine).join(", ");
}

const listed = (words: readonly string[] | undefined): string =>
  words && words.length > 0 ? words.map(plainLine).join(", ") : none;

/** An exact length knows neither zones nor changes of the clocks. */
const exactly = (length: Temporal.Duration): string =>
  lengthInWords(length, new Temporal.ZonedDateTime(0n, "UTC"));
