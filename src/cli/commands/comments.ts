import { Command } from "commander";
import { addComment, listComments } from "../../operations/workspace-operations.ts";
import { type CommandTools, Failed } from "../command-host.ts";
import { commandOf, operationCommand } from "../operation-command.ts";
import { printAnswer } from "../operation-runner.ts";
import { readId } from "../options.ts";
import { localTime, rowsOf, textTable } from "../terminal-text.ts";

interface CommentOptions {
  readonly person?: number;
  readonly json: boolean;
  readonly text?: string;
}

/** `comments`: comments on tasks. */
export function commentsCommand({ host }: CommandTools): Command {
  const add = commandOf(addComment)
    .argument("<task>", "its id or its UID")
    .option("--person <id>", "on whose behalf", readId)
    .option("--json", "print JSON", false)
    .option("--text <text>", "the comment (default: standard input)")
    .action(async (task: string, options: CommentOptions, command: Command) => {
      const { text: given = "-", person } = options;
      const text = given === "-" ? readText(await host.readStandardInput()) : given;
      if (text.trim() === "") throw new Failed("the comment has no text", 2);
      await printAnswer(
        { host, command, options },
        {
          work: (runner) => runner.run(addComment, { task, text, person }),
          describe: describeList,
        },
      );
    });
  return new Command("comments")
    .description("comments on tasks")
    .addCommand(operationCommand(listComments, { describe: describeList }, host))
    .addCommand(add);
}

function readText(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes).trimEnd();
  } catch {
    throw new Failed("the comment on standard input is not UTF-8", 2);
  }
}

interface ListedComment {
  readonly id: number;
  readonly createdAt: string | null;
  readonly creatorId: number | null;
  readonly description: string;
}

function describeList(answer: unknown, zone: string): string {
  const comments = rowsOf<ListedComment>(answer);
  if (comments.length === 0) return "no comments\n";
  return textTable(
    ["ID", `WRITTEN (${zone})`, "BY", "TEXT"],
    comments.map(({ id, createdAt, creatorId, description }) => [
      String(id),
      localTime(createdAt, zone),
      creatorId === null ? "-" : String(creatorId),
      description.replace(/\s+/g, " ").slice(0, 200),
    ]),
  );
}
