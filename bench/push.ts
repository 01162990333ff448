// How long from the moment at which a change is in the cache to the arrival of its push message at the push service, for 20
// programs that want to hear of one calendar.
//   node bench/push.ts [changes=20]
// Changes come at chance moments, 2 to 4 s apart. Ends with 1 when the p95 is above 1 s, or a message is missing.
import { createECDH, randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { personId } from "../src/domain/ids.ts";
import { sourceOf } from "../src/domain/source.ts";
import { runLoop } from "../src/loop.ts";
import { modulesOn } from "../test/support/modules.ts";
import { ownerOf, testSandbox } from "../test/support/sandbox.ts";
import { numbersOf } from "./options.ts";

const { changes } = numbersOf({ changes: 20 });
const programs = 20;

const arrivals: number[] = [];
const service = createServer((request, response) => {
  request.resume().on("end", () => {
    arrivals.push(performance.now());
    response.writeHead(201).end();
  });
});
await new Promise<void>((resolve) => service.listen(0, "127.0.0.1", resolve));
const { port } = Object(service.address());

const folder = mkdtempSync(join(tmpdir(), "dayferry-bench-"));
const sandbox = await testSandbox({ size: "s", quota: { requests: 10_000, perMs: 1000 } });
const modules = modulesOn(sandbox, { folder, config: { calendars: { push: "any" } } });
await modules.sync.sweep({ signal: AbortSignal.timeout(60_000) });
const owner = personId(ownerOf(sandbox));
const person = modules.store.directory.person(owner);
const push = modules.caldav.backend.push;
if (!person || !push) throw new Error("the workspace has no owner");
const calendars = modules.caldav.backend.calendars(person);
const calendar = calendars.find(({ slug }) => slug.startsWith("events-"));
const [event] = modules.store.mirror.ofSource(calendar?.slug.replace("-", ":") ?? "");
const id = event?.item.id ?? null;
if (!calendar || !event || id === null) throw new Error("the owner has no calendar with events");
for (let index = 0; index < programs; index += 1) {
  const curve = createECDH("prime256v1");
  push.register(person, calendar, {
    resource: `http://127.0.0.1:${port}/${index}`,
    publicKey: curve.generateKeys("base64url"),
    authSecret: randomBytes(16).toString("base64url"),
    ...{ content: true, properties: true, expires: null },
  });
}

const stop = new AbortController();
const job = modules.jobs({ signal: stop.signal }).find(({ name }) => name === "push messages");
if (!job) throw new Error("there is no push job");
const { step, idle = Temporal.Duration.from({ seconds: 1 }) } = job;
const running = runLoop({
  ...{ step, idle, signal: stop.signal, random: Math.random },
  onFault: (error) => {
    throw error;
  },
});

const waitsMs: number[] = [];
for (let change = 0; change < changes; change += 1) {
  await pause(2000 + Math.random() * 2000);
  arrivals.length = 0;
  const changedAt = performance.now();
  const item = { ...event.item, id, title: `Change ${change}` };
  modules.store.mirror.put(item, sourceOf(item));
  for (const deadline = changedAt + 2000; performance.now() < deadline; ) {
    if (arrivals.length === programs) break;
    await pause(5);
  }
  waitsMs.push(...arrivals.map((at) => at - changedAt));
}

stop.abort();
await running;
await modules.close();
await sandbox.close();
service.close();
rmSync(folder, { recursive: true });

const sorted = waitsMs.toSorted((one, other) => one - other);
const secondsAt = (share: number): number =>
  Number(((sorted[Math.ceil(share * sorted.length) - 1] ?? Number.NaN) / 1000).toFixed(2));
const [p50, p95, most] = [secondsAt(0.5), secondsAt(0.95), secondsAt(1)];
console.table([{ programs, changes, messages: waitsMs.length, p50, p95, most }]);
process.exitCode = p95 <= 1 && waitsMs.length === programs * changes ? 0 : 1;
