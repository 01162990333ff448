import { basename } from "node:path";
import { oneLine } from "@dayferry/ical";
import { Command } from "commander";
import { asJson, type CommandTools, Failed, readInput } from "../command-host.ts";
import { confirm, withYes, type YesOption } from "../confirm.ts";
import { type FolderName, printAnswer, withDaemonOrLocal } from "../daemon-or-local.ts";
import { readId } from "../options.ts";
import { localTime, rowsOf, textTable } from "../terminal-text.ts";

interface FileOptions extends FolderName {
  readonly person?: number;
  readonly json: boolean;
}

/** `files`: the files in a project's folders. */
export function filesCommand({ host }: CommandTools): Command {
  const files = new Command("files").description("files in a project's folders");
  const add = (name: string, description: string) =>
    files
      .command(name)
      .description(description)
      .requiredOption("--project <id>", "the project", readId)
      .option("--folder <id>", "the folder (default: the project's home folder)", readId)
      .option("--person <id>", "on whose behalf", readId)
      .option("--json", "print JSON", false);

  add("list", "the files of a folder").action((options: FileOptions, command: Command) =>
    printAnswer(
      { host, command, options },
      { work: (backend) => backend.files(folderOf(options)), describe: describeList },
    ),
  );
  add("upload", "put a file into a folder")
    .argument("<file>", "the file (- = standard input)")
    .option("--name <name>", "its name in the workspace")
    .option("--type <type>", "its media type")
    .action(
      async (
        file: string,
        options: FileOptions & { readonly name?: string; readonly type?: string },
        command: Command,
      ) => {
        const name = options.name ?? (file === "-" ? null : basename(file));
        if (name === null) throw new Failed("a file from standard input needs --name", 2);
        const content = await readInput(file, host);
        const upload = { ...folderOf(options), name, type: options.type ?? typeOf(name), content };
        await printAnswer(
          { host, command, options },
          { work: (backend) => backend.upload(upload), describe: describeList },
        );
      },
    );
  withYes(add("delete", "remove a file from a folder"))
    .argument("<id>", "the file's number", readId)
    .action(async (id: number, options: FileOptions & YesOption, command: Command) => {
      const folder = folderOf(options);
      await withDaemonOrLocal({ host, command, options }, async (backend) => {
        await confirm(host, options, async () => {
          const file = rowsOf<ListedFile>(await backend.files(folder)).find((one) => one.id === id);
          return `File ${file ? oneLine(file.name) : id} is deleted in the workspace, for everyone; that cannot be undone.\nDelete it?`;
        });
        await backend.deleteFile(id, folder);
      });
      if (options.json) host.print(asJson({ deleted: id }));
      else host.say(`file ${id} is deleted\n`);
    });
  return files;
}

const folderOf = ({ project, folder }: FileOptions): FolderName => ({ project, folder });

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
