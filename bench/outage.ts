// What becomes of edits that were made while the service was down for a week, through a whole daemon: order, pace, memory, how
// long pages and fresh edits take meanwhile, whether anything is lost or there twice, with kills in between.
//   npx node bench/outage.ts [edits=10000] [perSecond=100] [fresh=40] [kills=2]
// The quota is 100 requests in a second where the service has 25 in 10 s, so that it takes minutes and not hours. Ends with 1
// when anything is wrong, the service had to turn a request away, a page took longer than 100 ms or a fresh edit longer than
// 2 s (p95), or the daemon more than 200 MB.

import { numbersOf } from "./options.ts";
import { playOutage } from "./outage/drill.ts";

const { edits, perSecond, fresh, kills } = numbersOf({
  edits: 10_000,
  perSecond: 100,
  fresh: 40,
  kills: 2,
});
const goals = { pageMs: 100, freshMs: 2000, memory: 200 } as const;

const outcome = await playOutage({ edits, perSecond, fresh, kills });
const p95 = (times: readonly number[]): number =>
  Math.round(times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.95)] ?? 0);
const { accepted, drainedMs, mostPerSecond, tooMany, freshMs, pagesMs, mostMemory, wrong } =
  outcome;
const pages = [...pagesMs].map(([path, times]) => ({ path, ms: p95(times) }));
console.log(
  `${accepted} edits, gone within ${Math.round(drainedMs / 1000)} s; at most ${mostPerSecond} requests in a second of ${perSecond}, ${tooMany} turned away`,
);
console.log(
  `fresh edits: p95 ${p95(freshMs)} ms of ${freshMs.length}; memory ${Math.round(mostMemory)} MB`,
);
for (const { path, ms } of pages) console.log(`${path}: p95 ${ms} ms`);
console.log(`states: ${JSON.stringify(outcome.states)}`);
const failures = [
  ...wrong,
  ...(tooMany > 0 ? [`${tooMany} requests were turned away`] : []),
  ...pages.flatMap(({ path, ms }) => (ms > goals.pageMs ? [`${path} takes ${ms} ms`] : [])),
  ...(p95(freshMs) > goals.freshMs ? [`fresh edits take ${p95(freshMs)} ms`] : []),
  ...(mostMemory > goals.memory ? [`${Math.round(mostMemory)} MB of memory`] : []),
];
for (const failure of failures.slice(0, 20)) console.log(`not met: ${failure}`);
process.exitCode = failures.length === 0 ? 0 : 1;
