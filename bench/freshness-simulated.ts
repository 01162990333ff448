// How stale a mirror is under a quota with the daemon's own scheduler, by a simulator that knows when things change.
//   node bench/freshness-simulated.ts PATH_OF_POLLSIM [n=200] [seeds=11,12,...,20] [worlds=work,drift,zipf1,zipf15]
//   node bench/freshness-simulated.ts PATH_OF_POLLSIM quiet [n=13,73,200] [seeds=11,12,13]
//   node bench/freshness-simulated.ts PATH_OF_POLLSIM week [n=73] [seeds=11]
//   node bench/freshness-simulated.ts PATH_OF_POLLSIM linked|unlinked [n=200] [seeds=11,12,13]
// Prints the mean delay of a change as a multiple of what an oracle and round robin reach on the same changes, what of that
// was to be expected without the chance of single changes, the longest gap, and what a decision takes.
// `quiet` prints which part of the quota is used when nothing happens any more, and what is lost by that while something
// does. `week` measures five days after two weeks of which two days are idle for most sources, `linked` what it is worth to know
// which sources belong together, `unlinked` what it costs to think so where they keep unlike hours. The file is also a policy for pollsim itself: `--module` with its path.
import { Scheduler, schedulerDefaults } from "@dayferry/poll-scheduler";
import { ExpectedDelay } from "./freshness/expected-delay.ts";
import { projectsOf, unlikeProjects, withIdleDays } from "./freshness/own-worlds.ts";
import { loadPollsim, type Policy, type Pollsim, type World } from "./freshness/pollsim.ts";

interface PolicyFacts {
  readonly n: number;
  readonly weights: ArrayLike<number>;
  readonly budgetPerSec: number;
  /** Whether it waits where no source is worth a poll; a wait is a poll of the source `n`, which has no changes. */
  readonly waits?: boolean;
  /** For each source a name that those have in common who are edited by the same people. */
  readonly groups?: readonly string[];
}

const hour = 3600;
const budget = 2.5;
const warm = 72 * hour;
const horizon = warm + 48 * hour;
const silence = horizon - 12 * hour;

export function createPolicy({
  n,
  weights,
  budgetPerSec,
  waits = false,
  groups,
}: PolicyFacts): Policy {
  const quietAfter = waits ? schedulerDefaults.quietAfter : Number.POSITIVE_INFINITY;
  const scheduler = new Scheduler({ ...schedulerDefaults, quietAfter, pace: budgetPerSec });
  const keys = Array.from({ length: n }, (_, source) => String(source));
  for (const [source, key] of keys.entries()) {
    scheduler.put(key, { weight: weights[source] ?? 1, cost: 1, group: groups?.[source] ?? null });
  }
  return {
    next(now) {
      const choice = scheduler.next(now);
      return choice.kind === "poll" ? Number(choice.key) : n;
    },
    observe(source, now, { times }) {
      const key = keys[source];
      if (key !== undefined) scheduler.observe(key, { at: now, times });
    },
  };
}

function judge(pollsim: Pollsim, [n = "200", seeds, worlds]: readonly string[]): void {
  for (const scenario of (worlds ?? "work,drift,zipf1,zipf15").split(",")) {
    if (!pollsim.SCENARIOS[scenario]) throw new Error(`the simulator knows no world ${scenario}`);
    const toOracle: number[] = [];
    const expected: number[] = [];
    const toRoundRobin: number[] = [];
    const gaps: number[] = [];
    const micros: number[] = [];
    for (const seed of numbers(seeds ?? "11,12,13,14,15,16,17,18,19,20")) {
      const world = pollsim.makeWorld({ n: number(n), scenario, seed, horizon });
      const run = (policy: Policy) => pollsim.simulate(world, policy, { budget, warm });
      const watched = (policy: Policy) => {
        const seen: (readonly [number, number, ArrayLike<number>])[] = [];
        const result = run({
          next: (now) => policy.next(now),
          observe(source, now, changes) {
            seen.push([source, now, changes.times]);
            policy.observe(source, now, changes);
          },
        });
        return { ...result, seen };
      };
      // Not while it runs, as a decision is timed there.
      const expectedOf = ({ seen }: ReturnType<typeof watched>) => {
        const delay = new ExpectedDelay(world, { warm, since: 0 });
        for (const [source, now, times] of seen) delay.see(source, now, times);
        return delay.sum;
      };
      const known = (name: string) => pollsim.POLICIES[name]?.(world, budget);
      const [oracle, roundRobin] = [known("oracle"), known("rr")];
      if (!oracle || !roundRobin) throw new Error("The simulator lacks its policies oracle and rr");
      const before = process.cpuUsage();
      const ours = watched(createPolicy({ n: world.n, weights: world.w, budgetPerSec: budget }));
      micros.push(process.cpuUsage(before).user / ours.polls);
      const best = watched(oracle);
      toOracle.push(ours.mean / best.mean);
      // Where rates change between two polls, the filter charges all of the time with the latter.
      if (world.swaps.length === 0) expected.push(expectedOf(ours) / expectedOf(best));
      toRoundRobin.push(ours.mean / run(roundRobin).mean);
      gaps.push(ours.maxGap);
    }
    console.log(
      `${scenario.padEnd(7)} n=${n}  ${meanRatio(toOracle).toFixed(3)} x oracle${expected.length > 0 ? ` (${meanRatio(expected).toFixed(3)} by expectation)` : ""}, ` +
        `${meanRatio(toRoundRobin).toFixed(4)} x round robin, longest gap ${Math.max(...gaps).toFixed(0)} s, ` +
        `${meanRatio(micros).toFixed(1)} us per poll  [${toOracle.map((ratio) => ratio.toFixed(3)).join(" ")}]`,
    );
  }
}

