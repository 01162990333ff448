import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { playChange, type Sandbox, startSandbox } from "@dayferry/sandbox";
import type { DemoOptions, SandboxCommandOptions } from "./cli/command-host.ts";
import { progressLine } from "./cli/commands/sync.ts";
import { listenFault, openableUrl } from "./config/listening.ts";
import { type LoadedConfig, parseConfig } from "./config/load.ts";
import { describeProblems } from "./config/problems.ts";
import { printGuide } from "./demo-guide.ts";
import { recordDemo } from "./demo-place.ts";
import { fail, ok, type Result } from "./domain/result.ts";
import type { DemoProgress } from "./http/http-deps.ts";
import { createLog, type Log } from "./log.ts";
import { runLoop } from "./loop.ts";
import type { DaemonContext } from "./modules/module.ts";
import { openModules } from "./modules/open-modules.ts";
import { type Address, listen } from "./runtime.ts";
import { type RunningDaemon, startDaemon } from "./serve.ts";

/** What the demo and the standalone sandbox need from the process; injected by `main`. */
export interface RunContext extends DaemonContext {
  readonly version: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
  print(text: string): void;
  say(text: string): void;
}

const timeZone = "Europe/Berlin";
const usualPort = 8380;

/** Runs a sandbox workspace and a daemon on it in one process until the signal; returns the exit code. */
export async function runDemo(options: DemoOptions, context: RunContext): Promise<number> {
  const named = options.dataDir ?? (context.env["DAYFERRY_DATA_DIR"] || null);
  const dataDir =
    named === null ? mkdtempSync(join(tmpdir(), "dayferry-demo-")) : resolve(context.cwd, named);
  try {
    return await runIn(dataDir, { options, context });
  } finally {
    if (named === null) rmSync(dataDir, { recursive: true, force: true });
  }
}

async function runIn(dataDir: string, { options, context }: DemoRun): Promise<number> {
  const data = join(dataDir, "workspace.sqlite");
  if (existsSync(join(dataDir, "dayferry.sqlite")) && !existsSync(data)) {
    context.say(
      `${dataDir} holds the data of a real account, which the demo would spoil: name another folder with --data-dir or DAYFERRY_DATA_DIR\n`,
    );
    return 2;
  }
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const { clock } = context;
  const sandbox = await startSandbox({
    seed: 1,
    size: "s",
    data,
    discovery: true,
    port: 0,
    timeZone,
    clock,
  });
  try {
    let toldAt: Temporal.Instant | null = null;
    const demo = { toldAt: () => toldAt };
    const daemon = await startDemoDaemon(sandbox, { options, dataDir, context, demo });
    if (typeof daemon === "number") return daemon;
    const forget = recordDemo(configFileIn(dataDir), context.env);
    const playing = options.play ? play(sandbox, options.play, context) : null;
    const guide = printGuide(daemon, {
      sandbox,
      dataDir,
      configFile: configFileIn(dataDir),
      context,
      onTold: () => {
        toldAt = clock();
      },
    });
    await Promise.all([daemon.done, playing, guide]).finally(forget);
    return 0;
  } finally {
    await sandbox.close();
  }
}

/** Runs only the sandbox until the signal; prints its URL and keys. */
export async function runSandbox(
  options: SandboxCommandOptions,
  context: RunContext,
): Promise<number> {
  const { port, seed, size, data, discovery, json } = options;
  const free = await freePort({ host: "127.0.0.1", port });
  if (!free.ok) {
    context.say(`${free.failure}\n`);
    return 1;
  }
  const sandbox = await startSandbox({
    seed,
    size,
    discovery,
    port: free.value,
    timeZone: options.timeZone,
    clock: context.clock,
    ...(data !== null && { data: resolve(context.cwd, data) }),
  });
  const { baseUrl, uploadUrl, keys } = sandbox;
  context.print(
    json
      ? `${JSON.stringify({ baseUrl, uploadUrl, timeZone: options.timeZone, keys })}\n`
      : describe(sandbox),
  );
  await ended(context.signal);
  await sandbox.close();
  return 0;
}

interface DemoRun {
  readonly options: DemoOptions;
  readonly context: RunContext;
}

/** Starts the daemon on the sandbox; returns the exit code if that fails. */
async function startDemoDaemon(
  sandbox: Sandbox,
  {
    options,
    dataDir,
    context,
    demo,
  }: DemoRun & { readonly dataDir: string; readonly demo: DemoProgress },
): Promise<RunningDaemon | 1 | 2> {
  const loaded = await demoConfig(sandbox, { options, dataDir, context });
  if (!loaded.ok) {
    context.say(`${loaded.failure.message}\n`);
    return loaded.failure.code;
  }
  const { settings, config } = loaded.value;
  const log: Log = createLog({ level: config.log.level });
  const opened = openModules(config, { ...context, log });
  if (!opened.ok) {
    context.say(`${opened.failure}\n`);
    return 1;
  }
  const file = configFileIn(dataDir);
  rmSync(file, { force: true });
  writeFileSync(file, `${JSON.stringify(settings, null, 2)}\n`, { mode: 0o600 });
  const { version, signal } = context;
  try {
    return await startDaemon({
      config,
      modules: opened.value,
      version,
      signal,
      demo,
      onProgress: (progress) => context.print(`  ${progressLine(progress)}`),
    });
  } catch (error) {
    await opened.value.close();
    const fault = listenFault(error, { ...config.http, change: portChange });
    if (fault === null) throw error;
    context.say(`${fault}\n`);
    return 1;
  }
}

