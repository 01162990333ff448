import { Command } from "commander";
import type { Config } from "../../config/config.ts";
import { listId, personId, projectId } from "../../domain/ids.ts";
import {
  type AcceptedFile,
  describeFile,
  isDone,
  readAccepted,
} from "../../edits/inbox/plan-text.ts";
import {
  asJson,
  type CommandHost,
  type CommandTools,
  configFor,
  type DaemonAddress,
  readInput,
  withLocalModules,
} from "../command-host.ts";
import { askDaemon } from "../daemon.ts";
import { readId } from "../options.ts";
import { drainAll } from "./sync.ts";

interface ApplyOptions {
  readonly project: number;
  readonly list?: number;
  readonly person?: number;
  readonly dryRun: boolean;
  readonly json: boolean;
}

/** `apply`: ICS edits from files, through the daemon when one runs. Exits 1 when anything was refused. */
export function applyCommand({ host, finish }: CommandTools): Command {
  return new Command("apply")
    .description("apply ICS edits from files (- = standard input); prints the plan, item by item")
    .argument("<file...>", "calendar files")
    .requiredOption("--project <id>", "where new items go", readId)
    .option("--list <id>", "todolist for new tasks", readId)
    .option("--person <id>", "whose edits these are", readId)
    .option("--dry-run", "only show what would be done", false)
    .option("--json", "print JSON", false)
    .action(async (files: readonly string[], options: ApplyOptions, command: Command) => {
      const config = configFor(command, host);
      const contents = await Promise.all(
        files.map(async (file) => ({ file, bytes: await readInput(file, host) })),
      );
      const daemon = host.daemonOf(config);
      const accepted = daemon
        ? await sendToDaemon(contents, { daemon, options })
        : await acceptLocally(contents, { config, host, options });
      if (options.json)
        host.print(asJson(accepted.map(({ file, answer }) => ({ file, ...answer }))));
      else for (const one of accepted) host.print(describeFile(one, options.dryRun));
      finish(accepted.every(({ answer }) => isDone(answer)) ? 0 : 1);
    });
}

interface InputFile {
  readonly file: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

async function sendToDaemon(
  files: readonly InputFile[],
  { daemon, options }: { readonly daemon: DaemonAddress; readonly options: ApplyOptions },
): Promise<readonly AcceptedFile[]> {
  const query = new URLSearchParams({
    project: String(options.project),
    dryRun: String(options.dryRun),
  });
  if (options.list !== undefined) query.set("list", String(options.list));
  if (options.person !== undefined) query.set("person", String(options.person));
  const path = `/api/edits?${query.toString()}`;
  const accepted: AcceptedFile[] = [];
  for (const { file, bytes } of files) {
    const body = { type: "text/calendar", content: bytes };
    const answer = await askDaemon(daemon, { method: "POST", path, body });
    accepted.push({ file, answer: readAccepted(answer.body) });
  }
  return accepted;
}

async function acceptLocally(
  files: readonly InputFile[],
  {
    config,
    host,
    options,
  }: {
    readonly config: Config;
    readonly host: CommandHost;
    readonly options: ApplyOptions;
  },
): Promise<readonly AcceptedFile[]> {
  return withLocalModules({ config, host }, async (modules) => {
    const accepted: AcceptedFile[] = [];
    for (const { file, bytes } of files) {
      const acceptance = await modules.acceptFile({
        bytes,
        channel: "cli",
        actor: options.person === undefined ? null : personId(options.person),
        projectId: projectId(options.project),
        listId: options.list === undefined ? null : listId(options.list),
        dryRun: options.dryRun,
      });
      accepted.push({ file, answer: readAccepted(JSON.parse(JSON.stringify(acceptance))) });
    }
    if (!options.dryRun) {
      const { waiting } = await drainAll(modules, host.signal);
      if (waiting > 0) {
        host.say(`${waiting} edits wait in the journal; the next serve or sync sends them\n`);
      }
    }
    return accepted;
  });
}
