import { Command } from "commander";
import { asJson, type CommandTools, configFor } from "../command-tools.ts";
import { withDaemonOrLocal } from "../daemon-or-local.ts";
import { localTime } from "../local-time.ts";
import { table } from "../table.ts";

/** `brakes`: sources of which so much vanished at once that removals wait. */
export function brakesCommand({ host }: CommandTools): Command {
  const brakes = new Command("brakes").description(
    "removals that are held because so much vanished at once",
  );
  brakes
    .command("list")
    .description("every source whose removals are held")
    .option("--json", "print JSON", false)
    .action(async ({ json }: { readonly json: boolean }, command: Command) => {
      const config = configFor(command, host);
      const listed = await withDaemonOrLocal({ config, host }, (office) => office.brakes());
      host.print(json ? asJson(listed) : describeList(listed, config.service.timeZone));
    });
  brakes
    .command("release")
    .description("agree to the removals of a source")
    .argument("<source>", "its name, as the list shows it")
    .action(async (source: string, _options, command: Command) => {
      const config = configFor(command, host);
      await withDaemonOrLocal({ config, host }, (office) => office.releaseBrake(source));
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

function describeList(listed: unknown, zone: string): string {
  const brakes: readonly ListedBrake[] = Array.isArray(listed) ? listed : [];
  if (brakes.length === 0) return "nothing is held\n";
  return table(
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
