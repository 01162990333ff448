import type { Sandbox } from "../src/sandbox/server.ts";
import { insist } from "../src/sandbox/work-outcome.ts";

/** An event or a task of the workspace. */
export interface PresentItem {
  readonly kind: "event" | "task";
  readonly id: number;
  readonly title: string;
  /** "" where there is none. */
  readonly description: string;
  readonly completed: boolean;
  readonly assigned: readonly number[];
  readonly project: number;
  /** 0 for events. */
  readonly list: number;
}

/** Everything that the account's owner sees. */
export function itemsOf({ workspace, keys }: Sandbox): readonly PresentItem[] {
  const by = keys[0]?.personId ?? 0;
  return workspace.places().flatMap(({ project, lists }) => [
    ...insist(workspace.events.list({ by, project }, { view: "all" })).map(
      ({ id, title, description, completed, assigned }): PresentItem => ({
        ...{ kind: "event", id, title, completed, project, list: 0 },
        description: description ?? "",
        assigned: assigned,
      }),
    ),
    ...lists.flatMap((list) =>
      insist(workspace.tasks.list({ by, project, list })).map(
        ({ id, title, description, completed, assigned }): PresentItem => ({
          ...{ kind: "task", id, title, completed, project, list },
          description: description ?? "",
          assigned: assigned,
        }),
      ),
    ),
  ]);
}
