import type { Command } from "commander";
import { showStatus } from "../../operations/status-operations.ts";
import type { CommandTools } from "../command-host.ts";
import { operationCommand } from "../operation-command.ts";
import { listText, localTime } from "../terminal-text.ts";

/** `status`: whether calendars are up to date. */
export const statusCommand = ({ host }: CommandTools): Command =>
  operationCommand(showStatus, host, {
    describe: ({ text, pendingEdits, waitingEdits, problems, projects }, zone) =>
      [
        `${text}\n`,
        `Edits being sent: ${pendingEdits}. Edits that need a decision: ${waitingEdits}.\n`,
        ...problems.map((problem) => `Problem: ${problem}\n`),
        "\n",
        listText(projects, "There are no projects.\n", {
          ID: ({ id }) => id,
          PROJECT: ({ title }) => title,
          SYNCED: ({ syncedAt }) => localTime(syncedAt, zone),
          "LISTS WITH ERRORS": ({ failingLists }) => failingLists || null,
        }),
      ].join(""),
  });
