/** Size of a workspace; `empty` has people and places but no content. */
export type WorkspaceSize = "s" | "m" | "l" | "empty";

/** Tasks without their subtasks; events beyond the hand-written ones, per project. */
export interface WorkspaceCounts {
  readonly projects: number;
  readonly todolists: number;
  readonly tasks: number;
  readonly eventsPerProject: number;
  /** Additional events of the first project; none by default. */
  readonly eventsOfFirst?: number;
  /** Share of generated tasks with subtasks, 0 to 1; 0.2 by default. */
  readonly parents?: number;
}

/** The counts of each size except `empty`. */
export const countsBySize: Readonly<Record<Exclude<WorkspaceSize, "empty">, WorkspaceCounts>> = {
  s: { projects: 3, todolists: 10, tasks: 300, eventsPerProject: 12 },
  m: { projects: 20, todolists: 100, tasks: 5000, eventsPerProject: 30 },
  l: { projects: 200, todolists: 1000, tasks: 50_000, eventsPerProject: 20 },
};
