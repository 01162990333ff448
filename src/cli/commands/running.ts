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
    .description("run the daemon: sync, mail, HTTP; a guided setup if there is no configuration")
    .option(
      "--read-only",
      "serve a copy of another daemon's database, without accepting edits",
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
    .description("serve if there is a configuration, otherwise demo")
    .action(async (_options, command: Command) => {
      const configured = configOption(command) !== null || host.hasConfig();
      finish(configured ? await host.serve(configFor(command, host)) : await host.demo(usualDemo));
    });
  const demo = new Command("demo")
    .description("run a sandbox workspace and a daemon on it, in one process")
    .option("--port <port>", "port of the daemon (default: DAYFERRY_PORT, then 8380)", readPort)
    .option(
      "--data-dir <dir>",
      "store the workspace and the data here (default: DAYFERRY_DATA_DIR, then a temporary folder)",
    )
    .option(
      "--play <duration>",
      "simulate other people's changes this often, such as PT30S",
      durationOption,
    )
    .action(async (options: { port?: number; dataDir?: string; play?: Temporal.Duration }) => {
      const { port = null, dataDir = null, play = null } = options;
      finish(await host.demo({ port, dataDir, play }));
    });
  const sandbox = new Command("sandbox")
    .description("run only the stand-in service; prints its address and API keys")
    .option("--port <port>", "port of the service", readPort, 8390)
    .option("--seed <number>", "seed of the workspace", readSeed, 1)
    .addOption(
      new Option("--size <size>", "size of the workspace").choices(["s", "m", "l"]).default("s"),
    )
    .option("--data <file>", "SQLite file for the workspace (default: memory)")
    .option("--no-discovery", "answer 404 to lookups the service's document does not show")
    .option("--time-zone <zone>", "the account's IANA time zone", "Europe/Berlin")
    .option("--json", "print one JSON object", false)
    .action(async (options: Omit<SandboxCommandOptions, "data"> & { readonly data?: string }) => {
      finish(await host.sandbox({ ...options, data: options.data ?? null }));
    });
  return [serve, start, demo, sandbox];
}

const usualDemo: DemoOptions = { port: null, dataDir: null, play: null };

/** True if variables of the environment configure a service, even incompletely; errors are reported as usual. */
const isInEnvironment = ({ env }: CommandTools["host"]): boolean =>
  ["DAYFERRY_API_KEY", "DAYFERRY_API_KEY_FILE"].some((name) => (env[name] ?? "") !== "");