const portChange = "--port or DAYFERRY_PORT";

interface DemoConfig {
  readonly config: LoadedConfig;
  /** The configuration, as a file has it. */
  readonly settings: object;
}

interface StartFault {
  readonly code: 1 | 2;
  readonly message: string;
}

/**
 * The demo's configuration, which is also written into its data directory, so that every command works beside the demo. Its
 * public URL is its own, for action links and mail choices that work on this machine.
 */
async function demoConfig(
  sandbox: Sandbox,
  { options, dataDir, context }: DemoRun & { readonly dataDir: string },
): Promise<Result<DemoConfig, StartFault>> {
  const { cwd } = context;
  const env = demoEnvironment(options, context.env);
  const written = demoSettings(sandbox, dataDir, options.port ?? usualPort);
  const loaded = parseConfig(written, { folder: dataDir, env, cwd });
  if (!loaded.ok) {
    return fail({ code: 2, message: `configuration:\n${describeProblems(loaded.failure)}` });
  }
  const { http, adminToken, log } = loaded.value;
  const free = await freePort(http);
  if (!free.ok) return fail({ code: 1, message: free.failure });
  const place = { host: http.host, port: free.value };
  const settings = {
    ...written,
    http: { ...place, publicUrl: http.publicUrl ?? openableUrl(place) },
    ...(adminToken !== null && { adminToken }),
    log,
  };
  const config = parseConfig(settings, { folder: dataDir, env: {}, cwd });
  if (config.ok) return ok({ settings, config: config.value });
  return fail({ code: 2, message: describeProblems(config.failure) });
}

/** Not `config.json`, which may belong to somebody. */
const configFileIn = (dataDir: string): string => join(dataDir, "demo.json");

function demoSettings(sandbox: Sandbox, dataDir: string, port: number) {
  const [owner] = sandbox.keys;
  return {
    dataDir,
    service: {
      baseUrl: sandbox.baseUrl,
      uploadUrl: sandbox.uploadUrl,
      apiKey: owner?.apiKey ?? "",
      contact: "demo@example.com",
      timeZone,
    },
    http: { host: "127.0.0.1", port },
    mail: { from: "Dayferry demo <dayferry@example.com>", directory: join(dataDir, "mail") },
    log: { level: "warn" },
  };
}

/**
 * The demo's own workspace URL and key cannot be overridden; address, public URL and log level come from the environment,
 * unless an option sets them.
 */
function demoEnvironment({ port }: DemoOptions, env: RunContext["env"]): RunContext["env"] {
  const kept = [
    "DAYFERRY_HOST",
    ...(port === null ? ["DAYFERRY_PORT"] : []),
    "DAYFERRY_PUBLIC_URL",
    "DAYFERRY_LOG_LEVEL",
    "DAYFERRY_ADMIN_TOKEN",
    "DAYFERRY_ADMIN_TOKEN_FILE",
  ];
  return Object.fromEntries(kept.map((name) => [name, env[name]]));
}

/** The port to listen on, a free one for 0: links must contain it before the daemon listens. Errors are sentences. */
async function freePort({ host, port }: Address): Promise<Result<number, string>> {
  const probe = createServer();
  try {
    return ok(await listen(probe, { host, port }));
  } catch (error) {
    const fault = listenFault(error, { host, port, change: portChange });
    if (fault === null) throw error;
    return fail(fault);
  } finally {
    probe.close();
  }
}

/** Someone else changes something now and then. */
async function play(
  sandbox: Sandbox,
  every: Temporal.Duration,
  context: RunContext,
): Promise<void> {
  await runLoop({
    step() {
      const change = playChange(sandbox.workspace, context.random);
      if (change) context.print(`  someone else: ${change.summary}\n`);
      return Promise.resolve("idle");
    },
    idle: every,
    signal: context.signal,
    random: context.random,
    onFault: (error) => context.say(`the sandbox could not play a change: ${String(error)}\n`),
  });
}

function describe({ baseUrl, uploadUrl, keys }: Sandbox): string {
  const people = keys.map(
    ({ apiKey, name, role, personId }) => `  ${apiKey}  ${name} (${role}, id ${personId})\n`,
  );
  return `base URL    ${baseUrl}\nupload URL  ${uploadUrl}\nAPI keys\n${people.join("")}Ctrl-C stops it.\n`;
}

function ended(signal: AbortSignal): Promise<void> {
  return new Promise((done) => {
    if (signal.aborted) done();
    else signal.addEventListener("abort", () => done(), { once: true });
  });
}
