import type { EventView, Sandbox, SubtaskView, TaskView } from "@dayferry/sandbox";

/** An event, milestone, task or subtask of the workspace. */
export interface PresentItem {
  readonly kind: "event" | "milestone" | "task" | "subtask";
  readonly id: number;
  readonly title: string;
  /** "" for none. */
  readonly description: string;
  /** Its first or due day; "" for none. */
  readonly date: string;
  readonly completed: boolean;
  /** Names; of tasks and subtasks. */
  readonly labels: readonly string[];
  readonly assigned: readonly number[];
  readonly creator: number;
  /** Visible only to its creator and assignees. */
  readonly private: boolean;
  readonly project: number;
  /** 0 for events and milestones. */
  readonly list: number;
  /** The parent task of a subtask; 0 for others. */
  readonly parent: number;
}

/** Everything the account's owner sees. */
export function itemsOf({ workspace, keys }: Sandbox): readonly PresentItem[] {
  const by = keys[0]?.personId ?? 0;
  const names = new Map(workspace.labels.list({ by }).map(({ id, name }) => [id, name]));
  const present = (shown: Shown, place: Place): PresentItem => ({
    ...place,
    id: shown.id,
    title: shown.title,
    description: shown.description ?? "",
    date: ("start" in shown ? shown.start : (shown.due_date ?? "")).slice(0, 10),
    completed: shown.completed,
    labels: "labels" in shown ? shown.labels.map((id) => names.get(id) ?? "").toSorted() : [],
    assigned: shown.assigned,
    creator: shown.creator.id,
    private: "private" in shown && shown.private,
  });
  return workspace.places().flatMap(({ project, lists }) => [
    ...workspace.events.list({ by, project }, { view: "all" }).map((event) =>
      present(event, {
        kind: event.milestone ? "milestone" : "event",
        ...{ project, list: 0, parent: 0 },
      }),
    ),
    ...lists.flatMap((list) =>
      workspace.tasks
        .list({ by, project, list })
        .flatMap((task) => [
          present(task, { kind: "task", project, list, parent: 0 }),
          ...workspace.subtasks
            .list({ by, project, list, task: task.id })
            .map((subtask) =>
              present(subtask, { kind: "subtask", project, list, parent: task.id }),
            ),
        ]),
    ),
  ]);
}

/** The names of all labels. */
export const labelsOf = ({ workspace, keys }: Sandbox): ReadonlySet<string> =>
  new Set(workspace.labels.list({ by: keys[0]?.personId ?? 0 }).map(({ name }) => name));

type Shown = EventView | TaskView | SubtaskView;
type Place = Pick<PresentItem, "kind" | "project" | "list" | "parent">;

/** The projects a person can access. */
export const projectsOf = ({ workspace }: Sandbox, person: number): ReadonlySet<number> =>
  new Set(workspace.people().find(({ id }) => id === person)?.projects);
