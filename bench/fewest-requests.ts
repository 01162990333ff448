import type { Sandbox } from "@dayferry/sandbox";
import { ownerOf } from "../test/support/sandbox.ts";

/**
 * Requests of a first sync: projects, people, labels; events and lists of each project; each list; and each task that has
 * subtasks, or, in a large workspace, all pages of the list of all tasks with the lists that are compared to them.
 */
export function fewestFor(sandbox: Sandbox, { pages = true } = {}): number {
  const { workspace } = sandbox;
  const by = ownerOf(sandbox);
  const places = workspace.places();
  const lists = places.flatMap(({ project, lists }) =>
    lists.map((list) => workspace.tasks.list({ by, project, list })),
  );
  const tasks = lists.flat();
  const parents = tasks.filter(({ sub_tasks }) => sub_tasks > 0);
  const others = 3 + 2 * places.length + lists.length;
  if (lists.length < 25 || parents.length < 100) return others + parents.length;
  const subtasks = parents.reduce((sum, { sub_tasks }) => sum + sub_tasks, 0);
  const compared = Math.max(12, Math.ceil(parents.length / 100));
  // Where there are no pages, that is asked once.
  if (!pages) return others + parents.length + 1;
  return others + Math.ceil((tasks.length + subtasks) / 100) + compared;
}
