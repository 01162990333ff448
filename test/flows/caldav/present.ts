import { tokenIn, type WorkspaceItem, parts as walkParts } from "../workspace-people.ts";

/** What people change of an item in the workspace. */
export const parts = [...walkParts, "place"] as const;
export type PartName = (typeof parts)[number];

/** One item as the service shows it. */
export interface Present extends WorkspaceItem {
  readonly isWhole: boolean;
  readonly title: string;
  readonly description: string;
  /** Start and end of an event, start and due date of a task. */
  readonly dates: readonly [string, string];
  readonly labels: readonly number[];
  readonly assigned: readonly number[];
  /** For its creator and those assigned. */
  readonly isPrivate: boolean;
  readonly creator: number;
}

export const partOf = (item: Present, part: PartName): string =>
  part === "place" ? `${item.project} ${item.list}` : JSON.stringify(item[part]);

interface TaskShown {
  readonly id: number;
  readonly title: string;
  readonly description: string | null;
  readonly start_date: string | null;
  readonly due_date: string | null;
  readonly completed: boolean;
  readonly labels: readonly number[];
  readonly assigned: readonly number[];
}

export function describeTask(
  task: TaskShown,
  place: Pick<Present, "kind" | "parent" | "project" | "list">,
): Present {
  const { id, title, completed, labels, assigned } = task;
  return {
    ...place,
    id,
    title,
    token: tokenIn(title),
    milestone: false,
    isWhole: true,
    description: task.description ?? "",
    dates: [task.start_date ?? "", task.due_date ?? ""],
    completed,
    labels,
    assigned,
    isPrivate: false,
    creator: 0,
  };
}
