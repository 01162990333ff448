import { Command } from "commander";
import { asJson, type CommandTools, configFor, Failed } from "../command-tools.ts";
import { localTime } from "../local-time.ts";
import { readId } from "../options.ts";
import { withServiceActions } from "../service-daemon-or-local.ts";
import { table } from "../table.ts";

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
    async (task: string, { person, json }: CommentOptions, command: Command) => {
      const setting = { config: configFor(command, host), host, person };
      const listed = await withServiceActions(setting, (office) => office.comments(task));
      host.print(json ? asJson(listed) : describeList(listed, setting.config.service.timeZone));
    },
  );
  add("add", "put a comment on a task")
    .option("--text <text>", "the comment (default: standard input)")
    .action(
      async (
        task: string,
        { person, json, text: given }: CommentOptions & { readonly text?: string },
        command: Command,
      ) => {
        const setting = { config: configFor(command, host), host, person };
        const isPiped = given === undefined || given === "-";
        const text = isPiped ? readText(await host.readStandardInput()) : given;
        if (text.trim() === "") throw new Failed("the comment has no text", 2);
        const made = await withServiceActions(setting, (office) => office.addComment(task, text));
        host.print(json ? asJson(made) : describeList([made], setting.config.service.timeZone));
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

function describeList(listed: unknown, zone: string): string {
  const comments: readonly ListedComment[] = Array.isArray(listed) ? listed : [];
  if (comments.length === 0) return "no comments\n";
  return table(
    ["ID", `WRITTEN (${zone})`, "BY", "TEXT"],
    comments.map(({ id, createdAt, creatorId, description }) => [
      String(id),
      localTime(createdAt, zone),
      creatorId === null ? "-" : String(creatorId),
      description.replace(/\s+/g, " ").slice(0, 200),
    ]),
  );
}
