import type { Command } from "commander";
import type { AnswerOf } from "../../operations/operation.ts";
import { addComment, listComments } from "../../operations/workspace-operations.ts";
import { type CommandTools, Failed } from "../command-host.ts";
import { commandGroup, commandOf, operationCommand } from "../operation-command.ts";
import { printAnswer } from "../operation-runner.ts";
import { readId } from "../options.ts";
import { listText, localTime } from "../terminal-text.ts";

type Comment = AnswerOf<typeof addComment>;

interface CommentOptions {
  readonly person?: number;
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
      const comment = { task, text, person };
      await printAnswer({ host, command }, (runner) => runner.run(addComment, comment), describe);
    });
  return commandGroup("comments", "comments on tasks", [
    operationCommand(listComments, host, { describe }),
    add,
  ]);
}

function readText(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes).trimEnd();
  } catch {
    throw new Failed("the comment on standard input is not UTF-8", 2);
  }
}

const describe = (answer: Comment | readonly Comment[], zone: string): string =>
  listText(answer, "no comments\n", {
    ID: ({ id }) => id,
    [`WRITTEN (${zone})`]: ({ createdAt }) => localTime(createdAt, zone),
    BY: ({ creatorId }) => creatorId,
    TEXT: ({ description }) => description.replace(/\s+/g, " ").slice(0, 200),
  });
