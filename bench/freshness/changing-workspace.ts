import { Random, type Sandbox, SeedWriter, seedPeople, WorkspaceStore } from "@dayferry/sandbox";
import { listId, projectId, serviceId } from "../../src/domain/ids.ts";
import type { Source } from "../../src/domain/source.ts";

/** How many of each; `parents`: the tasks of a list that have subtasks, three each. */
export interface Shape {
  readonly projects: number;
  readonly lists: number;
  readonly tasks: number;
  readonly events: number;
  readonly parents: number;
}

/** What the service is asked for with one request, and the items in which its changes happen. */
export interface ChangingSource {
  readonly name: string;
  readonly source: Source;
  readonly project: number;
  /** Its items, which change in turn. */
  readonly ids: readonly number[];
  readonly edit: (id: number, title: string) => void;
}

const subtasksOfParent = 3;

/** Writes a workspace of that shape into a file of the sandbox. All its items have dates some weeks ahead. */
export function writeWorkspace(
  file: string,
  about: { readonly shape: Shape; readonly now: Temporal.Instant; readonly timeZone: string },
): void {
  const { shape, now, timeZone } = about;
  const store = new WorkspaceStore(file);
  const random = new Random(1);
  const writer = new SeedWriter({ store, random, now, timeZone });
  store.transaction(() => {
    const { ana, ben } = seedPeople(writer, 1);
    const projects = Array.from({ length: shape.projects }, (_, nth) => {
      const title = `Project ${nth + 1}`;
      const facts = { title, description: "", color: "#428bca", manager: ana };
      const { project } = writer.startProject([ana, ben], facts);
      for (let event = 0; event < shape.events; event += 1) {
        const start = writer.at(random.between(14, 60), "10:00");
        writer.event({ project: project.id, title: `Event ${event + 1}`, start, createdBy: ana });
      }
      return project;
    });
    for (let nth = 0; nth < shape.lists; nth += 1) {
      const project = projects[nth % projects.length];
      if (!project) throw new Error("a workspace needs a project");
      const list = writer.list(project, `List ${nth + 1}`);
      for (let count = 0; count < shape.tasks; count += 1) {
        const dueOn = writer.day(random.between(14, 60));
        const task = writer.task(list, { title: `Task ${count + 1}`, dueOn, createdBy: ana });
        for (let step = 0; count < shape.parents && step < subtasksOfParent; step += 1) {
          writer.subtask(task, { title: `Step ${step + 1}`, dueOn, createdBy: ana });
        }
      }
    }
    store.markSeeded(1);
  });
  store.close();
}

/** Gives items the times of their last changes before the start, as they change in turn: the last one changed last. */
export function writeHistory(
  file: string,
  about: {
    readonly sources: readonly ChangingSource[];
    /** Of each source, in seconds before the start, the latest first. */
    readonly ages: readonly (readonly number[])[];
    readonly now: Temporal.Instant;
  },
): void {
  const store = new WorkspaceStore(file);
  store.transaction(() => {
    for (const [place, { source, ids }] of about.sources.entries()) {
      const ages = about.ages[place] ?? [];
      for (const [nth, id] of ids.toReversed().entries()) {
        const age = ages[nth];
        if (age === undefined) continue;
        const updatedAt = about.now.subtract({ milliseconds: Math.round(age * 1000) });
        changedAt(store, { kind: source.kind, id, updatedAt: updatedAt.toString() });
      }
    }
  });
  store.close();
}

function changedAt(
  { events, tasks, subtasks }: WorkspaceStore,
  {
    kind,
    id,
    updatedAt,
  }: { readonly kind: Source["kind"]; readonly id: number; readonly updatedAt: string },
): void {
  const event = kind === "events" ? events.get(id) : undefined;
  const task = kind === "tasks" ? tasks.get(id) : undefined;
  const subtask = kind === "subtasks" ? subtasks.get(id) : undefined;
  if (event) events.put({ ...event, updatedAt });
  if (task) tasks.put({ ...task, updatedAt });
  if (subtask) subtasks.put({ ...subtask, updatedAt });
}

