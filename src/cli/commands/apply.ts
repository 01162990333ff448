import { Command } from "commander";
import {
  type AcceptedFile,
  describeFile,
  isDone,
  readAccepted,
} from "../../edits/inbox/plan-text.ts";
import { applyFile } from "../../operations/edit-operations.ts";
import {
  asJson,
  type CommandHost,
  type CommandTools,
  type LocalModules,
  readInput,
} from "../command-host.ts";
import { withRunner } from "../operation-runner.ts";
import { readId } from "../options.ts";
import { drainAll } from "./sync.ts";

interface ApplyOptions {
  readonly project: number;
  readonly list?: number;
  readonly person?: number;
  readonly dryRun: boolean;
  readonly json: boolean;
}

/** `apply`: ICS edits from files, through the daemon if one runs. Exits 1 if anything was refused. */
export function applyCommand({ host, finish }: CommandTools): Command {
  return new Command("apply")
    .description("apply ICS edits from files (- = standard input); prints the plan per item")
    .argument("<file...>", "calendar files")
    .requiredOption("--project <id>", "where new items go", readId)
    .option("--list <id>", "todolist for new tasks", readId)
    .option("--person <id>", "whose edits these are", readId)
    .option("--dry-run", "only show the plan", false)
    .option("--json", "print JSON", false)
    .action(async (files: readonly string[], options: ApplyOptions, command: Command) => {
      const contents = await Promise.all(
        files.map(async (file) => ({ file, content: await readInput(file, host) })),
      );
      const accepted = await withRunner({ host, command }, async (runner, { modules }) => {
        const answers: AcceptedFile[] = [];
        for (const { file, content } of contents) {
          const { project, list, person, dryRun } = options;
          const about = { file: content, project, list, person, dryRun };
          const answer = await runner.attempt(applyFile, about);
          const body = answer.ok ? answer.value : answer.failure.more;
          answers.push({ file, answer: readAccepted(body) });
        }
        if (modules && !options.dryRun) await sendAll(modules, host);
        return answers;
      });
      if (options.json)
        host.print(asJson(accepted.map(({ file, answer }) => ({ file, ...answer }))));
      else for (const one of accepted) host.print(describeFile(one, options.dryRun));
      finish(accepted.every(({ answer }) => isDone(answer)) ? 0 : 1);
    });
}

async function sendAll(modules: LocalModules, host: CommandHost): Promise<void> {
  const { waiting } = await drainAll(modules, host.signal);
  if (waiting > 0) {
    host.say(`${waiting} edits wait in the journal; the next serve or sync sends them\n`);
  }
}
