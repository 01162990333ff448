#!/usr/bin/env node
import { spawn } from "node:child_process";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { styleText } from "node:util";
import { isZone } from "@dayferry/ical";
import { createBackupProcesses } from "./backups/backup-processes.ts";
import { damageBeforeOpening, damageIn, noteDatabase, standInName } from "./backups/damage.ts";
import { readKeys } from "./backups/sealed-keys.ts";
import type { CommandHost, DaemonAddress } from "./cli/command-host.ts";
import { run } from "./cli/run.ts";
import { layOut, type Terminal } from "./cli/terminal-text.ts";
import type { Config } from "./config/config.ts";
import { secretsIn } from "./config/known-secrets.ts";
import { listenFault } from "./config/listening.ts";
import { followSecrets, type LiveSecrets } from "./config/live-secrets.ts";
import { findConfigFile, type LoadedConfig, loadConfig } from "./config/load.ts";
import type { RunContext } from "./demo.ts";
import { runningDemo } from "./demo-place.ts";
import { unreachable } from "./domain/result.ts";
import { shownText } from "./domain/text.ts";
import { zoneDataOf } from "./domain/zone-data.ts";
import { createLog, type Log, type LogLevel } from "./log.ts";
import { createWake, type Wake } from "./loop.ts";
import { checkMail, testMessages } from "./modules/mailer.ts";
import type { DaemonContext } from "./modules/module.ts";
import { openModules } from "./modules/open-modules.ts";
import { monotonic, now, random, sleep, startTimer, zoneOfSystem } from "./runtime.ts";
import { MetricsPortError, startDaemon } from "./serve.ts";
import { lockDataDirectory } from "./store/data-lock.ts";

/** Null for UTC, which containers have because nobody has chosen. */
const systemZone = zoneOfSystem();
const readerZone = systemZone === "UTC" || !isZone(systemZone) ? null : systemZone;

// Both calendar libraries use the process's time zone in corner cases.
process.env["TZ"] = "UTC";

// Files may contain confidential data; shells, service managers and libraries set other modes.
process.umask(0o077);

const runtime: DaemonContext = { clock: now, monotonic, random };
const stop = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => end(signal));

const longestEndMs = 8000;
const samePressMs = 150;
/** The first fetches after a start take priority. */
const lookAfterMs = 3000;
let endAskedMs = 0;

const manifest = fileURLToPath(new URL("../package.json", import.meta.url));
const version = new Map<string, unknown>(
  Object.entries(JSON.parse(readFileSync(manifest, "utf8"))),
).get("version");

const columns = process.stdout.isTTY ? process.stdout.columns : null;
const terminal: Terminal = {
  columns,
  // Follows NO_COLOR and FORCE_COLOR, and is plain where there is no terminal.
  style: (style, text) => styleText(style, text, { stream: process.stdout }),
};

const context: RunContext = {
  ...runtime,
  version: String(version),
  cwd: process.cwd(),
  env: process.env,
  signal: stop.signal,
  print: (text) => void process.stdout.write(layOut(shownText(text), terminal)),
  say: (text) => void process.stderr.write(shownText(text)),
};

// The reader of standard output may stop early, as `head` does: discard the rest, without an error.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
});

/** Prompts go to standard error, like all messages. */
async function askOnTerminal(question: string): Promise<string> {
  const { createInterface } = await import("node:readline/promises");
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return await lines.question(shownText(question), { signal: stop.signal });
  } finally {
    lines.close();
  }
}

/** Opens a URL with the system's program for it. */
function browse(url: string): Promise<boolean> {
  const opener = new Map([
    ["darwin", "open"],
    ["win32", "explorer"],
  ]).get(process.platform);
  if (process.platform === "linux" && !process.env["DISPLAY"] && !process.env["WAYLAND_DISPLAY"]) {
    return Promise.resolve(false);
  }
  const child = spawn(opener ?? "xdg-open", [url], { stdio: "ignore", detached: true });
  child.unref();
  return new Promise((resolve) => {
    child.once("error", () => resolve(false));
    child.once("spawn", () => resolve(true));
  });
}