function quiet(
  pollsim: Pollsim,
  [sizes = "13,73,200", seeds = "11,12,13"]: readonly string[],
): void {
  for (const n of numbers(sizes)) {
    const losses: number[] = [];
    const parts: number[] = [];
    for (const seed of numbers(seeds)) {
      const world = pollsim.makeWorld({ n, scenario: "work", seed, horizon });
      const facts = { n, weights: world.w, budgetPerSec: budget };
      // Nothing changes in the last hours; what is used is counted from three hours after that on.
      const events = world.events.map((times) => times.filter((time) => time < silence));
      const always = pollsim.simulate({ ...world, events }, createPolicy(facts), { budget, warm });
      let used = 0;
      let slots = 0;
      const waiting = createPolicy({ ...facts, waits: true });
      const counting: Policy = {
        next(now) {
          const source = waiting.next(now);
          if (now >= silence + 3 * hour) {
            slots += 1;
            if (source < n) used += 1;
          }
          return source;
        },
        observe: (source, now, changes) => waiting.observe(source, now, changes),
      };
      const withNobody = {
        ...world,
        n: n + 1,
        w: Float64Array.from([...world.w, 0]),
        events: [...events, new Float64Array()],
      };
      losses.push(pollsim.simulate(withNobody, counting, { budget, warm }).mean / always.mean);
      parts.push(used / slots);
    }
    console.log(
      `n=${n}  used when nothing happens ${percents(parts)}; delay while things happen ` +
        `${meanRatio(losses).toFixed(3)} x that without waiting [${losses.map((loss) => loss.toFixed(3)).join(" ")}]`,
    );
  }
}

/** How much of the delay is that a policy knows no week. */
function week(pollsim: Pollsim, [n = "73", seeds = "11"]: readonly string[]): void {
  const warmDays = 14 * 24 * hour;
  for (const seed of numbers(seeds)) {
    const about = { n: Number(n), scenario: "work", seed, horizon: warmDays + 5 * 24 * hour };
    const world = withIdleDays(pollsim.makeWorld(about), seed);
    const run = (policy: Policy | undefined) =>
      policy ? pollsim.simulate(world, policy, { budget, warm: warmDays }).mean : Number.NaN;
    const ours = run(createPolicy({ n: world.n, weights: world.w, budgetPerSec: budget }));
    const [roundRobin, oracle] = ["rr", "oracle"].map((name) =>
      run(pollsim.POLICIES[name]?.(world, budget)),
    );
    console.log(
      `seed ${seed}  n=${n}  ${ours.toFixed(2)} s, round robin ${roundRobin?.toFixed(2)} s, ` +
        `an oracle that knows all but the week ${oracle?.toFixed(2)} s`,
    );
  }
}

function linked(
  pollsim: Pollsim,
  [n = "200", seeds = "11,12,13"]: readonly string[],
  groupsOf: (world: World, seed: number) => readonly string[],
): void {
  const ratios = numbers(seeds).map((seed) => {
    const world = pollsim.makeWorld({ n: Number(n), scenario: "work", seed, horizon });
    const facts = { n: world.n, weights: world.w, budgetPerSec: budget };
    const alone = expectedOf(pollsim, world, createPolicy(facts));
    const groups = groupsOf(world, seed);
    return expectedOf(pollsim, world, createPolicy({ ...facts, groups })) / alone;
  });
  console.log(
    `n=${n}  ${meanRatio(ratios).toFixed(4)} x the expected delay without links ` +
      `[${ratios.map((ratio) => ratio.toFixed(4)).join(" ")}]`,
  );
}

/** What a policy leaves unseen in a world, by expectation. */
function expectedOf(pollsim: Pollsim, world: World, policy: Policy): number {
  const delay = new ExpectedDelay(world, { warm, since: 0 });
  const watched: Policy = {
    next: (now) => policy.next(now),
    observe(source, now, changes) {
      delay.see(source, now, changes.times);
      policy.observe(source, now, changes);
    },
  };
  pollsim.simulate(world, watched, { budget, warm });
  return delay.sum;
}

const numbers = (list: string): readonly number[] => list.split(",").map(number);

function number(text: string): number {
  const value = Number(text);
  if (!(value > 0)) throw new Error(`${text} is no number of sources, and no seed`);
  return value;
}

const percents = (parts: readonly number[]): string =>
  parts.map((part) => `${(100 * part).toFixed(0)} %`).join(", ");

const meanRatio = (ratios: readonly number[]): number =>
  Math.exp(ratios.reduce((sum, ratio) => sum + Math.log(ratio), 0) / ratios.length);

// Last, as it uses the constants above.
if (import.meta.main) {
  const [path = "", first = "200", ...rest] = process.argv.slice(2);
  const pollsim = await loadPollsim(path);
  if (first === "quiet") quiet(pollsim, rest);
  else if (first === "week") week(pollsim, rest);
  else if (first === "linked") linked(pollsim, rest, projectsOf);
  else if (first === "unlinked") linked(pollsim, rest, unlikeProjects);
  else judge(pollsim, [first, ...rest]);
}
