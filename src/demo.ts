import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { progressLine } from "./cli/commands/sync.ts";
import type { DemoOptions, SandboxCommandOptions } from "./cli/host.ts";
import { parseConfig } from "./config/load.ts";
import { describeProblems } from "./config/problems.ts";
import { createLog, type Log } from "./log.ts";
import { createWake, runLoop } from "./loop.ts";
import type { People } from "./people/people.ts";
import { playChange } from "./sandbox/play.ts";
import { type Sandbox, startSandbox } from "./sandbox/server.ts";
import { type RunningDaemon, startDaemon } from "./serve.ts";
import { openRooms, type Surroundings } from "./workshop.ts";

/** What the demo and the lone sandbox need of the outermost place. */
export interface Stage extends Surroundings {
  readonly version: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
  print(text: string): void;
  say(text: string): void;
}

const timeZone = "Europe/Berlin";

/** A sandbox workspace and the daemon on it, in one process, until the signal; returns the exit code. */
export async function runDemo(options: DemoOptions, stage: Stage): Promise<number> {
  const dataDir = options.dataDir
    ? resolve(stage.cwd, options.dataDir)
    : mkdtempSync(join(tmpdir(), "dayferry-demo-"));
  mkdirSync(dataDir, { recursive: true });
  const { clock } = stage;
  const data = join(dataDir, "workspace.sqlite");
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
    if (!daemon) return 1;
    const playing = options.play ? play(sandbox, { every: options.play, stage }) : null;
    const told = tell(daemon, { sandbox, dataDir, stage });
    await Promise.all([daemon.done, playing, told]);
    return 0;
  } finally {
    await sandbox.close();
    if (!options.dataDir) rmSync(dataDir, { recursive: true, force: true });
  }
}

/** The stand-in service alone, until the signal; prints its address and keys. */
export async function runSandbox(options: SandboxCommandOptions, stage: Stage): Promise<number> {
  const { port, seed, size, data, discovery, json } = options;
  const sandbox = await startSandbox({
    seed,
    size,
    discovery,
    port,
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

interface Demo {
  readonly sandbox: Sandbox;
  readonly dataDir: string;
  readonly stage: Stage;
}

async function startDemoDaemon(
  sandbox: Sandbox,
  {
    options,
    dataDir,
    stage,
  }: { readonly options: DemoOptions; readonly dataDir: string; readonly stage: Stage },
): Promise<RunningDaemon | null> {
  const [owner] = sandbox.keys;
  const raw = {
    dataDir,
    service: {
      baseUrl: sandbox.baseUrl,
      uploadUrl: sandbox.uploadUrl,
      apiKey: owner?.apiKey ?? "",
      contact: "demo@example.com",
      timeZone,
    },
    http: { host: "127.0.0.1", port: options.port },
    mail: { from: "Dayferry demo <dayferry@example.com>", directory: join(dataDir, "mail") },
    log: { level: "warn" },
  };
  const loaded = parseConfig(raw, {
    folder: dataDir,
    env: demoEnvironment(stage.env),
    cwd: stage.cwd,
  });
  if (!loaded.ok) {
    stage.say(`configuration:\n${describeProblems(loaded.failure)}\n`);
    return null;
  }
  const config = loaded.value;
  const log: Log = createLog({ level: config.log.level });
  const opened = openRooms(config, { ...stage, log });
  if (!opened.ok) {
    stage.say(`${opened.failure}\n`);
    return null;
  }
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
    throw error;
  }
}

/** The demo has a workspace of its own: only where it listens and how much it tells comes from outside. */
function demoEnvironment(env: Stage["env"]): Stage["env"] {
  const kept = [
    "DAYFERRY_HOST",
    "DAYFERRY_PUBLIC_URL",
    "DAYFERRY_LOG_LEVEL",
    "DAYFERRY_ADMIN_TOKEN",
  ];
  return Object.fromEntries(kept.map((name) => [name, env[name]]));
}

/** The addresses as soon as the projects are known, and a line when everything has been read. */
async function tell(
  { rooms, url, adminToken }: RunningDaemon,
  { sandbox, dataDir, stage }: Demo,
): Promise<void> {
  stage.print(`Dayferry demo\n\n  start page   ${url}/?token=${adminToken}\n`);
  await until(() => rooms.feeds.list().length > 0 && rooms.people.list().length > 0, stage.signal);
  const listed = rooms.feeds.list();
  const [first] = listed;
  const [owner] = sandbox.keys;
  if (stage.signal.aborted || !first) return;
  stage.print(
    [
      "\n  feeds to subscribe to\n",
      ...listed.map(({ name, path }) => `    ${name}\n      ${url}${path}\n`),
      calendarAccount(rooms.people, { url, person: owner?.personId }),
      `\n  mails        ${join(dataDir, "mail")}\n`,
      `  admin token  ${join(dataDir, "admin-token")}\n`,
      `  workspace    ${sandbox.baseUrl} (key ${owner?.apiKey} of ${owner?.name})\n`,
      "\n  an edit: download a feed, change it, send it back\n",
      `    curl -s ${url}${first.path} > calendar.ics\n`,
      `    curl -H "Authorization: Bearer ${adminToken}" --data-binary @calendar.ics \\\n`,
      `      "${url}/api/edits?project=${first.projectId}"\n\n`,
    ].join(""),
  );
  await until(() => rooms.sync.ready, stage.signal);
  if (!stage.signal.aborted) stage.print("  every list has been read; Ctrl-C stops the demo\n");
}

/** What a calendar program asks for; a password that is there already stays as it is. */
function calendarAccount(
  people: People,
  { url, person }: { readonly url: string; readonly person: number | undefined },
): string {
  const known = people.list().find(({ id }) => id === person);
  const given = known && !known.hasPassword ? people.setPassword(known.id) : null;
  const password = given?.kind === "set" ? given.password : "as it was set, or on the start page";
  return [
    "\n  a calendar account (CalDAV), to edit in a calendar program\n",
    `    server     ${url}/dav/\n`,
    `    user name  ${known?.login ?? "see the start page"}\n`,
    `    password   ${password}\n`,
  ].join("");
}

async function until(isSo: () => boolean, signal: AbortSignal): Promise<void> {
  const wake = createWake();
  while (!isSo() && !signal.aborted) await wake.wait(100, signal);
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
