import { oneLine } from "@dayferry/ical";
import { Command } from "commander";
import {
  createLabel,
  deleteLabel,
  listLabels,
  renameLabel,
} from "../../operations/workspace-operations.ts";
import type { CommandTools } from "../command-host.ts";
import { operationCommand } from "../operation-command.ts";
import { rowsOf, textTable } from "../terminal-text.ts";

/** `labels`: the account's labels. */
export function labelsCommand({ host }: CommandTools): Command {
  const labels = new Command("labels").description("the account's labels");
  for (const one of [listLabels, createLabel, renameLabel]) {
    labels.addCommand(operationCommand(one, { describe: describeList }, host));
  }
  return labels.addCommand(
    operationCommand(
      deleteLabel,
      {
        done: ({ id }) => `label ${String(id)} is deleted\n`,
        async question({ id, person }, { runner }) {
          const about = person === undefined ? {} : { person: Number(person) };
          const all = rowsOf<ListedLabel>(await runner.run(listLabels, about));
          const label = all.find((one) => one.id === id);
          return {
            asks: `Label ${label ? oneLine(label.name) : String(id)} is removed from every task, for everyone; this cannot be undone.\nDelete it?`,
          };
        },
      },
      host,
    ),
  );
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
