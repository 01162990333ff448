import { basename } from "node:path";
import { oneLine } from "@dayferry/ical";
import { Command } from "commander";
import { deleteFile, listFiles, uploadFile } from "../../operations/workspace-operations.ts";
import { type CommandTools, Failed, readInput } from "../command-host.ts";
import { commandOf, operationCommand } from "../operation-command.ts";
import { printAnswer } from "../operation-runner.ts";
import { readId } from "../options.ts";
import { localTime, rowsOf, textTable } from "../terminal-text.ts";

interface FolderOptions {
  readonly project: number;
  readonly folder?: number;
  readonly person?: number;
}

interface UploadOptions extends FolderOptions {
  readonly json: boolean;
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
      const name = options.name ?? (file === "-" ? null : basename(file));
      if (name === null) throw new Failed("a file from standard input needs --name", 2);
      const content = await readInput(file, host);
      const about = { ...folderOf(options), name, type: options.type ?? typeOf(name), content };
      await printAnswer(
        { host, command, options },
        { work: (runner) => runner.run(uploadFile, about), describe: describeList },
      );
    });
  return new Command("files")
    .description("files in a project's folders")
    .addCommand(operationCommand(listFiles, { describe: describeList }, host))
    .addCommand(upload)
    .addCommand(
      operationCommand(
        deleteFile,
        {
          done: ({ id }) => `file ${String(id)} is deleted\n`,
          async question({ id, ...given }, { runner }) {
            const about: FolderOptions = Object(given);
            const all = rowsOf<ListedFile>(await runner.run(listFiles, folderOf(about)));
            const file = all.find((one) => one.id === id);
            return {
              asks: `File ${file ? oneLine(file.name) : String(id)} is deleted in the workspace, for everyone; this cannot be undone.\nDelete it?`,
            };
          },
        },
        host,
      ),
    );
}

const folderOf = ({ project, folder, person }: FolderOptions) => ({ project, folder, person });

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

interface ListedFile {
  readonly id: number;
  readonly name: string;
  readonly byteSize: number | null;
  readonly updatedAt: string | null;
}

function describeList(answer: unknown, zone: string): string {
  const files = rowsOf<ListedFile>(answer);
  if (files.length === 0) return "no files\n";
  return textTable(
    ["ID", "BYTES", `CHANGED (${zone})`, "NAME"],
    files.map(({ id, name, byteSize, updatedAt }) => [
      String(id),
      byteSize === null ? "-" : String(byteSize),
      localTime(updatedAt, zone),
      name,
    ]),
  );
}
