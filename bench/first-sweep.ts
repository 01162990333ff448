// First sweep against the sandbox: requests against the fewest possible, 429s, and time against the quota's own limit.
// Usage: node bench/first-sweep.ts [s] [m] [l] [lists] [scale=N]; `lists`: at a service without the list of all tasks
// Time runs ten times as fast as at the service (25 requests in 1 s), at l forty times, or N times. Ends with 1 when a request
// was wasted (but three in a hundred, as lists that are read before it is known how many there are), a 429 came, or the sweep took longer than 1.05 x T(n) + 1 s, which is 0.1 s at ten times.
import { randomUUID } from "node:crypto";
import { fileURLToPath } from "node:url";
import { openStore } from "../src/store/store.ts";
import { Sync } from "../src/sync/sync.ts";
import { zone } from "../test/support/items.ts";
import { testSandbox } from "../test/support/sandbox.ts";
import { benchUpstream } from "./bench-upstream.ts";
import { fewestFor } from "./fewest-requests.ts";

const clock = () => Temporal.Now.instant();
const sizes = ["s", "m", "l"] as const;
const usualScale = { s: 10, m: 10, l: 40 } as const;
const [, wished] = process.argv.flatMap((word) => /^scale=(\d+)$/.exec(word) ?? []);

const pages = !process.argv.includes("lists");
const named = sizes.filter((size) => process.argv.includes(size));
const wanted = named.length > 0 ? named : (["s", "m"] as const);
const rows = [];
for (const size of wanted) rows.push(await measure(size));
console.table(rows);
process.exitCode = rows.every(({ good }) => good) ? 0 : 1;

async function measure(size: (typeof sizes)[number]) {
  const scale = wished === undefined ? usualScale[size] : Number(wished);
  const quota = { requests: 25, perMs: 10_000 / scale };
  const latencyMs = 150 / scale;
  const sandbox = await testSandbox({ size, quota, latencyMs });
  if (!pages) sandbox.faults.add({ kind: "status", status: 404, path: /alltodo$/, times: 1000 });
  const migrations = fileURLToPath(new URL("../migrations", import.meta.url));
  const store = openStore({ file: ":memory:", migrations, zone, clock, randomId: randomUUID });
  const upstream = benchUpstream(sandbox, { perMs: quota.perMs, history: store.gateSlots });
  const scope = { projects: "discover", people: [], discoverPeople: true } as const;
  const maxAge = Temporal.Duration.from({ minutes: 15 });
  const sync = new Sync({
    store,
    upstream,
    scope,
    clock,
    maxAge,
    quota: { requests: quota.requests, per: Temporal.Duration.from({ milliseconds: quota.perMs }) },
    share: 1,
    onEvent: () => undefined,
  });

  const begun = performance.now();
  const summary = await sync.sweep({ signal: AbortSignal.timeout(600_000) });
  const tookMs = performance.now() - begun;

  const log = sandbox.requests.entries();
  const fewest = fewestFor(sandbox, { pages });
  const limitMs = quota.perMs * (Math.ceil(fewest / quota.requests) - 1) + 3 * latencyMs;
  const begins = log[0]?.at ?? 0;
  const complete = log.findLast(({ path }) => /\/(events|tasks)$/.test(path))?.at ?? 0;
  await upstream.close();
  await sandbox.close();
  store.close();

  const limited = log.filter(({ status }) => status === 429).length;
  const isQuick = tookMs <= 1.05 * limitMs + 1000 / scale;
  return {
    size,
    items: summary.added,
    requests: log.length,
    fewest,
    "429s": limited,
    "most in a window": sandbox.requests.maxInWindow(quota.perMs),
    "T(n) s, as at the service": round((limitMs * scale) / 1000),
    "took s, as at the service": round((tookMs * scale) / 1000),
    "lists and events after s": round(((complete - begins) * scale) / 1000),
    ratio: round(tookMs / limitMs),
    good: log.length <= 1.03 * fewest && limited === 0 && isQuick && summary.failures.length === 0,
  };
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
