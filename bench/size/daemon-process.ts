import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { eventuallyWithin } from "../../test/support/eventually.ts";

/** For how long the main thread was at one thing: by the clock, and by the processor's time that it took. */
export interface Block {
  readonly clockMs: number;
  readonly processorMs: number;
}

/** The daemon in a process of its own, as `dayferry serve` starts it. */
export interface DaemonProcess {
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  /** `Bearer …` with the admin token. */
  readonly bearer: string;
  /** With the admin token. */
  readonly ask: (path: string, init?: RequestInit) => Promise<Response>;
  /** The longest block since the last call; only of a daemon that was started with `blocks`. */
  readonly block: () => Promise<Block>;
  /** Resident memory and the most that it ever was, in MB of 2^20 octets. */
  readonly memory: () => { readonly now: number; readonly most: number };
  /** Processor's time of all its threads, in seconds. */
  readonly processor: () => number;
  /** By SIGTERM unless another signal is given. */
  readonly stop: (signal?: NodeJS.Signals) => Promise<void>;
}

const script = fileURLToPath(new URL("../../bin/dayferry.sh", import.meta.url));
/** As text, without types: what takes those off would count as 12 MB of the daemon's. */
const preload = (): string => {
  const source = readFileSync(new URL("./block-preload.ts", import.meta.url), "utf8");
  return `data:text/javascript,${encodeURIComponent(stripTypeScriptTypes(source))}`;
};
/** Twenty that start at once share the processor. */
const startsWithinMs = 90_000;
/** Of `utime` and `stime`, on every Linux. */
const ticksPerSecond = 100;

/** Starts it and waits until it listens. */
export async function startDaemonProcess({
  configFile,
  dataDir,
  blocks,
}: {
  readonly configFile: string;
  readonly dataDir: string;
  readonly blocks: boolean;
}): Promise<DaemonProcess> {
  const options = `${process.env["NODE_OPTIONS"] ?? ""} ${blocks ? `--import=${preload()}` : ""}`;
  const child = spawn("sh", [script, "serve", "--config", configFile], {
    env: { ...process.env, NODE_NO_WARNINGS: "1", NODE_OPTIONS: options },
    stdio: ["ignore", "ignore", "pipe", "ipc"],
  });
  let log = "";
  child.stderr?.on("data", (chunk) => {
    log += log.length < 1e6 ? chunk : "";
  });
  const url = await eventuallyWithin(startsWithinMs, "the daemon listens", () => {
    if (child.exitCode !== null) throw new Error(`serve ended with ${child.exitCode}: ${log}`);
    return /"url":"(http:[^"]+)"/.exec(log)?.[1] ?? null;
  });
  const bearer = `Bearer ${readFileSync(join(dataDir, "admin-token"), "utf8").trim()}`;
  return {
    bearer,
    url,
    port: Number(new URL(url).port),
    pid: child.pid ?? 0,
    ask: (path, init = {}) =>
      fetch(`${url}${path}`, { ...init, headers: { authorization: bearer } }),
    block: async () => {
      child.send("block");
      const [told]: Block[] = await once(child, "message");
      if (!told) throw new Error("the daemon does not tell its longest block");
      return told;
    },
    memory: () => memoryOf(child),
    processor: () => processorOf(child),
    async stop(signal = "SIGTERM") {
      const closed = once(child, "close");
      child.kill(signal);
      await closed;
    },
  };
}

function memoryOf({ pid }: ChildProcess) {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  const megabytes = (name: string) =>
    Number(new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(status)?.[1]) / 1024;
  return { now: megabytes("VmRSS"), most: megabytes("VmHWM") };
}

function processorOf({ pid }: ChildProcess): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
    .replace(/^.*\) /, "")
    .split(" ");
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
}
