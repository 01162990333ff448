// What attacks cost a daemon in a process of its own: by each in turn how far the memory rose at most and what is left of it, the
// longest time at one thing, and how quickly somebody honest is answered meanwhile.
//   npx node bench/attacks.ts [PART OF A NAME]
// Ends with 1 where one goes beyond its bounds, is answered with a status that it must not be, or locks others out.
import { once } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { startAttackedDaemon } from "../test/security/attacks/attacked-daemon.ts";
import { bodyAttacks } from "../test/security/attacks/body-attacks.ts";
import { calendarAttacks } from "../test/security/attacks/calendar-attacks.ts";
import { connectionAttacks } from "../test/security/attacks/connection-attacks.ts";
import { serviceAttacks } from "../test/security/attacks/service-attacks.ts";
import type { Attack, Statuses } from "../test/security/attacks/target.ts";

/** By so much may one attack raise the memory while it lasts, in MB: two answers of the service at the largest, and their text. */
const mostRiseMb = 250;
/** After it and a rest so much of that may be left: what V8 keeps for the next time. */
const mostLeftMb = 150;
/** Longest time at one thing, by the processor's time, in milliseconds. */
const mostBlockMs = 500;

const [wanted = ""] = process.argv.slice(2);
const all = [...connectionAttacks, ...bodyAttacks, ...calendarAttacks, ...serviceAttacks];
const { daemon, target, close } = await startAttackedDaemon({
  items: 2000,
  dripMs: 3000,
  scale: 1,
});
let isBroken = false;
try {
  const nobody = () => pause(3000).then(() => new Map<number, number>());
  await measure({ name: "nobody attacks", allowed: [], prepare: () => nobody });
  for (const attack of all.filter(({ name }) => name.includes(wanted))) await measure(attack);
} finally {
  await close();
}
if (isBroken) process.exitCode = 1;

async function measure(attack: Attack): Promise<void> {
  const run = attack.prepare(target);
  await daemon.block();
  const before = daemon.memory().now;
  const honest = honestClient();
  let most = before;
  const watch = setInterval(() => {
    most = Math.max(most, daemon.memory().now);
  }, 20);
  const statuses = await run();
  clearInterval(watch);
  const block = await daemon.block();
  const { p95, failed } = await honest.stop();
  await pause(1500);
  const left = daemon.memory().now - before;
  const problems = [
    ...(most - before > mostRiseMb ? ["MEMORY"] : []),
    ...(left > mostLeftMb ? ["KEPT"] : []),
    ...(block.processorMs > mostBlockMs ? ["BLOCK"] : []),
    ...(failed > 0 ? [`${failed} HONEST FAILED`] : []),
    ...[...statuses.keys()]
      .filter((status) => !attack.allowed.includes(status))
      .map((status) => `STATUS ${status}`),
  ];
  isBroken ||= problems.length > 0;
  console.log(
    [
      attack.name.padEnd(60),
      `rise ${(most - before).toFixed(0).padStart(4)} MB`,
      `left ${left.toFixed(0).padStart(4)} MB`,
      `block ${block.processorMs.toFixed(0).padStart(4)} ms`,
      `honest p95 ${p95.toFixed(0).padStart(4)} ms`,
      inWords(statuses),
      problems.join(", "),
    ].join("  "),
  );
}

function inWords(statuses: Statuses): string {
  return [...statuses]
    .map(([status, count]) => `${status === 0 ? "cut" : status} x${count}`)
    .join(" ");
}

/** What somebody honest has met: how long all but one in twenty answers took at most, in milliseconds, and how many were none. */
interface Met {
  readonly p95: number;
  readonly failed: number;
}

function honestClient(): { readonly stop: () => Promise<Met> } {
  const worker = new Worker(new URL("./attacks/honest-client.ts", import.meta.url), {
    workerData: { url: daemon.url, bearer: daemon.bearer },
  });
  return {
    async stop() {
      const told = once(worker, "message");
      worker.postMessage("stop");
      const [met]: Met[] = await told;
      if (!met) throw new Error("the honest client tells nothing");
      return met;
    },
  };
}
