import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Sandbox } from "@dayferry/sandbox";
import { eventually } from "./eventually.ts";
import { serviceConfig } from "./sandbox.ts";

/**
 * The bundle that people run, made of the sources before the first test: it starts in a third of the time that they
 * take.
 */
export const program = fileURLToPath(new URL("../../dist/daemon/dayferry.mjs", import.meta.url));
const root = fileURLToPath(new URL("../..", import.meta.url));

/** What a command printed and how it ended. */
export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A data directory with a configuration for a sandbox, removed by `dispose`. */
export interface Installation {
  readonly folder: string;
  readonly configFile: string;
  readonly dataDir: string;
  readonly dispose: () => void;
}

/** Parts of a configuration. */
export type ConfigChanges = Readonly<Record<string, unknown>> & { readonly service?: object };

/** Writes a configuration for the sandbox; `changes` are merged into it, those of `service` key by key. */
export function install(
  sandbox: Sandbox,
  { service = {}, ...changes }: ConfigChanges = {},
): Installation {
  const folder = mkdtempSync(join(tmpdir(), "dayferry-test-"));
  const dataDir = join(folder, "data");
  const config = {
    dataDir,
    service: { ...serviceConfig(sandbox), ...service },
    http: { host: "127.0.0.1", port: 0 },
    ...changes,
  };
  const configFile = join(folder, "config.json");
  writeFileSync(configFile, JSON.stringify(config));
  return {
    folder,
    configFile,
    dataDir,
    dispose: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** Runs one command in a separate process, as a person would. */
export async function dayferry(
  args: readonly string[],
  {
    env = {},
    input = "",
  }: { readonly env?: Readonly<Record<string, string>>; readonly input?: string } = {},
): Promise<Ended> {
  const child = dayferryProcess(args, env);
  child.stdin?.end(input);
  return new Promise((resolve) => {
    let [stdout, stderr] = ["", ""];
    child.stdout?.on("data", (chunk) => {
      stdout += chunk;
    });
    child.stderr?.on("data", (chunk) => {
      stderr += chunk;
    });
    child.on("close", (code) => resolve({ code, stdout, stderr }));
  });
}

/** A separate daemon process. */
export interface Daemon {
  readonly url: string;
  readonly token: string;
  /** What it has logged so far. */
  log(): string;
  /** Its largest resident memory so far, in MB of 2^20 octets. */
  memory(): number;
  /** A signal that does not end it. */
  send(signal: NodeJS.Signals): void;
  /** Ends it with a signal; resolves with the exit code. */
  stop(signal?: NodeJS.Signals): Promise<{ readonly code: number | null }>;
  /** A request to its API with the admin token. */
  ask(path: string, init?: RequestInit): Promise<Response>;
}

/** Starts `serve` and waits until it listens, and by default until the first sync is done. */
export async function serve(
  { configFile, dataDir }: Installation,
  {
    env = {},
    ready = true,
  }: { readonly env?: Readonly<Record<string, string>>; readonly ready?: boolean } = {},
): Promise<Daemon> {
  const child = dayferryProcess(["serve", "--config", configFile], env);
  let log = "";
  child.stderr?.on("data", (chunk) => {
    log += chunk;
  });
  const closed = new Promise<number | null>((resolve) => {
    child.on("close", resolve);
  });
  const url = await eventually("the daemon listens", () => {
    if (child.exitCode !== null) throw new Error(`serve ended with ${child.exitCode}: ${log}`);
    return /"url":"(http:[^"]+)"/.exec(log)?.[1] ?? null;
  });
  const tokenFile = join(dataDir, "admin-token");
  const token =
    env["DAYFERRY_ADMIN_TOKEN"] ??
    (existsSync(tokenFile) ? readFileSync(tokenFile, "utf8").trim() : "");
  const ask = (path: string, init: RequestInit = {}) => {
    const headers = new Headers(init.headers);
    headers.set("authorization", `Bearer ${token}`);
    return fetch(`${url}${path}`, { ...init, headers });
  };
  if (ready) {
    await eventually("the first sync is done", async () => ((await isFresh(url)) ? true : null));
  }
  return {
    url,
    token,
    log: () => log,
    memory() {
      const status = readFileSync(`/proc/${child.pid}/status`, "utf8");
      return Number(/^VmHWM:\s+(\d+) kB/m.exec(status)?.[1]) / 1024;
    },
    send: (signal) => void child.kill(signal),
    ask,
    async stop(signal = "SIGTERM") {
      child.kill(signal);
      return { code: await closed };
    },
  };
}

export function dayferryProcess(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): ChildProcess {
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith("DAYFERRY_"));
  return spawn(process.execPath, [program, ...args], {
    cwd: root,
    env: {
      ...Object.fromEntries(inherited),
      NODE_NO_WARNINGS: "1",
      // No command finds the demo of another test there.
      XDG_RUNTIME_DIR: "/nowhere",
      ...env,
    },
    stdio: ["pipe", "pipe", "pipe"],
  });
}

/** Whether a daemon has read everything since its start. */
async function isFresh(url: string): Promise<boolean> {
  const answer = await fetch(`${url}/readyz`);
  return Object(await answer.json()).fresh === true;
}
