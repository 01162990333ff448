import type { Sandbox } from "../src/sandbox/server.ts";
import { insist } from "../src/sandbox/work-outcome.ts";
import { ownerOf } from "../test/support/sandbox.ts";

/** Requests of a first sweep: projects, people, labels; events and lists of each project; each list; each task that has subtasks. */
export function fewestFor(sandbox: Sandbox): number {
  const { workspace } = sandbox;
  const by = ownerOf(sandbox);
  const places = workspace.places();
  const lists = places.flatMap(({ project, lists }) =>
    lists.map((list) => insist(workspace.tasks.list({ by, project, list }))),
  );
  const parents = lists.flat().filter(({ sub_tasks }) => sub_tasks > 0);
  return 3 + 2 * places.length + lists.length + parents.length;
}
