import { oneLine } from "@dayferry/ical";
import type { Command } from "commander";
import type { AnswerOf } from "../../operations/operation.ts";
import {
  createLabel,
  deleteLabel,
  listLabels,
  renameLabel,
} from "../../operations/workspace-operations.ts";
import type { CommandTools } from "../command-host.ts";
import { commandGroup, operationCommand } from "../operation-command.ts";
import { listText } from "../terminal-text.ts";

type Label = AnswerOf<typeof createLabel>;

/** `labels`: the account's labels. */
export const labelsCommand = ({ host }: CommandTools): Command =>
  commandGroup("labels", "the account's labels", [
    operationCommand(listLabels, host, { describe }),
    operationCommand(createLabel, host, { describe }),
    operationCommand(renameLabel, host, { describe }),
    operationCommand(deleteLabel, host, {
      done: ({ id }) => `label ${id} is deleted\n`,
      async question({ id, person }, { runner }) {
        const all = await runner.run(listLabels, { person });
        const label = all.find((one) => one.id === id);
        return {
          asks: `Label ${label ? oneLine(label.name) : id} is removed from every task, for everyone; this cannot be undone.\nDelete it?`,
        };
      },
    }),
  ]);

const describe = (answer: Label | readonly Label[]): string =>
  listText(answer, "no labels\n", {
    ID: ({ id }) => id,
    COLOUR: ({ color }) => color,
    NAME: ({ name }) => name,
  });
