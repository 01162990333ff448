import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { openRooms, type Runtime } from "./build-daemon.ts";
import type { DemoOptions, SandboxCommandOptions } from "./cli/command-host.ts";
import { progressLine } from "./cli/commands/sync.ts";
import type { Config } from "./config/config.ts";
import { type ListenPlace, listenFault, openableUrl } from "./config/listening.ts";
import { parseConfig } from "./config/load.ts";
import { describeProblems } from "./config/problems.ts";
import { tellDemo } from "./demo-guide.ts";
import { fail, ok, type Result } from "./domain/result.ts";
import { createLog, type Log } from "./log.ts";
import { runLoop } from "./loop.ts";
import { playChange } from "./sandbox/play.ts";
import { type Sandbox, startSandbox } from "./sandbox/server.ts";
import { type RunningDaemon, startDaemon } from "./serve.ts";

/** What the demo and the lone sandbox need of the outermost place. */
export interface Stage extends Runtime {
  readonly version: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
  print(text: string): void;
  say(text: string): void;
}

const timeZone = "Europe/Berlin";
const usualPort = 8380;

/** A sandbox workspace and the daemon on it, in one process, until the signal; returns the exit code. */
export async function runDemo(options: DemoOptions, stage: Stage): Promise<number> {
  const named = options.dataDir ?? (stage.env["DAYFERRY_DATA_DIR"] || null);
  const dataDir =
    named === null ? mkdtempSync(join(tmpdir(), "dayferry-demo-")) : resolve(stage.cwd, named);
  try {
    return await runIn(dataDir, { options, stage });
  } finally {
    if (named === null) rmSync(dataDir, { recursive: true, force: true });
  }
}

async function runIn(dataDir: string, { options, stage }: DemoWish): Promise<number> {
  const data = join(dataDir, "workspace.sqlite");
  if (existsSync(join(dataDir, "dayferry.sqlite")) && !existsSync(data)) {
    stage.say(
      `${dataDir} holds the data of a real account, which the demo would spoil: name another folder with --data-dir or DAYFERRY_DATA_DIR\n`,
    );
    return 2;
  }
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const { clock } = stage;
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
    const daemon = await startDemoDaemon(sandbox, { options, dataDir, stage });
    if (typeof daemon === "number") return daemon;
    const playing = options.play ? play(sandbox, { every: options.play, stage }) : null;
    const told = tellDemo(daemon, { sandbox, dataDir, configFile: configFileIn(dataDir), stage });
    await Promise.all([daemon.done, playing, told]);
    return 0;
  } finally {
    await sandbox.close();
  }
}

/** The stand-in service alone, until the signal; prints its address and keys. */
export async function runSandbox(options: SandboxCommandOptions, stage: Stage): Promise<number> {
  const { port, seed, size, data, discovery, json } = options;
  const free = await freePort({ host: "127.0.0.1", port });
  if (!free.ok) {
    stage.say(`${free.failure}\n`);
    return 1;
  }
  const sandbox = await startSandbox({
    seed,
    size,
    discovery,
    port: free.value,
    timeZone: options.timeZone,
    clock: stage.clock,
    ...(data !== null && { data: resolve(stage.cwd, data) }),
  });
  const { baseUrl, uploadUrl, keys } = sandbox;
  stage.print(
    json
      ? `${JSON.stringify({ baseUrl, uploadUrl, timeZone: options.timeZone, keys })}\n`
      : describe(sandbox),
  );
  await ended(stage.signal);
  await sandbox.close();
  return 0;
}

interface DemoWish {
  readonly options: DemoOptions;
  readonly stage: Stage;
}

/** The daemon on the sandbox, or the exit code of a start that was not to be. */
async function startDemoDaemon(
  sandbox: Sandbox,
  { options, dataDir, stage }: DemoWish & { readonly dataDir: string },
): Promise<RunningDaemon | 1 | 2> {
  const loaded = await demoConfig(sandbox, { options, dataDir, stage });
  if (!loaded.ok) {
    stage.say(`${loaded.failure.message}\n`);
    return loaded.failure.code;
  }
  const { settings, config } = loaded.value;
  const log: Log = createLog({ level: config.log.level });
  const opened = openRooms(config, { ...stage, log });
  if (!opened.ok) {
    stage.say(`${opened.failure}\n`);
    return 1;
  }
  const file = configFileIn(dataDir);
  rmSync(file, { force: true });
  writeFileSync(file, `${JSON.stringify(settings, null, 2)}\n`, { mode: 0o600 });
  const { version, signal, clock, monotonic, random } = stage;
  try {
    return await startDaemon({
      config,
      rooms: opened.value,
      version,
      log,
      signal,
      clock,
      monotonic,
      random,
      onProgress: (progress) => stage.print(`  ${progressLine(progress)}`),
    });
  } catch (error) {
    await opened.value.close();
    const fault = listenFault(error, { ...config.http, change: portChange });
    if (fault === null) throw error;
    stage.say(`${fault}\n`);
    return 1;
  }
}

const portChange = "--port or DAYFERRY_PORT";

interface DemoConfig {
  readonly config: Config;
  /** What makes it, as a file says it. */
  readonly settings: object;
}

interface Refusal {
  readonly code: 1 | 2;
  readonly message: string;
}

/**
 * The demo's configuration, which is written into its data directory as well, so that every command works beside the demo.
 * Its public address is its own, for action links and mail choices that work on this machine.
 */
async function demoConfig(
  sandbox: Sandbox,
  { options, dataDir, stage }: DemoWish & { readonly dataDir: string },
): Promise<Result<DemoConfig, Refusal>> {
  const { cwd } = stage;
  const env = demoEnvironment(options, stage.env);
  const written = demoSettings(sandbox, { dataDir, port: options.port ?? usualPort });
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

/** Never `config.json`, which may be somebody's own. */
const configFileIn = (dataDir: string): string => join(dataDir, "demo.json");

function demoSettings(
  sandbox: Sandbox,
  { dataDir, port }: { readonly dataDir: string; readonly port: number },
) {
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
 * The demo has a workspace of its own, whose address and key nothing replaces; where it listens, what it is called from
 * outside and how much it tells comes from the environment, unless an option says it.
 */
function demoEnvironment({ port }: DemoOptions, env: Stage["env"]): Stage["env"] {
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

/** The port to listen on, a free one for 0: links must name it before the daemon listens. Fails with a sentence. */
async function freePort({ host, port }: ListenPlace): Promise<Result<number, string>> {
  const probe = createServer();
  try {
    const listening = once(probe, "listening");
    probe.listen(port, host);
    await listening;
    const address = probe.address();
    return ok(typeof address === "object" && address ? address.port : port);
  } catch (error) {
    const fault = listenFault(error, { host, port, change: portChange });
    if (fault === null) throw error;
    return fail(fault);
  } finally {
    probe.close();
  }
}

/** Somebody else changes something now and then. */
async function play(
  sandbox: Sandbox,
  { every, stage }: { readonly every: Temporal.Duration; readonly stage: Stage },
): Promise<void> {
  await runLoop({
    step() {
      const change = playChange(sandbox.workspace, stage.random);
      if (change) stage.print(`  somebody else: ${change.summary}\n`);
      return Promise.resolve("idle");
    },
    idle: every,
    signal: stage.signal,
    random: stage.random,
    onFault: (error) => stage.say(`the sandbox could not play a change: ${String(error)}\n`),
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
