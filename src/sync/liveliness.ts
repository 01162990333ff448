import { oneAct } from "./scheduler/scheduler.ts";

/** The changes of one source in a time in which all of them are known; moments in seconds, the changes in order. */
export interface KnownChanges {
  readonly from: number;
  readonly at: number;
  readonly times: readonly number[];
}

/**
 * How lively a workspace was between two moments, compared with the average over all sources: 1 = as usual, less at night. For each
 * two hours, what all sources showed is divided by what they would have shown if each had kept its own average.
 */
export function livelinessOf(
  sources: Iterable<KnownChanges>,
): (from: number, to: number) => number {
  const seen = new Map<number, number>();
  const usual = new Map<number, number>();
  const add = (to: Map<number, number>, bin: number, more: number) =>
    to.set(bin, (to.get(bin) ?? 0) + more);
  for (const { from, at, times } of sources) {
    const acts = times.filter(
      (time, nth) => time > from && time - (times[nth - 1] ?? from) >= oneAct,
    );
    if (acts.length === 0) continue;
    for (const act of acts) add(seen, binOf(act), 1);
    for (const [bin, seconds] of binsIn(from, at)) {
      add(usual, bin, (acts.length * seconds) / (at - from));
    }
  }
  const inBin = (bin: number) =>
    ((seen.get(bin) ?? 0) + fewActs) / ((usual.get(bin) ?? 0) + fewActs);
  return (from, to) => {
    let sum = 0;
    for (const [bin, seconds] of binsIn(from, to)) sum += seconds * inBin(bin);
    return sum / (to - from);
  };
}

const binSeconds = 7200;
const binOf = (at: number): number => Math.floor(at / binSeconds);

/** The parts of a time that lie in each bin, in seconds. */
function* binsIn(from: number, to: number): Generator<readonly [number, number]> {
  for (let at = from; at < to; ) {
    const bin = binOf(at);
    const end = Math.min(to, (bin + 1) * binSeconds);
    yield [bin, end - at];
    at = end;
  }
}

/** Two hours with fewer changes than this say little. */
const fewActs = 3;
