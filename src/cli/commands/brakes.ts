import { Command } from "commander";
import type { CommandTools } from "../command-host.ts";
import { confirm, withYes, type YesOption } from "../confirm.ts";
import { printAnswer, withDaemonOrLocal } from "../daemon-or-local.ts";
import { localTime, rowsOf, textTable } from "../terminal-text.ts";

/** `brakes`: sources of which so much vanished at once that removals wait. */
export function brakesCommand({ host }: CommandTools): Command {
  const brakes = new Command("brakes").description(
    "removals that are held because so much vanished at once",
  );
  brakes
    .command("list")
    .description("every source whose removals are held")
    .option("--json", "print JSON", false)
    .action((options: { readonly json: boolean }, command: Command) =>
      printAnswer(
        { host, command, options },
        { work: (backend) => backend.brakes(), describe: describeList },
      ),
    );
  withYes(
    brakes
      .command("release")
      .description("agree to the removals of a source")
      .argument("<source>", "its name, as the list shows it"),
  ).action(async (source: string, options: YesOption, command: Command) => {
    await withDaemonOrLocal({ host, command, options }, async (backend) => {
      const held = rowsOf<ListedBrake>(await backend.brakes()).find((one) => one.source === source);
      const question = () =>
        `${held?.missing} of ${held?.total} entries of ${source} are no longer listed by the service: those that it confirms as gone go from every calendar.\nRemove them?`;
      if (held) await confirm(host, options, question);
      await backend.releaseBrake(source);
    });
    host.say(`${source}: what is confirmed as gone will be removed\n`);
  });
  return brakes;
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
