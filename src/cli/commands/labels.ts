import { Command } from "commander";
import { asJson, type CommandTools, configFor } from "../command-tools.ts";
import { readId } from "../options.ts";
import { type ServiceDaemonOrLocal, withServiceActions } from "../service-daemon-or-local.ts";
import { table } from "../table.ts";

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
  const show = async (
    work: (office: ServiceDaemonOrLocal) => Promise<unknown>,
    { options, command }: { readonly options: LabelOptions; readonly command: Command },
  ) => {
    const { person, json } = options;
    const answer = await withServiceActions(
      { config: configFor(command, host), host, person },
      work,
    );
    host.print(json ? asJson(answer) : describeList(Array.isArray(answer) ? answer : [answer]));
  };

  add("list", "every label").action((options: LabelOptions, command: Command) =>
    show((office) => office.labels(), { options, command }),
  );
  add("create", "a new label")
    .argument("<name>", "its name")
    .action((name: string, options: LabelOptions, command: Command) =>
      show((office) => office.createLabel(name), { options, command }),
    );
  add("rename", "give a label another name")
    .argument("<id>", "the label's number", readId)
    .argument("<name>", "its new name")
    .action((id: number, name: string, options: LabelOptions, command: Command) =>
      show((office) => office.renameLabel(id, name), { options, command }),
    );
  add("delete", "take a label from the account and from every task")
    .argument("<id>", "the label's number", readId)
    .action(async (id: number, { person, json }: LabelOptions, command: Command) => {
      const setting = { config: configFor(command, host), host, person };
      await withServiceActions(setting, (office) => office.deleteLabel(id));
      if (json) host.print(asJson({ deleted: id }));
      else host.say(`label ${id} is deleted\n`);
    });
  return labels;
}

interface ListedLabel {
  readonly id: number;
  readonly name: string;
  readonly color: string | null;
}

function describeList(labels: readonly ListedLabel[]): string {
  if (labels.length === 0) return "no labels\n";
  return table(
    ["ID", "COLOUR", "NAME"],
    labels.map(({ id, name, color }) => [String(id), color ?? "-", name]),
  );
}
