import { oneLine } from "@dayferry/ical";
import { Command } from "commander";
import { asJson, type CommandTools } from "../command-host.ts";
import { confirm, withYes, type YesOption } from "../confirm.ts";
import { type DaemonOrLocal, printAnswer, withDaemonOrLocal } from "../daemon-or-local.ts";
import { readId } from "../options.ts";
import { rowsOf, textTable } from "../terminal-text.ts";

interface LabelOptions {
  readonly person?: number;
  readonly json: boolean;
}

/** `labels`: the account's labels. */
export function labelsCommand({ host }: CommandTools): Command {
  const labels = new Command("labels").description("the account's labels");
  const add = (name: string, description: string) =>
    labels
      .command(name)
      .description(description)
      .option("--person <id>", "on whose behalf", readId)
      .option("--json", "print JSON", false);
  const print = (
    work: (backend: DaemonOrLocal) => Promise<unknown>,
    called: { readonly options: LabelOptions; readonly command: Command },
  ) => printAnswer({ host, ...called }, { work, describe: describeList });

  add("list", "every label").action((options: LabelOptions, command: Command) =>
    print((backend) => backend.labels(), { options, command }),
  );
  add("create", "a new label")
    .argument("<name>", "its name")
    .action((name: string, options: LabelOptions, command: Command) =>
      print((backend) => backend.createLabel(name), { options, command }),
    );
  add("rename", "give a label another name")
    .argument("<id>", "the label's number", readId)
    .argument("<name>", "its new name")
    .action((id: number, name: string, options: LabelOptions, command: Command) =>
      print((backend) => backend.renameLabel(id, name), { options, command }),
    );
  withYes(add("delete", "take a label from the account and from every task"))
    .argument("<id>", "the label's number", readId)
    .action(async (id: number, options: LabelOptions & YesOption, command: Command) => {
      await withDaemonOrLocal({ host, command, options }, async (backend) => {
        await confirm(host, options, async () => {
          const label = rowsOf<ListedLabel>(await backend.labels()).find((one) => one.id === id);
          return `Label ${label ? oneLine(label.name) : id} is taken off every task, for everyone; that cannot be undone.\nDelete it?`;
        });
        await backend.deleteLabel(id);
      });
      if (options.json) host.print(asJson({ deleted: id }));
      else host.say(`label ${id} is deleted\n`);
    });
  return labels;
}

interface ListedLabel {
  readonly id: number;
  readonly name: string;
  readonly color: string | null;
}

function describeList(answer: unknown): string {
  const labels = rowsOf<ListedLabel>(answer);
  if (labels.length === 0) return "no labels\n";
  return textTable(
    ["ID", "COLOUR", "NAME"],
    labels.map(({ id, name, color }) => [String(id), color ?? "-", name]),
  );
}