/** Everything that is polled for items: the events of projects, the tasks of lists, the subtasks of tasks. */
export function changingSources({ workspace, keys }: Sandbox): readonly ChangingSource[] {
  const by = keys[0]?.personId ?? 0;
  const places = workspace.places();
  const events = places.map(({ project }): ChangingSource => {
    const all = workspace.events.list({ by, project }, { view: "all" });
    return {
      name: `events:${project}`,
      source: { kind: "events", projectId: projectId(project) },
      project,
      ids: all.map(({ id }) => id),
      edit: (event, title) => void workspace.events.update({ by, project, event }, { title }),
    };
  });
  const lists = places.flatMap(({ project, lists }) =>
    lists.map((list) => ({
      project,
      list,
      tasks: workspace.tasks.list({ by, project, list }),
    })),
  );
  const tasks = lists.map(
    ({ project, list, tasks }): ChangingSource => ({
      name: `tasks:${list}`,
      source: { kind: "tasks", projectId: projectId(project), listId: listId(list) },
      project,
      ids: tasks.map(({ id }) => id),
      edit: (task, title) => void workspace.tasks.update({ by, project, list, task }, { title }),
    }),
  );
  const subtasks = lists.flatMap(({ project, list, tasks }) =>
    tasks
      .filter(({ sub_tasks }) => sub_tasks > 0)
      .map(({ id: task }): ChangingSource => {
        const all = workspace.subtasks.list({ by, project, list, task });
        return {
          name: `subtasks:${task}`,
          source: {
            kind: "subtasks",
            projectId: projectId(project),
            listId: listId(list),
            taskId: serviceId(task),
          },
          project,
          ids: all.map(({ id }) => id),
          edit: (subtask, title) =>
            void workspace.subtasks.update({ by, project, list, task, subtask }, { title }),
        };
      }),
  );
  return [...events, ...tasks, ...subtasks];
}

/** How long before a moment changes happened, the latest first. */
export function* agesBefore(times: Float64Array, from: number): Generator<number> {
  for (const at of times.toReversed()) if (at < from) yield from - at;
}

/** The name of the source that a request has read; null where it was for something else. */
export function sourceRead(path: string): string | null {
  const [, project, list, task] =
    /(?:projects\/(\d+)\/events|todolists\/(\d+)\/tasks|tasks\/(\d+)\/subtasks)$/.exec(path) ?? [];
  if (project) return `events:${project}`;
  if (list) return `tasks:${list}`;
  return task ? `subtasks:${task}` : null;
}

/** What shows the changes of sources: by their names, and for each source by the item, in turn, the number of what shows it. */
export interface Shows {
  readonly names: readonly string[];
  readonly of: readonly (readonly number[])[];
}

/** Where the service answers for the list of all tasks: its pages, and the events of projects. */
export function pagesOf({ workspace, keys }: Sandbox, sources: readonly ChangingSource[]): Shows {
  const by = keys[0]?.personId ?? 0;
  const pages = new Map<string, number>();
  const names: string[] = [];
  for (let total = 1; names.length * pageSize < total; ) {
    const start = String(names.length * pageSize);
    const query = { start, include_subtasks: "true", completed: "true" };
    const page = workspace.allTasks.page({ by }, query);
    total = page.total_count;
    for (const todo of page.todos) {
      const kind = "task" in todo ? "subtasks" : "tasks";
      pages.set(`${kind} ${Object(todo).id}`, names.length);
    }
    names.push(`alltodo:${names.length}`);
  }
  const of = sources.map(({ name, source: { kind }, ids }) => {
    if (kind !== "events") return ids.map((id) => pages.get(`${kind} ${id}`) ?? 0);
    names.push(name);
    return ids.map(() => names.length - 1);
  });
  return { names, of };
}

/** As many as the service gives at once. Source: beyond-the-document.md, Look-ups. */
export const pageSize = 100;
