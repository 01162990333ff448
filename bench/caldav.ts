// How fast the CalDAV server is beside Radicale, Xandikos and the least that can answer the same (node:http and SQLite
// without users, conditions and validation). Dayferry runs with all of it: app password, validation, and a journal that
// is safe on the disk before a PUT is answered; nothing is sent to the service, so that edits stay pending.
//   node bench/caldav.ts [--short]
// All servers are filled alike and share one core, the client has another; one is asked at a time, and they take turns
// in each round, so that what else the machine does meets all of them. Figures are requests
// per second by the median request, of the median round; ratios are those of the median round. Ends with 1 when a target is missed; a short run shows that everything works and judges nothing.
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { fillTo, type Operation, operationsOn } from "./caldav/operations.ts";
import { startRivals } from "./caldav/rivals.ts";
import { figures, judge, median, ratios, type Sample, targets } from "./caldav/verdict.ts";

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
for (const program of missing) console.log(`${program} is not installed: there is no figure of it`);

const samples: Sample[] = [];
const { reading, changing, adding } = operationsOn(scene);
try {
  await fill();
  for (const operation of [...reading, changing]) await warmUp(operation);
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
console.table(ratios(samples));
const judgements = targets.map((target) => judge(target, samples));
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

/** From the median, as a single request that the machine has kept waiting says nothing of a server. */
function perSecond(taken: readonly number[]): number {
  return 1000 / median(taken);
}
