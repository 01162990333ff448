import { readFileSync } from "node:fs";
import type { CommandHost, DaemonAddress } from "../../src/cli/command-host.ts";
import { run } from "../../src/cli/run.ts";
import { layOut } from "../../src/cli/terminal-text.ts";
import { type LoadedConfig, loadConfig } from "../../src/config/load.ts";
import { createLog } from "../../src/log.ts";
import { checkMail, testMessages } from "../../src/modules/mailer.ts";
import { openModules } from "../../src/modules/open-modules.ts";
import { startDaemon } from "../../src/serve.ts";
import type { Ended, Installation } from "./dayferry.ts";
import { eventually, untilHung } from "./eventually.ts";

const runtime = {
  clock: () => Temporal.Now.instant(),
  monotonic: () => performance.now(),
  random: () => 0.5,
};
const log = createLog({ level: "silent" });

/** A daemon in this process, by default once its first sync is done; it serves real HTTP. */
export async function serveHere(installation: Installation, { ready = true } = {}) {
  const config = configOf(installation);
  let ahead = Temporal.Duration.from({ seconds: 0 });
  const own = { ...runtime, clock: () => runtime.clock().add(ahead) };
  const opened = openModules(config, { ...own, log });
  if (!opened.ok) throw new Error(opened.failure);
  const stop = new AbortController();
  const { signal } = stop;
  const modules = opened.value;
  const options = { config, modules, version: "0.0.0", log, signal, ...own };
  const { url, adminToken, done } = await startDaemon(options);
  if (ready) {
    await eventually("the first sync is done", () => (modules.sync.ready ? true : null));
  }
  return {
    url,
    adminToken,
    modules,
    /** Sets the daemon's clock ahead, for what it does only some time after something else. */
    skip(time: Temporal.Duration) {
      ahead = ahead.add(time);
    },
    async stop() {
      stop.abort();
      await done;
    },
  };
}

/**
 * Runs one command in this process as `main` would, with its output: hundreds of milliseconds quicker than a separate
 * process. `daemon`: the one that holds the data directory.
 */
export async function command(
  args: readonly string[],
  {
    installation,
    daemon = null,
    input = "",
    typed = null,
    columns = null,
    clock = runtime.clock,
  }: {
    readonly installation: Installation;
    readonly daemon?: DaemonAddress | null;
    readonly input?: string;
    /** What is typed on the terminal when something is asked; null: there is no terminal. */
    readonly typed?: string | null;
    /** Width of the terminal; null: there is none. */
    readonly columns?: number | null;
    /** The command's present time. */
    readonly clock?: () => Temporal.Instant;
  },
): Promise<Ended> {
  let [stdout, stderr] = ["", ""];
  const host: CommandHost & { readonly version: string } = {
    version: "0.0.0",
    clock,
    zoneData: { tz: "2026c", icu: "78.3" },
    signal: untilHung(),
    env: process.env,
    print(text) {
      stdout += layOut(text, { columns: null, style: (_style, words) => words });
    },
    columns,
    zone: null,
    browse: () => Promise.resolve(false),
    send(text) {
      stdout += text;
      return Promise.resolve(true);
    },
    say(text) {
      stderr += text;
    },
    ask:
      typed === null
        ? null
        : (question) => {
            stderr += question;
            return Promise.resolve(typed);
          },
    readFile: (path) => readFileSync(path),
    readStandardInput: () => Promise.resolve(Buffer.from(input)),
    readConfig: () => ({ ok: true, value: configOf(installation) }),
    hasConfig: () => true,
    daemonOf: () => daemon,
    open: (config) => openModules(config, { ...runtime, log }),
    serve: notHere,
    serveReadOnly: notHere,
    setUp: notHere,
    demo: notHere,
    sandbox: notHere,
    checkMail,
    testMessages: (config) =>
      testMessages(config, { version: "1.0.0", clock, signal: untilHung() }),
  };
  const code = await run(args, host);
  return { code, stdout, stderr };
}

function configOf({ configFile, folder }: Installation): LoadedConfig {
  const loaded = loadConfig({ file: configFile, env: {}, cwd: folder });
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.failure));
  return loaded.value;
}

function notHere(): never {
  throw new Error("this command runs in a process of its own only");
}
