import type { Sandbox } from "../../src/sandbox/server.ts";
import { insist } from "../../src/sandbox/work-outcome.ts";
import type { WalkTime } from "./walk-time.ts";

/** How many states are remembered: a list never lags further behind. */
const most = 60;

interface State {
  readonly at: Temporal.Instant;
  /** What each list held, by its path. */
  readonly lists: ReadonlyMap<string, unknown>;
}

/** What the lists of a workspace held at each moment of a walk, so that they may answer with what they held before. */
export class WalkLists {
  readonly #sandbox: Sandbox;
  readonly #time: WalkTime;
  #states: readonly State[] = [];

  constructor(sandbox: Sandbox, time: WalkTime) {
    this.#sandbox = sandbox;
    this.#time = time;
    time.onLeave = () => this.#note();
  }

  /** The next `times` answers of each list are as it was so many seconds ago. */
  lag(seconds: number, times: number): void {
    for (const path of this.#present().keys()) {
      this.#sandbox.faults.add({
        kind: "transform",
        method: "GET",
        path: new RegExp(`${path}$`),
        times,
        transform: (json) => this.#asOf(path, this.#time.clock().subtract({ seconds })) ?? json,
      });
    }
  }

  #note(): void {
    this.#states = [
      ...this.#states.slice(-most),
      { at: this.#time.clock(), lists: this.#present() },
    ];
  }

  #asOf(path: string, moment: Temporal.Instant): unknown {
    const state = this.#states.findLast(({ at }) => Temporal.Instant.compare(at, moment) <= 0);
    return state?.lists.get(path);
  }

  #present(): ReadonlyMap<string, unknown> {
    const { workspace, keys } = this.#sandbox;
    const by = keys[0]?.personId ?? 0;
    const found = new Map<string, unknown>();
    for (const { project, lists } of workspace.places().slice(0, 1)) {
      const events = insist(workspace.events.list({ by, project }, { view: "all" }));
      found.set(`/projects/${project}/events`, events);
      for (const list of lists) {
        const tasks = insist(workspace.tasks.list({ by, project, list }));
        const path = `/projects/${project}/todolists/${list}/tasks`;
        found.set(path, tasks);
        for (const { id, sub_tasks } of tasks) {
          if (sub_tasks === 0) continue;
          const below = insist(workspace.subtasks.list({ by, project, list, task: id }));
          found.set(`${path}/${id}/subtasks`, below);
        }
      }
    }
    return new Map([...found].map(([path, list]) => [path, structuredClone(list)]));
  }
}
