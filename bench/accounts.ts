// What many accounts cost on one machine: a daemon each, with a workspace of size S. First one after another, each from an
// empty folder to the end of its first sync; then again one after another, from their data, until all of them are there and at rest.
// Memory is VmHWM (the most that ever was resident), VmRSS, and PSS (what is shared, shared out) at rest; the processor's time is that
// of all threads. A daemon that is not ready in time is told of and left out of the table; what was measured until then is printed.
//   node bench/accounts.ts [--daemons 20] [--rest SECONDS] [--within SECONDS] [--json FILE]
// Sandbox and daemons are processes of their own. The sweeps run at 25 requests in 0.2 s, what is at rest at the service's true pace.
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { eventuallyWithin } from "../test/support/eventually.ts";
import { type DaemonProcess, startDaemonProcess } from "./size/daemon-process.ts";

const { values: given } = parseArgs({
  options: {
    daemons: { type: "string", default: "20" },
    rest: { type: "string", default: "60" },
    within: { type: "string", default: "60" },
    json: { type: "string" },
  },
});
const count = Number(given.daemons);
const restSeconds = Number(given.rest);
/** A whole phase ends after so many times what one daemon may take, whatever is still to come. */
const mostInARow = 10;
const withinMs = Number(given.within) * 1000;
const folder = mkdtempSync(join(tmpdir(), "dayferry-accounts-"));
const script = fileURLToPath(new URL("./size/size-sandbox-server.ts", import.meta.url));
const sandbox: ChildProcess = fork(script, [
  JSON.stringify({ size: "s", quota: { requests: 1_000_000, perMs: 1000 } }),
]);
const [told]: { readonly service: object }[] = await once(sandbox, "message");
if (!told) throw new Error("the sandbox does not tell its address");
const { service } = told;

const accounts = Array.from({ length: count }, (_, nth) => {
  const home = join(folder, `account-${nth}`);
  mkdirSync(home);
  const dataDir = join(home, "data");
  return { dataDir, configFile: join(home, "config.json") };
});
const configure = (per: string) => {
  for (const { dataDir, configFile } of accounts) {
    const raw = {
      dataDir,
      service: { ...service, quota: { requests: 25, per } },
      http: { host: "127.0.0.1", port: 0 },
    };
    writeFileSync(configFile, JSON.stringify(raw));
  }
};

interface Started {
  readonly daemon: DaemonProcess;
  readonly listensMs: number;
  readonly readyMs: number;
  readonly processor: number;
}

/** A daemon that serves everything; what failed in a sentence otherwise, and then nothing of it is left running. */
async function start(account: (typeof accounts)[number]): Promise<Started | string> {
  const began = performance.now();
  let daemon: DaemonProcess;
  try {
    daemon = await startDaemonProcess({ ...account, blocks: false });
  } catch (error) {
    return String(error).slice(0, 300);
  }
  try {
    const listensMs = performance.now() - began;
    await eventuallyWithin(withinMs, "everything is served", async () =>
      (await fetch(`${daemon.url}/readyz`)).ok ? true : null,
    );
    const readyMs = performance.now() - began;
    return { daemon, listensMs, readyMs, processor: daemon.processor() };
  } catch (error) {
    await daemon.stop("SIGKILL");
    return String(error).slice(0, 300);
  }
}

const failures: string[] = [];
const running: DaemonProcess[] = [];

/** Starts one after another; `after` has each before the next one starts. */
async function startAll(after: (started: Started) => Promise<void>): Promise<readonly Started[]> {
  const all: Started[] = [];
  const until = performance.now() + mostInARow * withinMs;
  for (const [nth, account] of accounts.entries()) {
    if (performance.now() > until) {
      failures.push(`time was up before account ${nth}`);
      break;
    }
    const started = await start(account);
    if (typeof started === "string") {
      failures.push(`account ${nth}: ${started}`);
      continue;
    }
    running.push(started.daemon);
    all.push(started);
    await after(started);
  }
  return all;
}

const seconds = (of: readonly Started[], what: "listensMs" | "readyMs") =>
  summary(of.map((one) => one[what] / 1000));

const rows: Record<string, ReturnType<typeof summary>> = {};
const sums: string[] = [];
try {
  configure("PT0.2S");
  const firstMost: number[] = [];
  const first = await startAll(async ({ daemon }) => {
    firstMost.push(daemon.memory().most);
    await daemon.stop();
    running.splice(running.indexOf(daemon), 1);
  });
  rows["first start with its sweep: everything is served, s"] = seconds(first, "readyMs");
  rows["of the processor, s"] = summary(first.map(({ processor }) => processor));
  rows["VmHWM, MB"] = summary(firstMost);

  configure("PT10S");
  const again = await startAll(async () => {});
  rows["start from data: listens, s"] = seconds(again, "listensMs");
  rows["start from data: everything is served, s"] = seconds(again, "readyMs");
  rows["of the processor for that start, s"] = summary(again.map(({ processor }) => processor));
  await pause(30_000);
  const before = running.map((daemon) => daemon.processor());
  await pause(restSeconds * 1000);
  const cores = running.map(
    (daemon, nth) => (daemon.processor() - (before[nth] ?? 0)) / restSeconds,
  );
  const memories = running.map((daemon) => daemon.memory());
  const pss = running.map((daemon) => pssOf(daemon.pid));
  const files = running.map((daemon) => readdirSync(`/proc/${daemon.pid}/fd`).length);
  rows["VmHWM at rest, MB"] = summary(memories.map(({ most }) => most));
  rows["VmRSS at rest, MB"] = summary(memories.map(({ now }) => now));
  rows["PSS at rest, MB"] = summary(pss);
  rows["processor at rest, % of a core"] = summary(cores.map((share) => share * 100));
  rows["open files"] = summary(files);
  sums.push(
    `all ${running.length} together: PSS ${sum(pss).toFixed(0)} MB, processor at rest ${(sum(cores) * 100).toFixed(1)} % of a core`,
  );
} finally {
  console.log(`${count} daemons of size S, load ${loadavg()[0]?.toFixed(1)}`);
  console.table(rows);
  for (const line of [...sums, ...failures]) console.log(line);
  if (given.json !== undefined) writeFileSync(given.json, `${JSON.stringify(rows, null, 2)}\n`);
  await Promise.all(running.map((daemon) => daemon.stop()));
  sandbox.disconnect();
  rmSync(folder, { recursive: true, force: true });
}
process.exitCode = failures.length === 0 ? 0 : 1;

/** Resident memory with what several share counted in parts, in MB of 2^20 octets. */
function pssOf(pid: number): number {
  const text = readFileSync(`/proc/${pid}/smaps_rollup`, "utf8");
  return Number(/^Pss:\s+(\d+) kB/m.exec(text)?.[1] ?? 0) / 1024;
}

/** Of none: zeros, under a line that says who is missing. */
function summary(values: readonly number[]) {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (part: number) =>
    Number((sorted[Math.floor((sorted.length - 1) * part)] ?? 0).toFixed(2));
  return { of: values.length, least: at(0), median: at(0.5), most: at(1) };
}

function sum(values: readonly number[]): number {
  return values.reduce((all, one) => all + one, 0);
}
