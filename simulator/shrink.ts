import { type Outcome, simulate } from "./simulate.ts";

/** A broken seed with the fewest steps that still violate a promise, as far as omitting steps can find. */
export interface Shrunk {
  readonly steps: readonly number[];
  readonly outcome: Outcome;
}

/**
 * Omits as many steps of a broken seed as possible: halves first, then smaller and smaller pieces, finally single steps.
 * `tried`: called with each smaller one. Throws if the seed is not broken. Source: Zeller, "Yesterday, my program worked"
 * (ddmin).
 */
export async function shrink(
  seed: number,
  tried: (steps: number) => void = () => undefined,
): Promise<Shrunk> {
  let outcome = await simulate(seed);
  if (outcome.faults.length === 0) throw new Error(`seed ${seed} is not broken`);
  let steps = Array.from({ length: outcome.steps }, (_, at) => at);
  for (
    let size = Math.ceil(steps.length / 2);
    size >= 1;
    size = size === 1 ? 0 : Math.ceil(size / 2)
  ) {
    for (let at = 0; at < steps.length; ) {
      const fewer = steps.toSpliced(at, size);
      const without = await simulate(seed, { only: new Set(fewer) });
      if (without.faults.length === 0) {
        at += size;
        continue;
      }
      [steps, outcome] = [fewer, without];
      tried(steps.length);
    }
  }
  return { steps, outcome };
}
