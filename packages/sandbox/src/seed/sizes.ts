/** How much a workspace holds; `empty` has people and places but nothing in them. */
export type WorkspaceSize = "s" | "m" | "l" | "empty";

/** Tasks without their subtasks; events beyond the hand-made ones, per project. */
export interface WorkspaceCounts {
  readonly projects: number;
  readonly todolists: number;
  readonly tasks: number;
  readonly eventsPerProject: number;
  /** Further events of the first project; none when absent. */
  readonly eventsOfFirst?: number;
  /** The share of made-up tasks that have subtasks, 0 to 1; 0.2 when absent. */
  readonly parents?: number;
}

/** The counts of each size but `empty`. */
export const countsBySize: Readonly<Record<Exclude<WorkspaceSize, "empty">, WorkspaceCounts>> = {
  s: { projects: 3, todolists: 10, tasks: 300, eventsPerProject: 12 },
  m: { projects: 20, todolists: 100, tasks: 5000, eventsPerProject: 30 },
  l: { projects: 200, todolists: 1000, tasks: 50_000, eventsPerProject: 20 },
};
