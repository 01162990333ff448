// Plays simulated days and holds them against what Dayferry promises. A seed always gives the same events.
//   npm run simulate -- --seed 42              the events of one seed, and their hash
//   npm run simulate -- --seed 42 --requests   and every request that the service gets, with its answer
//   npm run simulate -- --from 1 --seeds 100   many seeds; exits with 1 where a promise was broken
import { parseArgs } from "node:util";
import { simulate } from "./simulate.ts";

const { values } = parseArgs({
  options: {
    seed: { type: "string" },
    requests: { type: "boolean", default: false },
    from: { type: "string", default: "1" },
    seeds: { type: "string", default: "100" },
  },
});
if (values.seed !== undefined) {
  const { trace, hash, faults } = await simulate(numberIn("seed", values.seed), {
    requests: values.requests,
  });
  console.log(trace.join("\n"));
  console.log(`hash ${hash}`);
  for (const fault of faults) console.log(`BROKEN ${fault}`);
  process.exitCode = faults.length > 0 ? 1 : 0;
} else {
  const from = numberIn("from", values.from);
  const seeds = numberIn("seeds", values.seeds);
  const begun = performance.now();
  let [edits, broken] = [0, 0];
  for (let seed = from; seed < from + seeds; seed += 1) {
    const outcome = await simulate(seed);
    edits += outcome.edits;
    if (outcome.faults.length === 0) continue;
    broken += 1;
    console.log(`seed ${seed} is broken; see npm run simulate -- --seed ${seed}`);
    for (const fault of outcome.faults) console.log(`  ${fault}`);
  }
  const seconds = (performance.now() - begun) / 1000;
  console.log(
    `${seeds} seeds, ${edits} acknowledged edits, ${broken} broken, ${(seeds / seconds).toFixed(2)} seeds/s`,
  );
  process.exitCode = broken > 0 ? 1 : 0;
}

function numberIn(name: string, text: string): number {
  const number = Number(text);
  if (!Number.isInteger(number) || number < 0) {
    console.error(`--${name} must be a whole number, not ${text}`);
    process.exit(2);
  }
  return number;
}
