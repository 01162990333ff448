import { Command } from "commander";
import { copyTaskToList, moveTaskToList } from "../../operations/workspace-operations.ts";
import type { CommandTools } from "../command-host.ts";
import { operationCommand } from "../operation-command.ts";

/** `tasks`: copies and moves. */
export function tasksCommand({ host }: CommandTools): Command {
  const tasks = new Command("tasks").description("copies and moves of tasks");
  for (const one of [copyTaskToList, moveTaskToList]) {
    tasks.addCommand(operationCommand(one, { describe }, host));
  }
  return tasks;
}

function describe(placed: unknown): string {
  const task: {
    readonly id?: number;
    readonly uid?: string;
    readonly title?: string;
    readonly listId?: number;
    readonly projectId?: number;
  } = Object(placed);
  const { id, uid, title, listId, projectId } = task;
  return `task ${id} "${title}" in list ${listId} of project ${projectId}  ${uid}\n`;
}
