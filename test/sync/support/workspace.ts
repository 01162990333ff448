import { isId, type ProjectId, projectId } from "../../../src/domain/ids.ts";
import type { Item } from "../../../src/domain/item.ts";
import type { Stage } from "./stage.ts";

/** Kind, id and title of each thing, sorted: equal texts mean equal sets. */
export type Inventory = readonly string[];

/** The contents of the workspace. */
export function workspaceInventory({
  sandbox: { workspace },
  by,
}: Pick<Stage, "sandbox" | "by">): Inventory {
  const found: string[] = [];
  for (const { project, lists } of workspace.places()) {
    for (const event of workspace.events.list({ by, project }, { view: "all" })) {
      found.push(`event ${event.id} in ${project}: ${event.title}`);
    }
    for (const list of lists) {
      for (const task of workspace.tasks.list({ by, project, list })) {
        found.push(`task ${task.id} in ${list}: ${task.title}`);
        const place = { by, project, list, task: task.id };
        for (const subtask of workspace.subtasks.list(place)) {
          found.push(`subtask ${subtask.id} in ${list} below ${task.id}: ${subtask.title}`);
        }
      }
    }
  }
  return found.toSorted();
}

/** What the view shows. */
export function viewInventory({ store, sandbox }: Pick<Stage, "store" | "sandbox">): Inventory {
  return sandbox.workspace
    .places()
    .flatMap(({ project }) => store.view.ofProject(projectId(project)))
    .map(({ item }) => describeItem(item))
    .toSorted();
}

export function shownTitles({ store }: Stage, project: ProjectId): readonly string[] {
  return store.view
    .ofProject(project)
    .map(({ item }) => item.title)
    .toSorted();
}

function describeItem(item: Item): string {
  const { kind, id, title } = item;
  if (item.kind === "event") return `${kind} ${id} in ${item.projectId}: ${title}`;
  const below = item.parentId === null ? "" : ` below ${item.parentId}`;
  return `${kind} ${id} in ${item.listId}${below}: ${title}`;
}

/** The n-th project and list of the workspace. */
export function placeAt(stage: Stage, index: number, list = 0) {
  const place = stage.sandbox.workspace.places()[index];
  const listId = place?.lists[list];
  if (!place || !isId(listId)) throw new Error(`the workspace has no place ${index}/${list}`);
  return { by: stage.by, project: place.project, list: listId };
}

export function addTask(
  stage: Stage,
  place: ReturnType<typeof placeAt>,
  body: Readonly<Record<string, unknown>>,
): number {
  return stage.sandbox.workspace.tasks.create(place, body).id;
}

export function addEvent(
  stage: Stage,
  place: ReturnType<typeof placeAt>,
  body: Readonly<Record<string, unknown>> = {},
): number {
  const { events } = stage.sandbox.workspace;
  return events.create(place, {
    title: "Meeting",
    start: "2027-03-04",
    all_day: true,
    ...body,
  }).id;
}

/** Fills a list of the workspace: two tasks, the first with a subtask, and an event beside them. */
export function addFamily(it: Stage) {
  const place = placeAt(it, 0);
  const task = addTask(it, place, { title: "Old", due_date: "2027-03-09" });
  const other = addTask(it, place, { title: "Other" });
  const event = addEvent(it, place);
  const { tasks, subtasks, events } = it.sandbox.workspace;
  subtasks.create({ ...place, task }, { title: "Below" });
  return { place, task, other, event, tasks, subtasks, events };
}