const host: CommandHost & { readonly version: string } = {
  ...context,
  columns,
  zone: readerZone,
  browse,
  zoneData: zoneDataOf(process.versions),
  send: (text) =>
    new Promise((resolve) => {
      process.stdout.write(shownText(text), (error) => resolve(!error));
    }),
  ask: process.stdin.isTTY && process.stdout.isTTY ? askOnTerminal : null,
  readFile: (path) => readFileSync(path),
  readStandardInput: () => buffer(process.stdin),
  readConfig: (option, { isReader } = { isReader: false }) =>
    loadConfig({
      ...{ file: findConfigFile(option, context) ?? runningDemo(context.env), isReader },
      ...{ env: context.env, cwd: context.cwd },
    }),
  hasConfig: () => findConfigFile(null, context) !== null,
  daemonOf,
  // A command prints its own messages; the log adds only errors.
  open: (config) =>
    openModules(config, { ...runtime, log: logOf(config, "warn"), version: context.version }),
  serve,
  serveReadOnly: async (config) => {
    // Not loaded by an ordinary daemon.
    const { runReadOnly } = await import("./serve-read-only.ts");
    return runReadOnly({ ...context, config, log: logOf(config) });
  },
  setUp,
  // The sandbox is a server of its own, which a daemon need not keep in memory.
  demo: async (options) => (await import("./demo.ts")).runDemo(options, context),
  sandbox: async (options) => (await import("./demo.ts")).runSandbox(options, context),
  checkMail,
  testMessages: (config) => testMessages(config, context),
};

try {
  process.exitCode = await run(process.argv.slice(2), host);
} catch (error) {
  createLog({ level: "error" }).error("dayferry ends with an error", { error });
  process.exitCode = 1;
}
// Something that hangs, such as a silent mail server, must not delay a requested shutdown.
if (stop.signal.aborted) process.exit();

/**
 * The first signal shuts down in at most eight seconds; a second one exits at once. Work in progress is in the database and is
 * resumed at the next start. Under npm one key press arrives twice, from the terminal and from npm.
 */
function end(signal: "SIGINT" | "SIGTERM"): void {
  if (stop.signal.aborted) {
    if (monotonic() - endAskedMs > samePressMs) process.exit(signal === "SIGINT" ? 130 : 143);
    return;
  }
  endAskedMs = monotonic();
  const giveUp = () => {
    context.say("closing took too long; unfinished work continues at the next start\n");
    process.exit(1);
  };
  startTimer(longestEndMs, giveUp, { holdsProcess: false });
  stop.abort();
}

async function serve(config: LoadedConfig): Promise<number> {
  const secrets = followSecrets(config);
  const wakeSecrets = createWake();
  // Closing a terminal ends what runs in it, as usual.
  if (!process.stdin.isTTY) {
    process.on("SIGHUP", () => {
      secrets.ask();
      wakeSecrets.notify();
    });
  }
  const log = createLog({
    level: config.log.level,
    secrets: keptSecrets(config.dataDir),
    hide: secrets.hide,
  });
  const found = damageBeforeOpening(config);
  const problem = found ?? (await serveWhole(config, { log, secrets, wakeSecrets }));
  if (typeof problem === "number") return problem;
  // Rarely needed.
  const { serveDamaged } = await import("./serve-damaged.ts");
  return serveDamaged({ ...context, config, problem, log });
}

