import { roomy, type StageOptions, stage } from "./stage.ts";
import { addEvent, addTask, placeAt } from "./workspace.ts";

/**
 * Two projects with two lists each; a task with two subtasks, another task and an event in the first. `beforeSweep`
 * runs after those were made, and before they are read.
 */
export async function smallWorld(
  options: StageOptions = {},
  beforeSweep: () => void = () => undefined,
) {
  const it = await stage({ quota: roomy, ...options });
  const place = placeAt(it, 0);
  const event = addEvent(it, place);
  const task = addTask(it, place, { title: "Parent", due_date: "2027-03-09" });
  const other = addTask(it, place, { title: "Other" });
  const { subtasks, tasks, events } = it.sandbox.workspace;
  const below = { ...place, task };
  const children = ["First", "Second"].map((title) => subtasks.create(below, { title }).id);
  beforeSweep();
  await it.sweep();
  return { it, place, event, task, other, children, subtasks, tasks, events };
}
