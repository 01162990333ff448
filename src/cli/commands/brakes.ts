import type { Command } from "commander";
import { listBrakes, releaseBrake } from "../../operations/brake-operations.ts";
import type { CommandTools } from "../command-host.ts";
import { commandGroup, operationCommand } from "../operation-command.ts";
import { listText, localTime } from "../terminal-text.ts";

/** `brakes`: held removals, by source. */
export const brakesCommand = ({ host }: CommandTools): Command =>
  commandGroup("brakes", "removals waiting for approval because too much disappeared at once", [
    operationCommand(listBrakes, host, {
      describe: (brakes, zone) =>
        listText(brakes, "nothing is held\n", {
          SOURCE: ({ source }) => source,
          [`SINCE (${zone})`]: ({ heldAt }) => localTime(heldAt, zone),
          MISSING: ({ missing }) => missing,
          OF: ({ total }) => total,
          "WAITS FOR": ({ needsPerson, releasedAt }) =>
            needsPerson && releasedAt === null ? "a person" : "confirmation by the service",
        }),
    }),
    operationCommand(releaseBrake, host, {
      done: ({ source }) => `${source}: items confirmed as deleted will be removed\n`,
      async question({ source }, { runner }) {
        const held = (await runner.run(listBrakes, {})).find((one) => one.source === source);
        if (!held) return null;
        const { missing, total } = held;
        return {
          asks: `${missing} of ${total} entries of ${source} are no longer listed by the service: those it confirms as deleted are removed from every calendar.\nRemove them?`,
        };
      },
    }),
  ]);
