import { Command } from "commander";
import { type EditAct, inOffice } from "../office.ts";
import { readId } from "../options.ts";
import { asJson, type CommandTools, configFor } from "../outcome.ts";
import { table } from "../table.ts";

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
        const listed = await inOffice({ config, host }, (office) => office.edits(state));
        host.print(json ? asJson(listed) : describeList(listed));
      },
    );
  edits
    .command("show")
    .description("one edit, whole")
    .argument("<id>", "its number", readId)
    .option("--json", "print JSON (it always is)", false)
    .action(async (id: number, _options, command: Command) => {
      const config = configFor(command, host);
      host.print(asJson(await inOffice({ config, host }, (office) => office.edit(id))));
    });
  for (const [act, description] of acts) {
    edits
      .command(act)
      .description(description)
      .argument("<id>", "its number", readId)
      .option("--json", "print JSON", false)
      .action(async (id: number, { json }: { readonly json: boolean }, command: Command) => {
        const config = configFor(command, host);
        const edit = await inOffice({ config, host }, (office) => office.decide(id, act));
        host.print(json ? asJson(edit) : describeList([edit]));
      });
  }
  edits
    .command("undo")
    .description("take a confirmed edit back, by a new edit that is its inverse")
    .argument("<id>", "its number", readId)
    .option("--person <id>", "who takes it back", readId)
    .option("--json", "print JSON", false)
    .action(async (id: number, { person, json }: UndoOptions, command: Command) => {
      const config = configFor(command, host);
      const inverse = await inOffice({ config, host }, (office) => office.undo(id, person ?? null));
      host.print(json ? asJson(inverse) : describeList([inverse]));
    });
  return edits;
}

interface UndoOptions {
  readonly person?: number;
  readonly json: boolean;
}

const acts: readonly (readonly [EditAct, string])[] = [
  ["approve", "let a held edit go"],
  ["discard", "take an edit back that has not reached the service"],
  ["retry", "try a parked edit again"],
];

interface ListedEdit {
  readonly id: number;
  readonly createdAt: string;
  readonly action: string;
  readonly state: string;
  readonly reason: string | null;
  readonly problem: string | null;
  readonly item: { readonly title: string };
}

function describeList(listed: unknown): string {
  const edits: readonly ListedEdit[] = Array.isArray(listed) ? listed : [];
  if (edits.length === 0) return "no edits\n";
  return table(
    ["ID", "ACCEPTED", "ACTION", "STATE", "ITEM", "PROBLEM"],
    edits.map(({ id, createdAt, action, state, reason, item, problem }) => [
      String(id),
      createdAt.slice(0, 19),
      action,
      reason ? `${state} (${reason})` : state,
      item.title,
      problem ?? "",
    ]),
  );
}
