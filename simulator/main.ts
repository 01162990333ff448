// Simulates days and checks them against Dayferry's promises. A seed always gives the same events.
//   npm run simulate -- --seed 42              the events of one seed, and their hash
//   npm run simulate -- --seed 42 --requests   also every request to the service, with its response
//   npm run simulate -- --seed 42 --seconds 60 a shorter day of this many seconds
//   npm run simulate -- --from 1 --seeds 100   many seeds, one process per core; exits with 1 if a promise was broken
//   npm run simulate -- --shrink 42            the fewest steps with which seed 42 is still broken, and a test with them
//   npm run simulate -- --mutants              applies one defect after the other, and prints how many seeds find it
import { execFile } from "node:child_process";
import { availableParallelism } from "node:os";
import { createInterface } from "node:readline";
import { parseArgs } from "node:util";
import PQueue from "p-queue";
import { mutants, plant } from "./mutants.ts";

const { values } = parseArgs({
  options: {
    seed: { type: "string" },
    requests: { type: "boolean", default: false },
    /** How long people work, in virtual seconds; ten minutes by default. */
    seconds: { type: "string" },
    from: { type: "string", default: "1" },
    seeds: { type: "string" },
    shrink: { type: "string" },
    mutants: { type: "boolean", default: false },
    /** Number of processes; one per core by default. */
    jobs: { type: "string", default: String(availableParallelism()) },
    /** Number of the mutant to apply; the first seed that finds it ends the run. */
    mutant: { type: "string" },
  },
});
/** The last line of a run. */
const summary = /^(\d+) seeds, (\d+) acknowledged edits, (\d+) broken/m;
const planted =
  values.mutant === undefined ? undefined : mutants[numberIn("mutant", values.mutant)];
if (planted) plant(planted);
// A mutant must be applied before the file it changes is loaded.
const { simulate } = await import("./simulate.ts");

const from = numberIn("from", values.from);
const length = values.seconds === undefined ? {} : { seconds: numberIn("seconds", values.seconds) };
const jobs = numberIn("jobs", values.jobs);
if (values.mutants) await hunt(numberIn("seeds", values.seeds ?? "2000"));
else if (values.shrink !== undefined) await tell(numberIn("shrink", values.shrink));
else if (values.seed !== undefined) await play(numberIn("seed", values.seed));
else if (jobs > 1 && !planted) await share(numberIn("seeds", values.seeds ?? "100"));
else await playMany(numberIn("seeds", values.seeds ?? "100"));

async function play(seed: number): Promise<void> {
  const { requests } = values;
  const { trace, hash, faults } = await simulate(seed, { requests, ...length });
  console.log(trace.join("\n"));
  console.log(`hash ${hash}`);
  for (const fault of faults) console.log(`BROKEN ${fault}`);
  process.exitCode = faults.length > 0 ? 1 : 0;
}

/** Prints what people did and what went wrong, without the daemon's log. */
async function tell(seed: number): Promise<void> {
  const { shrink } = await import("./shrink.ts");
  const { steps, outcome } = await shrink(seed, (left) => console.error(`${left} steps are left`));
  console.log(
    outcome.trace.filter((line) => !/^ *[\d.]+ (?:log|warning|error):/.test(line)).join("\n"),
  );
  for (const fault of outcome.faults) console.log(`BROKEN ${fault}`);
  console.log(`
it("keeps its promises in seed ${seed}", async () => {
  const only = new Set([${steps.join(", ")}]);
  const { faults } = await simulate(${seed}, { only });
  expect(faults).toEqual([]);
});`);
}

async function playMany(seeds: number): Promise<void> {
  const begun = performance.now();
  let [edits, broken, played] = [0, 0, 0];
  for (let seed = from; seed < from + seeds && !(planted && broken > 0); seed += 1) {
    const outcome = await simulate(seed, length);
    played += 1;
    edits += outcome.edits;
    if (outcome.faults.length === 0) continue;
    broken += 1;
    console.log(`seed ${seed} is broken; see npm run simulate -- --seed ${seed}`);
    for (const fault of outcome.faults) console.log(`  ${fault}`);
  }
  console.log(summaryOf({ played, edits, broken, begun }));
  process.exitCode = broken > 0 ? 1 : 0;
}

/** Many seeds, divided among processes. */
async function share(seeds: number): Promise<void> {
  const begun = performance.now();
  const parts = Array.from({ length: jobs }, (_, at) => {
    const [first, end] = [at, at + 1].map((nth) => from + Math.floor((nth * seeds) / jobs));
    return { first: first ?? from, count: (end ?? from) - (first ?? from) };
  });
  const lengths = values.seconds === undefined ? [] : ["--seconds", values.seconds];
  const reports = await Promise.all(
    parts.map(async ({ first, count }) => {
      const range = ["--from", String(first), "--seeds", String(count), "--jobs", "1"];
      return run([...range, ...lengths], (line) => summary.test(line) || console.log(line));
    }),
  );
  const sums = reports.map(({ stdout }) => (summary.exec(stdout) ?? []).slice(1).map(Number));
  const [played = 0, edits = 0, broken = 0] = [0, 1, 2].map((at) =>
    sums.reduce((sum, one) => sum + (one[at] ?? 0), 0),
  );
  console.log(summaryOf({ played, edits, broken, begun }));
  process.exitCode = broken > 0 || reports.some(({ code }) => code !== 0) ? 1 : 0;
}

function summaryOf(done: Readonly<Record<"played" | "edits" | "broken" | "begun", number>>) {
  const perSecond = done.played / ((performance.now() - done.begun) / 1000);
  return `${done.played} seeds, ${done.edits} acknowledged edits, ${done.broken} broken, ${perSecond.toFixed(2)} seeds/s`;
}

/** Runs the simulator in a process of its own. */
function run(
  options: readonly string[],
  onLine: (line: string) => void = () => {},
): Promise<{ readonly stdout: string; readonly stderr: string; readonly code: number }> {
  const args = [...process.execArgv, import.meta.filename, ...options];
  const { promise, resolve } = Promise.withResolvers<Awaited<ReturnType<typeof run>>>();
  const child = execFile(
    process.execPath,
    args,
    { maxBuffer: 2 ** 28 },
    (error, stdout, stderr) => {
      const code = error === null ? 0 : typeof error.code === "number" ? error.code : 2;
      resolve({ stdout, stderr, code });
    },
  );
  if (child.stdout) createInterface({ input: child.stdout }).on("line", onLine);
  return promise;
}

/** Each mutant needs its own process, because modules are loaded once. */
async function hunt(seeds: number): Promise<void> {
  const queue = new PQueue({ concurrency: jobs });
  const hunts = mutants.map(({ name }, at) =>
    queue.add(async () => {
      const range = ["--from", String(from), "--seeds", String(seeds)];
      const { stdout, stderr, code } = await run(["--mutant", String(at), ...range]);
      const [, played] = summary.exec(stdout) ?? [];
      const [, how = ""] = /^ {2}(.*)$/m.exec(stdout) ?? [];
      const isFound = code === 1 && played !== undefined;
      if (!isFound) process.exitCode = 1;
      const ending = played === undefined ? stderr.trim() : `not found in ${played} seeds`;
      console.log(
        `${name}: ${isFound ? `found in seed ${from + Number(played) - 1}: ${how}` : ending}`,
      );
    }),
  );
  await Promise.all(hunts);
}

function numberIn(name: string, text: string): number {
  const number = Number(text);
  if (!Number.isInteger(number) || number < 0) {
    console.error(`--${name} must be a whole number, not ${text}`);
    process.exit(2);
  }
  return number;
}
