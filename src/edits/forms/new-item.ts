import { wholeDay } from "@dayferry/ical";
import { blankEvent, blankTask } from "../../domain/blank-item.ts";
import { isId, type PersonId, projectId } from "../../domain/ids.ts";
import type { EventItem, Item, Project, TaskItem, Todolist } from "../../domain/item.ts";
import { applyPatch } from "../../domain/patch.ts";
import { fail, ok, type Result } from "../../domain/result.ts";
import { say } from "../../texts/say.ts";
import { type FieldFault, type FormZones, type ItemFields, readItemFields } from "./item-fields.ts";
import { type RepetitionFields, repeated } from "./repetition.ts";

/** Kinds that a form can create. Subtasks are created in the workspace or by a calendar program. */
export const newKinds = ["event", "milestone", "task"] as const;
export type NewKind = (typeof newKinds)[number];

/** A form for a new item: its fields, kind and place, by id. */
export interface NewItemFields extends ItemFields, RepetitionFields {
  readonly kind?: string | undefined;
  readonly project?: string | undefined;
  /** For a task. */
  readonly list?: string | undefined;
}

/** Its fields that a form for an existing item lacks. */
export const newItemFieldNames = ["kind", "project", "list", "repeats", "times"] as const;

/** An invalid field of such a form. */
export interface NewItemFault {
  readonly field: keyof NewItemFields;
  readonly message: string;
}

interface Surroundings {
  readonly zones: FormZones;
  readonly creator: PersonId | null;
  readonly now: Temporal.Instant;
  /** Where the editor may create items. */
  readonly projects: readonly Project[];
  readonly lists: (project: Project["id"]) => readonly Todolist[];
}

/** The new item with `id` null, or one for each time that it repeats. Fails with every invalid field. */
export function readNewItem(
  given: NewItemFields,
  about: Surroundings,
): Result<readonly Item[], readonly NewItemFault[]> {
  const kind = newKinds.find((known) => known === given.kind);
  if (!kind) return fail([{ field: "kind", message: say("newItem.chooseKind") }]);
  const project = about.projects.find(({ id }) => String(id) === given.project);
  if (!project) return fail([{ field: "project", message: say("newItem.chooseProject") }]);
  const blank =
    kind === "task" ? newTask(given, { ...about, project }) : newEvent(kind, { ...about, project });
  if (!blank.ok) return blank;
  const patch = readItemFields(fieldsFor(kind, given), blank.value, about.zones);
  const faults: readonly FieldFault[] = patch.ok ? [] : patch.failure;
  const hasTitle = (given.title ?? "").trim() !== "";
  const untitled: readonly NewItemFault[] = hasTitle
    ? []
    : [{ field: "title", message: say("newItem.giveTitle") }];
  if (!patch.ok || !hasTitle) return fail([...untitled, ...faults]);
  return repeated(applyPatch(blank.value, patch.value), given, about.zones.reader);
}

/** A milestone is a whole day, so the form need not ask for its end. */
function fieldsFor(kind: NewKind, given: ItemFields): ItemFields {
  if (kind !== "milestone") return { ...given, milestone: undefined };
  return { ...given, allDay: "yes", endOn: given.startOn, milestone: "yes" };
}

interface Placed extends Surroundings {
  readonly project: Project;
}

const originOf = ({ project, creator, now }: Placed) => ({
  projectId: project.id,
  creatorId: creator,
  createdAt: now.round({ smallestUnit: "second", roundingMode: "floor" }),
});

function newEvent(
  kind: Exclude<NewKind, "task">,
  placed: Placed,
): Result<EventItem, readonly NewItemFault[]> {
  // A day that no person enters, so that every entered day is a change.
  const when = wholeDay(new Temporal.PlainDate(1970, 1, 1));
  return ok({ ...blankEvent({ ...originOf(placed), when }), milestone: kind === "milestone" });
}

function newTask(given: NewItemFields, placed: Placed): Result<TaskItem, readonly NewItemFault[]> {
  const list = placed
    .lists(projectId(placed.project.id))
    .find(({ id }) => String(id) === given.list);
  if (!list) {
    const message = say("newItem.chooseList", { project: placed.project.title });
    return fail([{ field: "list", message }]);
  }
  const place = { kind: "task", listId: list.id, parentId: null } as const;
  return ok(blankTask({ ...originOf(placed), ...place }));
}

/** The fields of a form prefilled from a URL: `on`, `at`, `until`, `kind`, `project`, `list`. */
export function draftItem(
  query: Readonly<Record<string, unknown>>,
  today: Temporal.PlainDate,
): NewItemFields {
  const text = (name: string): string => {
    const value = query[name];
    return typeof value === "string" ? value : "";
  };
  const day = /^\d{4}-\d{2}-\d{2}$/.test(text("on")) ? text("on") : today.toString();
  const last = /^\d{4}-\d{2}-\d{2}$/.test(text("last")) ? text("last") : day;
  const clock = (name: string): string => (/^\d{2}:\d{2}$/.test(text(name)) ? text(name) : "");
  const isTimed = clock("at") !== "";
  return {
    kind: newKinds.find((kind) => kind === text("kind")) ?? "event",
    project: isId(Number(text("project"))) ? text("project") : "",
    list: isId(Number(text("list"))) ? text("list") : "",
    title: "",
    description: "",
    startOn: day,
    startAt: clock("at"),
    endOn: last,
    endAt: clock("until"),
    allDay: isTimed ? "" : "yes",
    dueOn: day,
    repeats: "",
    times: "",
  };
}
