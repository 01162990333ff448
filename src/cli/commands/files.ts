import { basename } from "node:path";
import { oneLine } from "@dayferry/ical";
import type { Command } from "commander";
import type { AnswerOf } from "../../operations/operation.ts";
import { deleteFile, listFiles, uploadFile } from "../../operations/workspace-operations.ts";
import { type CommandTools, Failed, readInput } from "../command-host.ts";
import { commandGroup, commandOf, operationCommand } from "../operation-command.ts";
import { printAnswer } from "../operation-runner.ts";
import { readId } from "../options.ts";
import { progressLines } from "../progress-lines.ts";
import { listText, localTime } from "../terminal-text.ts";

interface UploadOptions {
  readonly project: number;
  readonly folder?: number;
  readonly person?: number;
  readonly name?: string;
  readonly type?: string;
}

/** `files`: the files in a project's folders. */
export function filesCommand({ host }: CommandTools): Command {
  const upload = commandOf(uploadFile)
    .argument("<file>", "the file (- = standard input)")
    .requiredOption("--project <id>", "the project", readId)
    .option("--folder <id>", "the folder (default: the project's home folder)", readId)
    .option("--person <id>", "on whose behalf", readId)
    .option("--name <name>", "its name in the workspace")
    .option("--type <type>", "its media type")
    .option("--json", "print JSON", false)
    .action(async (file: string, options: UploadOptions, command: Command) => {
      const { project, folder, person } = options;
      const name = options.name ?? (file === "-" ? null : basename(file));
      if (name === null) throw new Failed("a file from standard input needs --name", 2);
      const content = await readInput(file, host);
      const type = options.type ?? typeOf(name);
      const about = { project, folder, person, name, type, content };
      const onSent = host.columns === null ? undefined : progressLines(host, "upload");
      await printAnswer(
        { host, command },
        (runner) => runner.run(uploadFile, about, onSent),
        describe,
      );
    });
  return commandGroup("files", "files in a project's folders", [
    operationCommand(listFiles, host, { describe }),
    upload,
    operationCommand(deleteFile, host, {
      done: ({ id }) => `file ${id} is deleted\n`,
      async question({ id, project, folder, person }, { runner }) {
        const all = await runner.run(listFiles, { project, folder, person });
        const file = all.find((one) => one.id === id);
        return {
          asks: `File ${file ? oneLine(file.name) : id} is deleted in the workspace, for everyone; this cannot be undone.\nDelete it?`,
        };
      },
    }),
  ]);
}

const types: ReadonlyMap<string, string> = new Map([
  ["csv", "text/csv"],
  ["gif", "image/gif"],
  ["htm", "text/html"],
  ["html", "text/html"],
  ["ics", "text/calendar"],
  ["jpeg", "image/jpeg"],
  ["jpg", "image/jpeg"],
  ["json", "application/json"],
  ["pdf", "application/pdf"],
  ["png", "image/png"],
  ["txt", "text/plain"],
  ["zip", "application/zip"],
]);

const typeOf = (name: string): string =>
  types.get(/\.([^.]+)$/.exec(name)?.[1]?.toLowerCase() ?? "") ?? "application/octet-stream";

const describe = (answer: AnswerOf<typeof listFiles>, zone: string): string =>
  listText(answer, "no files\n", {
    ID: ({ id }) => id,
    BYTES: ({ byteSize }) => byteSize,
    [`CHANGED (${zone})`]: ({ updatedAt }) => localTime(updatedAt, zone),
    NAME: ({ name }) => name,
  });
