import { Command } from "commander";
import { type CommandTools, Failed } from "../command-host.ts";
import { printAnswer } from "../daemon-or-local.ts";
import { describeEdit, describeEdits, describeOverwriting, type ListedEdit } from "../edit-text.ts";
import { readId } from "../options.ts";

interface EditOptions {
  readonly json: boolean;
}

/** `edits`: the journal, and what a person decides about its entries. */
export function editsCommand({ host }: CommandTools): Command {
  const edits = new Command("edits").description("the journal of edits");
  const add = (name: string, description: string) =>
    edits
      .command(name)
      .description(description)
      .argument("<id>", "its number", readId)
      .option("--json", "print JSON", false);

  edits
    .command("list")
    .description("the newest edits")
    .option("--state <state>", "only edits in this state")
    .option("--json", "print JSON", false)
    .action((options: EditOptions & { readonly state?: string }, command: Command) => {
      return printAnswer(
        { host, command, options },
        { work: (backend) => backend.edits(options.state), describe: describeEdits },
      );
    });
  add("show", "one edit, whole").action((id: number, options: EditOptions, command: Command) =>
    printAnswer(
      { host, command, options },
      { work: (backend) => backend.edit(id), describe: describeEdit },
    ),
  );
  for (const [act, description] of acts) {
    add(act, description).action((id: number, options: EditOptions, command: Command) =>
      printAnswer(
        { host, command, options },
        { work: (backend) => backend.decide(id, act), describe: describeEdits },
      ),
    );
  }
  add("retry", "try a parked edit again")
    .option("--force", "also over what somebody else has changed, as it is printed first", false)
    .action((id: number, options: EditOptions & { readonly force: boolean }, command: Command) =>
      printAnswer(
        { host, command, options },
        {
          async work(backend) {
            const parked: ListedEdit = Object(await backend.edit(id));
            const { conflictVersion: version } = parked;
            if (version !== null) host.say(describeOverwriting(parked));
            if (version !== null && !options.force) {
              const ways = `--force sends the edit over it, \`edits discard ${id}\` keeps it`;
              throw new Failed(`Nothing was sent: ${ways}.`, 1);
            }
            return backend.retry(id, version);
          },
          describe: describeEdits,
        },
      ),
    );
  add("undo", "take a confirmed edit back, by a new edit that is its inverse")
    .option("--person <id>", "who takes it back", readId)
    .action((id: number, options: EditOptions & { readonly person?: number }, command: Command) =>
      printAnswer(
        { host, command, options },
        { work: (backend) => backend.undo(id), describe: describeEdits },
      ),
    );
  return edits;
}

const acts = [
  ["approve", "let a held edit go"],
  ["discard", "take an edit back that has not reached the service"],
] as const;