/** Serves until shutdown and returns the exit code, or a problem if the database is found damaged. */
async function serveWhole(
  config: LoadedConfig,
  {
    log,
    secrets,
    wakeSecrets,
  }: { readonly log: Log; readonly secrets: LiveSecrets; readonly wakeSecrets: Wake },
): Promise<number | string> {
  let opened: Awaited<ReturnType<typeof openWaiting>>;
  try {
    opened = await openWaiting(config, { log, secrets });
  } catch (error) {
    const problem = damageIn(error, config);
    if (problem === null) throw error;
    return problem;
  }
  if (opened === null) return 0;
  if (!opened.ok) {
    context.say(`${opened.failure}\n`);
    return 1;
  }
  const damaged = new AbortController();
  const found: { problem: string | null } = { problem: null };
  const onDamage = (problem: string) => {
    if (found.problem !== null || stop.signal.aborted) return;
    found.problem = problem;
    damaged.abort();
  };
  const signal = AbortSignal.any([stop.signal, damaged.signal]);
  try {
    const options = {
      config,
      modules: opened.value,
      wakeSecrets,
      version: context.version,
      signal,
      onDamage,
    };
    const daemon = await startDaemon(options);
    context.say(`Dayferry is at ${config.http.publicUrl ?? daemon.url}/ (Ctrl-C stops it)\n`);
    if (config.adminToken === null) {
      context.say(`the admin token is in ${join(config.dataDir, "admin-token")}\n`);
    }
    noteServed(config.dataDir);
    void lookThrough({ config, signal, onDamage, log });
    await daemon.done;
    return found.problem ?? 0;
  } catch (error) {
    await opened.value.close();
    const change = "http.host and http.port, or DAYFERRY_HOST and DAYFERRY_PORT";
    const fault =
      error instanceof MetricsPortError
        ? error.message
        : listenFault(error, { ...config.http, change });
    if (fault === null) {
      const problem = found.problem ?? damageIn(error, config);
      if (problem !== null) return problem;
      throw error;
    }
    context.say(`${fault}\n`);
    return 1;
  }
}

/** Records that the database is in use, and removes the copy that was served for a damaged one. */
function noteServed(dataDir: string): void {
  try {
    noteDatabase(dataDir);
    rmSync(join(dataDir, standInName), { recursive: true, force: true });
  } catch {
    // On a full disk it is recorded at the next start.
  }
}

/** Reads all pages of the database in a separate process once everything is served, because a start reads only a few. */
async function lookThrough({
  config,
  signal,
  onDamage,
  log,
}: {
  readonly config: LoadedConfig;
  readonly signal: AbortSignal;
  readonly onDamage: (problem: string) => void;
  readonly log: Log;
}): Promise<void> {
  try {
    if (!(await sleep(lookAfterMs, signal))) return;
    const file = join(config.dataDir, "dayferry.sqlite");
    const found = await createBackupProcesses().examine(file, signal);
    if (!found.ok && found.failure.kind === "damaged") onDamage(found.failure.problem);
    else log.debug("database check finished");
  } catch (error) {
    if (!signal.aborted) log.warn("database check failed", { error });
  }
}

/** The modules, once the disk allows opening them; null if shutdown was requested first. */
async function openWaiting(
  config: LoadedConfig,
  { log, secrets }: { readonly log: Log; readonly secrets: LiveSecrets },
) {
  const open = () => openModules(config, { ...runtime, log, secrets, version: context.version });
  try {
    return open();
  } catch {
    const { openOnceStorable } = await import("./wait-for-storage.ts");
    const { http, dataDir } = config;
    const say = (text: string) => context.say(text);
    return openOnceStorable(open, { http, dataDir, log, say, signal: stop.signal });
  }
}

async function setUp(): Promise<number> {
  const { runSetup } = await import("./setup.ts");
  const end = await runSetup(context);
  switch (end.kind) {
    case "written":
      return serve(end.config);
    case "stopped":
      return 0;
    case "failed":
      context.say(`${end.problem}\n`);
      return 1;
    default:
      return unreachable(end);
  }
}

/** Address of a running daemon; a file without the lock is a leftover. */
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
  return createLog({ level, secrets: [...secretsIn(config), ...keptSecrets(config.dataDir)] });
}

/** Secrets from an earlier start; those created by this one are in their files only. */
function keptSecrets(dataDir: string): readonly string[] {
  return [...readKeys(dataDir).values()].map((secret) => secret.trim());
}
