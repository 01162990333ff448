import { Command } from "commander";
import { asJson, type CommandTools, configFor, Failed } from "../command-tools.ts";
import { type EditAct, withDaemonOrLocal } from "../daemon-or-local.ts";
import { describeEdit, describeEdits, describeOverwriting, type ListedEdit } from "../edit-text.ts";
import { readId } from "../options.ts";

/** `edits`: the journal, and what a person decides about its entries. */
export function editsCommand({ host }: CommandTools): Command {
  const edits = new Command("edits").description("the journal of edits");
  edits
    .command("list")
    .description("the newest edits")
    .option("--state <state>", "only edits in this state")
    .option("--json", "print JSON", false)
    .action(
      async (
        { state, json }: { readonly state?: string; readonly json: boolean },
        command: Command,
      ) => {
        const config = configFor(command, host);
        const listed = await withDaemonOrLocal({ config, host }, (office) => office.edits(state));
        host.print(json ? asJson(listed) : describeEdits(listed, config.service.timeZone));
      },
    );
  edits
    .command("show")
    .description("one edit, whole")
    .argument("<id>", "its number", readId)
    .option("--json", "print JSON", false)
    .action(async (id: number, { json }: { readonly json: boolean }, command: Command) => {
      const config = configFor(command, host);
      const edit = await withDaemonOrLocal({ config, host }, (office) => office.edit(id));
      host.print(json ? asJson(edit) : describeEdit(listedEdit(edit), config.service.timeZone));
    });
  for (const [act, description] of acts) {
    edits
      .command(act)
      .description(description)
      .argument("<id>", "its number", readId)
      .option("--json", "print JSON", false)
      .action(async (id: number, { json }: { readonly json: boolean }, command: Command) => {
        const config = configFor(command, host);
        const edit = await withDaemonOrLocal({ config, host }, (office) => office.decide(id, act));
        host.print(json ? asJson(edit) : describeEdits([edit], config.service.timeZone));
      });
  }
  edits
    .command("retry")
    .description("try a parked edit again")
    .argument("<id>", "its number", readId)
    .option("--force", "also over what somebody else has changed, as it is printed first", false)
    .option("--json", "print JSON", false)
    .action(async (id: number, { force, json }: RetryOptions, command: Command) => {
      const config = configFor(command, host);
      const edit = await withDaemonOrLocal({ config, host }, async (office) => {
        const parked = listedEdit(await office.edit(id));
        const { conflictVersion: version } = parked;
        if (version !== null) host.say(describeOverwriting(parked));
        if (version !== null && !force) {
          const ways = `--force sends the edit over it, \`edits discard ${id}\` keeps it`;
          throw new Failed(`Nothing was sent: ${ways}.`, 1);
        }
        return office.retry(id, version);
      });
      host.print(json ? asJson(edit) : describeEdits([edit], config.service.timeZone));
    });
  edits
    .command("undo")
    .description("take a confirmed edit back, by a new edit that is its inverse")
    .argument("<id>", "its number", readId)
    .option("--person <id>", "who takes it back", readId)
    .option("--json", "print JSON", false)
    .action(async (id: number, { person, json }: UndoOptions, command: Command) => {
      const config = configFor(command, host);
      const inverse = await withDaemonOrLocal({ config, host }, (office) =>
        office.undo(id, person ?? null),
      );
      host.print(json ? asJson(inverse) : describeEdits([inverse], config.service.timeZone));
    });
  return edits;
}

interface RetryOptions {
  readonly force: boolean;
  readonly json: boolean;
}

interface UndoOptions {
  readonly person?: number;
  readonly json: boolean;
}

const acts: readonly (readonly [EditAct, string])[] = [
  ["approve", "let a held edit go"],
  ["discard", "take an edit back that has not reached the service"],
];

const listedEdit = (edit: unknown): ListedEdit => Object(edit);
