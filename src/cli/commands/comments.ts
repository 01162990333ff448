import { Command } from "commander";
import { type CommandTools, Failed } from "../command-host.ts";
import { printAnswer } from "../daemon-or-local.ts";
import { readId } from "../options.ts";
import { localTime, rowsOf, textTable } from "../terminal-text.ts";

interface CommentOptions {
  readonly person?: number;
  readonly json: boolean;
}

/** `comments`: comments on tasks. */
export function commentsCommand({ host }: CommandTools): Command {
  const comments = new Command("comments").description("comments on tasks");
  const add = (name: string, description: string) =>
    comments
      .command(name)
      .description(description)
      .argument("<task>", "its id or its UID")
      .option("--person <id>", "on whose behalf", readId)
      .option("--json", "print JSON", false);

  add("list", "the comments on a task").action(
    (task: string, options: CommentOptions, command: Command) =>
      printAnswer(
        { host, command, options },
        { work: (backend) => backend.comments(task), describe: describeList },
      ),
  );
  add("add", "put a comment on a task")
    .option("--text <text>", "the comment (default: standard input)")
    .action(
      async (
        task: string,
        options: CommentOptions & { readonly text?: string },
        command: Command,
      ) => {
        const { text: given = "-" } = options;
        const text = given === "-" ? readText(await host.readStandardInput()) : given;
        if (text.trim() === "") throw new Failed("the comment has no text", 2);
        await printAnswer(
          { host, command, options },
          { work: (backend) => backend.addComment(task, text), describe: describeList },
        );
      },
    );
  return comments;
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
