import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { type Client, createClient } from "../client.ts";
import { largeText, nameOf } from "../event-text.ts";

/** A running calendar server. */
export interface Rival {
  readonly name: string;
  readonly client: Client;
  /** Path of the calendar that is filled by PUT, with a slash at the end. */
  readonly calendar: string;
  /** Path of the calendar that was full before the first measured request. */
  readonly large: string;
  /** How many members the first calendar has. */
  readonly members: { count: number };
  readonly stop: () => Promise<void>;
}

/** What servers are started with. */
export interface Ground {
  /** Where they store their data. */
  readonly folder: string;
  /** Members of the large calendar. */
  readonly large: number;
  /** A command that keeps a program on the servers' core; empty on a machine with one core. */
  readonly pin: readonly string[];
}

/** Another program's server: the commands it needs, and how it is started. */
export interface Program {
  readonly name: string;
  /** Commands or files that must exist. */
  readonly needs: readonly string[];
  /** True if the server runs as a system user of its own, which only root may start. */
  readonly asUser: boolean;
  readonly start: (ground: Ground) => Promise<Rival>;
}

interface Address {
  readonly port: number;
  readonly calendar?: string;
  readonly large?: string;
  readonly user?: string;
  readonly password?: string;
}

/** A server that listens, as one user with two calendars. `end` stops what its process leaves running. */
export function rival(
  name: string,
  about: {
    readonly child: ChildProcess;
    readonly address: Address;
    readonly end?: () => void;
  },
): Rival {
  const { child, address, end = () => undefined } = about;
  const { port, user = "bench", password = "bench" } = address;
  const { calendar = "/bench/calendar/", large = "/bench/large/" } = address;
  const client = createClient({ port, user, password });
  return {
    name,
    client,
    calendar,
    large,
    members: { count: 0 },
    stop: () =>
      new Promise((resolve) => {
        client.close();
        child.once("exit", () => {
          end();
          resolve();
        });
        child.kill("SIGTERM");
      }),
  };
}

interface Command {
  readonly program: string;
  readonly args: readonly string[];
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** The system user; the present one if absent. */
  readonly user?: string;
}

/** Starts a server on its core. Only Dayferry's own scripts are listened to. */
export function start({ pin }: Ground, { program, args, cwd, env, user }: Command): ChildProcess {
  const isOwn = program === process.execPath;
  const as = user === undefined ? [] : ["runuser", "-u", user, "--"];
  const [first = program, ...rest] = [...as, ...pin, program, ...args];
  return spawn(first, rest, {
    stdio: ["ignore", isOwn ? "pipe" : "ignore", isOwn ? "inherit" : "ignore"],
    ...(cwd !== undefined && { cwd }),
    env: { ...process.env, ...env },
  });
}

/** Runs a command to its end as a system user. Throws with its errors if it fails. */
export function runAs(user: string, command: readonly string[], cwd?: string): void {
  execFileSync("runuser", ["-u", user, "--", ...command], {
    stdio: ["ignore", "ignore", "pipe"],
    ...(cwd !== undefined && { cwd }),
  });
}

/** Makes a folder that belongs to a system user. */
export function folderFor(user: string, ...parts: readonly string[]): string {
  const folder = join(...parts);
  mkdirSync(folder, { recursive: true });
  execFileSync("chown", [user, folder]);
  return folder;
}

export const isThere = (need: string): boolean =>
  spawnSync("sh", ["-c", 'command -v "$1" >/dev/null', "sh", need]).status === 0;

/** Writes events as files, one per member. */
export function writeEvents(folder: string, count: number): void {
  for (let nth = 0; nth < count; nth++) {
    writeFileSync(join(folder, nameOf(nth)), largeText(nth));
  }
}

/** Makes both calendars with MKCALENDAR and fills the large one by PUT. */
export async function fillByPut({ client, calendar, large }: Rival, count: number): Promise<void> {
  for (const path of [calendar, large]) await client.call({ method: "MKCALENDAR", path });
  for (let nth = 0; nth < count; nth++) {
    const { status, body } = await client.call({
      method: "PUT",
      path: large + nameOf(nth),
      headers: { "Content-Type": "text/calendar; charset=utf-8" },
      body: largeText(nth),
    });
    if (status !== 201) throw new Error(`a PUT was answered by ${status}: ${body}`);
  }
}

export async function untilListening({ name, client }: Rival): Promise<void> {
  await untilDone(name, () => client.call({ method: "OPTIONS", path: "/" }));
}

/** Repeats what fails until the server is up. Rejects with the last error after 20 seconds. */
export async function untilDone<T>(name: string, attempt: () => Promise<T>): Promise<T> {
  const deadline = performance.now() + 20_000;
  for (;;) {
    try {
      return await attempt();
    } catch (cause) {
      if (performance.now() > deadline) throw new Error(`${name} does not listen`, { cause });
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}

/** A port that was free a moment ago, as these programs do not say which one they have chosen. */
export function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address ? address.port : 0));
    });
  });
}
