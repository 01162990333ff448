// A first sync that is killed in the middle, by SIGKILL, and goes on in the next process: how many requests are made twice.
// Usage: node bench/killed-sweep.ts [m] [kills=1] [scale=10] [after=MS] [nopages]
// The daemon is a process of its own, as `dayferry serve` starts it; time runs `scale` times as fast as at the service (25 requests
// in 10 s), the machine's work does not: 1 shows what happens at the service. With `kills=N` it is killed N times, at equal parts of
// the sweep, `after` ms after the request that makes a part full had come (half of the quota's time unless said): at 0 in the middle
// of a burst, which is asked again as far as it was not answered. With `nopages` the service has no list of all tasks. Ends with 1
// when more than 2 % of the requests for each kill were made twice, or a 429 came.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { eventuallyWithin } from "../test/support/eventually.ts";
import { serviceConfig, testSandbox } from "../test/support/sandbox.ts";
import { fewestFor } from "./fewest-requests.ts";
import { startDaemonProcess } from "./size/daemon-process.ts";

const size = (["s", "m", "l"] as const).find((one) => process.argv.includes(one)) ?? "m";
const kills = numberOf("kills") ?? 1;
const scale = numberOf("scale") ?? 10;
const quota = { requests: 25, perMs: 10_000 / scale };
const delayMs = numberOf("after") ?? quota.perMs / 2;
const patienceMs = 600_000;

const sandbox = await testSandbox({ size, quota, latencyMs: 150 / scale });
const hasPages = !process.argv.includes("nopages");
if (!hasPages) sandbox.faults.add({ kind: "status", status: 404, path: /alltodo$/, times: 1000 });
const fewest = fewestFor(sandbox, { pages: hasPages });
const folder = mkdtempSync(join(tmpdir(), "dayferry-bench-"));
const dataDir = join(folder, "data");
const configFile = join(folder, "config.json");
const service = {
  ...serviceConfig(sandbox),
  quota: { requests: 25, per: `PT${quota.perMs / 1000}S` },
};
writeFileSync(
  configFile,
  JSON.stringify({ dataDir, service, http: { host: "127.0.0.1", port: 0 } }),
);

function numberOf(name: string): number | null {
  const [told] = process.argv.filter((word) => word.startsWith(`${name}=`));
  return told === undefined ? null : Number(told.slice(name.length + 1));
}

/** Until the request with which all that there is was asked for once. */
function soFar() {
  const log = sandbox.requests.entries();
  const seen = new Set<string>();
  let requests = 0;
  for (const { method, path, query } of log) {
    if (seen.size >= fewest) break;
    requests += 1;
    seen.add(`${method} ${path}?${query}`);
  }
  const limited = log.filter(({ status }) => status === 429).length;
  return { requests, distinct: seen.size, limited };
}

const rows = [];
for (let run = 1; run <= kills + 1; run += 1) {
  const until = run > kills ? fewest : Math.floor((fewest * run) / (kills + 1));
  const daemon = await startDaemonProcess({ configFile, dataDir, blocks: false });
  await eventuallyWithin(patienceMs, `${until} requests were made`, () =>
    soFar().distinct >= until ? true : null,
  );
  if (run <= kills) await setTimeout(delayMs);
  const { requests, distinct, limited } = soFar();
  await daemon.stop(run > kills ? "SIGTERM" : "SIGKILL");
  rows.push({
    run,
    fewest,
    "asked for": distinct,
    requests,
    twice: requests - distinct,
    429: limited,
  });
}
await sandbox.close();
rmSync(folder, { recursive: true, force: true });

console.table(rows);
const last = rows.at(-1);
const isGood = last && last.twice <= 0.02 * fewest * kills && last[429] === 0;
process.exitCode = isGood ? 0 : 1;
