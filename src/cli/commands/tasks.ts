import type { Command } from "commander";
import type { AnswerOf } from "../../operations/operation.ts";
import { copyTaskToList, moveTaskToList } from "../../operations/workspace-operations.ts";
import type { CommandTools } from "../command-host.ts";
import { commandGroup, operationCommand } from "../operation-command.ts";

/** `tasks`: copies and moves. */
export const tasksCommand = ({ host }: CommandTools): Command =>
  commandGroup("tasks", "copies and moves of tasks", [
    operationCommand(copyTaskToList, host, { describe }),
    operationCommand(moveTaskToList, host, { describe }),
  ]);

const describe = ({ id, uid, title, listId, projectId }: AnswerOf<typeof copyTaskToList>): string =>
  `task ${id} "${title}" in list ${listId} of project ${projectId}  ${uid}\n`;
