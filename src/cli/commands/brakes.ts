import { Command } from "commander";
import { listBrakes, releaseBrake } from "../../operations/brake-operations.ts";
import type { CommandTools } from "../command-host.ts";
import { operationCommand } from "../operation-command.ts";
import { localTime, rowsOf, textTable } from "../terminal-text.ts";

/** `brakes`: held removals, by source. */
export function brakesCommand({ host }: CommandTools): Command {
  return new Command("brakes")
    .description("removals waiting for approval because too much disappeared at once")
    .addCommand(operationCommand(listBrakes, { describe: describeList }, host))
    .addCommand(
      operationCommand(
        releaseBrake,
        {
          done: ({ source }) => `${String(source)}: items confirmed as deleted will be removed\n`,
          async question({ source }, { runner }) {
            const all = rowsOf<ListedBrake>(await runner.run(listBrakes, {}));
            const held = all.find((one) => one.source === source);
            return held
              ? {
                  asks: `${held.missing} of ${held.total} entries of ${held.source} are no longer listed by the service: those it confirms as deleted are removed from every calendar.\nRemove them?`,
                }
              : null;
          },
        },
        host,
      ),
    );
}

interface ListedBrake {
  readonly source: string;
  readonly heldAt: string;
  readonly missing: number;
  readonly total: number;
  readonly needsPerson: boolean;
  readonly releasedAt: string | null;
}

function describeList(answer: unknown, zone: string): string {
  const brakes = rowsOf<ListedBrake>(answer);
  if (brakes.length === 0) return "nothing is held\n";
  return textTable(
    ["SOURCE", `SINCE (${zone})`, "MISSING", "OF", "WAITS FOR"],
    brakes.map(({ source, heldAt, missing, total, needsPerson, releasedAt }) => [
      source,
      localTime(heldAt, zone),
      String(missing),
      String(total),
      needsPerson && releasedAt === null ? "a person" : "confirmation by the service",
    ]),
  );
}
