// How fast the CalDAV server is beside Cyrus, Radicale, Xandikos, DAViCal, SOGo and the least that can answer the same
// (node:http and SQLite without users, conditions and validation). Dayferry runs with all of it: app password, validation,
// and a journal that is on the disk before a PUT is answered; nothing is sent to the service, so that edits stay pending.
//   node bench/caldav.ts [--short]
// All servers have the same events and share one core, the client has another; one is asked at a time, and they take turns
// in each round, so that other work on the machine slows all of them. Figures are requests per second by the median request
// of the median round; ratios are those of the median round. Ends with 1 if a target is missed. A short run shows that
// everything works and judges nothing. Programs that are not installed are named. Cyrus, DAViCal and SOGo need root.
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { nameOf } from "./caldav/event-text.ts";
import { fillTo, type Operation, operationsOn } from "./caldav/operations.ts";
import { startRivals } from "./caldav/rivals.ts";
import { figures, judge, median, ratios, type Sample, targetsFor } from "./caldav/verdict.ts";

const isShort = process.argv.includes("--short");
const scene = isShort ? { size: 200, large: 1000 } : { size: 1000, large: 10_000 };
const rounds = isShort ? 1 : 5;
const sliceMs = isShort ? 60 : 400;
const warmUpMs = isShort ? 60 : 1500;

const folder = mkdtempSync(join(tmpdir(), "dayferry-bench-"));
const canPin = availableParallelism() > 1 && !spawnSync("taskset", ["--version"]).error;
if (canPin) execFileSync("taskset", ["-a", "-c", "-p", "1", String(process.pid)]);
else console.log("without taskset and a second core, servers and client share what there is");
const pin = canPin ? ["taskset", "-c", "0"] : [];
const { rivals, missing } = await startRivals({ folder, large: scene.large, pin });
for (const reason of missing) console.log(`not measured: ${reason}`);

const samples: Sample[] = [];
let passwordMs = Number.NaN;
const { reading, changing, adding } = operationsOn(scene);
try {
  await fill();
  for (const operation of [...reading, changing]) await warmUp(operation);
  passwordMs = await passwordCost();
  for (let round = 0; round < rounds; round++) {
    for (const operation of reading) await takeTurns(operation, round);
  }
  for (let round = 0; round < rounds; round++) {
    await takeTurns(changing, round);
    await takeTurns(adding, round);
  }
} finally {
  await Promise.all(rivals.map((rival) => rival.stop()));
  rmSync(folder, { recursive: true });
}
console.table(figures(samples));
console.log(`checking an app password, once per session: ${passwordMs.toFixed(2)} ms of a GET`);
console.table(ratios(samples));
const judgements = targetsFor(samples).map((target) => judge(target, samples));
for (const { line } of judgements) console.log(line);
if (isShort) console.log("this was a short run: the figures are no more than a glance");
else process.exitCode = judgements.some(({ isMet }) => isMet === false) ? 1 : 0;

/** In turns of a tenth, which are the rounds of this figure. */
async function fill(): Promise<void> {
  for (let tenth = 1; tenth <= 10; tenth++) {
    for (const rival of rivals) {
      const taken = await fillTo(rival, (scene.size * tenth) / 10);
      const operation = `PUT of new events, 0 to ${scene.size}`;
      samples.push({ operation, server: rival.name, round: tenth, perSecond: perSecond(taken) });
    }
  }
}

/** First answers fill caches and are compiled, which is not what is measured. */
async function warmUp({ begin }: Operation): Promise<void> {
  for (const rival of rivals) {
    const once = await begin(rival);
    const until = performance.now() + warmUpMs;
    do await once();
    while (performance.now() < until);
  }
}

async function takeTurns({ name, most, begin }: Operation, round: number): Promise<void> {
  for (const rival of rivals) {
    const once = await begin(rival);
    const taken: number[] = [];
    for (let spent = 0; spent < sliceMs && taken.length < most; ) {
      const ms = await once();
      taken.push(ms);
      spent += ms;
    }
    const speed = perSecond(taken);
    samples.push({ operation: name, server: rival.name, round, perSecond: speed });
  }
}

/** How much longer a GET takes whose credentials are not remembered: an unusual header with the same ones. */
async function passwordCost(): Promise<number> {
  const [dayferry] = rivals;
  if (!dayferry) return Number.NaN;
  const { client, calendar } = dayferry;
  const [scheme, token] = client.authorization.split(" ");
  const path = calendar + nameOf(0);
  const times = { remembered: [] as number[], unknown: [] as number[] };
  for (let spaces = 2; spaces < 102; spaces++) {
    const headers = { Authorization: `${scheme}${" ".repeat(spaces)}${token}` };
    times.unknown.push((await client.call({ method: "GET", path, headers })).ms);
    times.remembered.push((await client.call({ method: "GET", path })).ms);
  }
  return median(times.unknown) - median(times.remembered);
}

/** From the median, as a single request that the machine has kept waiting says nothing of a server. */
function perSecond(taken: readonly number[]): number {
  return 1000 / median(taken);
}
