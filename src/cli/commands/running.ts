import { Command, Option } from "commander";
import {
  type CommandTools,
  configFor,
  configOption,
  type DemoOptions,
  type SandboxCommandOptions,
} from "../command-host.ts";
import { durationOption, readPort, readSeed } from "../options.ts";

/** Commands that run until they are stopped: `serve`, `demo`, `sandbox`, and `start`, which chooses. */
export function runningCommands({ host, finish }: CommandTools): readonly Command[] {
  const serve = new Command("serve")
    .description(
      "the daemon: sweeps, drains, mails, serves HTTP; a guided set-up where there is no configuration",
    )
    .option(
      "--read-only",
      "serve a copy of the database that another daemon writes, and refuse edits",
      false,
    )
    .action(async ({ readOnly }: { readonly readOnly: boolean }, command: Command) => {
      if (readOnly) {
        finish(await host.serveReadOnly(configFor(command, host, { isReader: true })));
        return;
      }
      const isNew = configOption(command) === null && !host.hasConfig() && !isInEnvironment(host);
      finish(isNew ? await host.setUp() : await host.serve(configFor(command, host)));
    });
  const start = new Command("start")
    .description("serve when there is a configuration, else demo")
    .action(async (_options, command: Command) => {
      const configured = configOption(command) !== null || host.hasConfig();
      finish(configured ? await host.serve(configFor(command, host)) : await host.demo(usualDemo));
    });
  const demo = new Command("demo")
    .description("a sandbox workspace and the daemon on it, in one process")
    .option("--port <port>", "port of the daemon (default: DAYFERRY_PORT, then 8380)", readPort)
    .option(
      "--data-dir <dir>",
      "keep the workspace and the data here (default: DAYFERRY_DATA_DIR, then a temporary folder)",
    )
    .option(
      "--play <duration>",
      "somebody else changes something that often, e.g. PT30S",
      durationOption,
    )
    .action(async (options: { port?: number; dataDir?: string; play?: Temporal.Duration }) => {
      const { port = null, dataDir = null, play = null } = options;
      finish(await host.demo({ port, dataDir, play }));
    });
  const sandbox = new Command("sandbox")
    .description("the stand-in service alone; prints its address and API keys")
    .option("--port <port>", "port of the service", readPort, 8390)
    .option("--seed <number>", "another number gives another workspace", readSeed, 1)
    .addOption(
      new Option("--size <size>", "how much is in it").choices(["s", "m", "l"]).default("s"),
    )
    .option("--data <file>", "SQLite file that keeps the workspace (default: memory)")
    .option(
      "--no-discovery",
      "answer 404 to the look-ups that the service's document does not show",
    )
    .option("--time-zone <zone>", "the account's IANA zone", "Europe/Berlin")
    .option("--json", "print one JSON object", false)
    .action(async (options: Omit<SandboxCommandOptions, "data"> & { readonly data?: string }) => {
      finish(await host.sandbox({ ...options, data: options.data ?? null }));
    });
  return [serve, start, demo, sandbox];
}

const usualDemo: DemoOptions = { port: null, dataDir: null, play: null };

/** True if the environment alone configures a service, or tries to; errors are reported as usual. */
const isInEnvironment = ({ env }: CommandTools["host"]): boolean =>
  ["DAYFERRY_API_KEY", "DAYFERRY_API_KEY_FILE"].some((name) => (env[name] ?? "") !== "");
