import { Command } from "commander";
import type { CommandTools } from "../command-host.ts";
import { printAnswer } from "../daemon-or-local.ts";
import { readId } from "../options.ts";

interface RelocationOptions {
  readonly list: number;
  readonly project?: number;
  readonly title?: string;
  readonly person?: number;
  readonly json: boolean;
}

/** `tasks`: copies and moves. */
export function tasksCommand({ host }: CommandTools): Command {
  const tasks = new Command("tasks").description("copies and moves of tasks");
  for (const [act, description] of acts) {
    tasks
      .command(act)
      .description(description)
      .argument("<task>", "its id or its UID")
      .requiredOption("--list <id>", "the todolist where it goes", readId)
      .option("--project <id>", "the project of that list, where it is not known here", readId)
      .option("--title <title>", "another title")
      .option("--person <id>", "on whose behalf", readId)
      .option("--json", "print JSON", false)
      .action((task: string, options: RelocationOptions, command: Command) => {
        const { list, project, title } = options;
        return printAnswer(
          { host, command, options },
          { work: (backend) => backend.relocate(act, { task, list, project, title }), describe },
        );
      });
  }
  return tasks;
}

const acts = [
  ["copy", "copy a task into a list, with its people, dates and custom fields"],
  ["move", "move a task into another list; it keeps its UID"],
] as const;

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
