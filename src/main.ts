#!/usr/bin/env node
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { openRooms, type Runtime } from "./build-daemon.ts";
import type { CommandHost, DaemonAddress } from "./cli/command-host.ts";
import { run } from "./cli/run.ts";
import type { Config } from "./config/config.ts";
import { listenFault } from "./config/listening.ts";
import { findConfigFile, loadConfig } from "./config/load.ts";
import type { RunContext } from "./demo.ts";
import { shownText } from "./domain/text.ts";
import { zoneDataOf } from "./domain/zone-data.ts";
import { createLog, type LogLevel } from "./log.ts";
import { checkMail } from "./mailer.ts";
import { startDaemon } from "./serve.ts";
import { lockDataDirectory } from "./store/data-lock.ts";

// Both calendar libraries read the zone of the process in corner cases.
process.env["TZ"] = "UTC";

// Whatever is written holds what some may not read; where a shell or a service manager has other habits, so do libraries.
process.umask(0o077);

const runtime: Runtime = {
  clock: () => Temporal.Now.instant(),
  monotonic: () => performance.now(),
  random: () => Math.random(),
};
const stop = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => end(signal));

const longestEndMs = 8000;
const samePressMs = 150;
let endAskedMs = 0;

const manifest = fileURLToPath(new URL("../package.json", import.meta.url));
const version = new Map<string, unknown>(
  Object.entries(JSON.parse(readFileSync(manifest, "utf8"))),
).get("version");

const context: RunContext = {
  ...runtime,
  version: String(version),
  cwd: process.cwd(),
  env: process.env,
  signal: stop.signal,
  print: (text) => void process.stdout.write(shownText(text)),
  say: (text) => void process.stderr.write(shownText(text)),
};

// Whoever reads may have enough, as `head` has: what is printed after that goes nowhere, and that is no failure.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
});

const host: CommandHost & { readonly version: string } = {
  ...context,
  zoneData: zoneDataOf(process.versions),
  send: (text) =>
    new Promise((resolve) => {
      process.stdout.write(shownText(text), (error) => resolve(!error));
    }),
  readFile: (path) => readFileSync(path),
  readStandardInput: () => buffer(process.stdin),
  readConfig: (option) =>
    loadConfig({ file: findConfigFile(option, context), env: context.env, cwd: context.cwd }),
  hasConfig: () => findConfigFile(null, context) !== null,
  daemonOf,
  // A command prints its own account of what it does; the log adds only what went wrong.
  open: (config) => openRooms(config, { ...runtime, log: logOf(config, "warn") }),
  serve,
  // The sandbox is a server of its own, which a daemon need not hold in memory.
  demo: async (options) => (await import("./demo.ts")).runDemo(options, context),
  sandbox: async (options) => (await import("./demo.ts")).runSandbox(options, context),
  checkMail,
};

try {
  process.exitCode = await run(process.argv.slice(2), host);
} catch (error) {
  createLog({ level: "error" }).error("dayferry ends with an error", { error });
  process.exitCode = 1;
}
// What hangs, such as a mail server that never answers, must not hold up an end that was asked for.
if (stop.signal.aborted) process.exit();

/**
 * The first signal asks everything to end, which takes eight seconds at most; a second one ends at once. What was under way
 * is in the database, and taken up at the next start. One key press under npm comes twice, from the terminal and from npm.
 */
function end(signal: "SIGINT" | "SIGTERM"): void {
  if (stop.signal.aborted) {
    if (performance.now() - endAskedMs > samePressMs) process.exit(signal === "SIGINT" ? 130 : 143);
    return;
  }
  endAskedMs = performance.now();
  setTimeout(() => {
    context.say("closing took too long; what was under way is taken up at the next start\n");
    process.exit(1);
  }, longestEndMs).unref();
  stop.abort();
}

async function serve(config: Config): Promise<number> {
  const log = logOf(config);
  const opened = openRooms(config, { ...runtime, log });
  if (!opened.ok) {
    context.say(`${opened.failure}\n`);
    return 1;
  }
  try {
    const options = {
      config,
      rooms: opened.value,
      version: context.version,
      log,
      signal: stop.signal,
    };
    const daemon = await startDaemon({ ...options, ...runtime });
    context.say(`Dayferry is at ${config.http.publicUrl ?? daemon.url}/ (Ctrl-C stops it)\n`);
    if (config.adminToken === null) {
      context.say(`the admin token is in ${join(config.dataDir, "admin-token")}\n`);
    }
    await daemon.done;
    return 0;
  } catch (error) {
    await opened.value.close();
    const change = "http.host and http.port, or DAYFERRY_HOST and DAYFERRY_PORT";
    const fault = listenFault(error, { ...config.http, change });
    if (fault === null) throw error;
    context.say(`${fault}\n`);
    return 1;
  }
}

/** A daemon holds the lock and has left its address; a file without the lock is a leftover. */
function daemonOf(config: Config): DaemonAddress | null {
  const file = join(config.dataDir, "daemon.json");
  if (!existsSync(file)) return null;
  const lock = lockDataDirectory(config.dataDir);
  if (lock) {
    lock.release();
    return null;
  }
  const { url }: { readonly url?: string } = JSON.parse(readFileSync(file, "utf8"));
  const token =
    config.adminToken ?? readFileSync(join(config.dataDir, "admin-token"), "utf8").trim();
  return url ? { url, adminToken: token } : null;
}

function logOf(config: Config, level: LogLevel = config.log.level) {
  const { apiKey } = config.service;
  const calendars = config.edits.subscriptions.map(({ url }) => url);
  const secrets = [apiKey, config.adminToken ?? "", config.mail.smtpPassword ?? "", ...calendars];
  return createLog({ level, secrets });
}
