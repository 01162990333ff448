/** Changes of one source in a period in which all of them are known; moments in seconds, in order. */
export interface KnownChanges {
  readonly from: number;
  readonly at: number;
  readonly times: readonly number[];
}

/**
 * How active a workspace was between two moments: 1 = as usual, less at night. Time is divided into two-hour bins. A bin's
 * activity is its number of changes, divided by the number expected if every source changed at a constant rate.
 */
export function livelinessOf(
  sources: Iterable<KnownChanges>,
): (from: number, to: number) => number {
  const seen = new Map<number, number>();
  const usual = new Map<number, number>();
  const add = (to: Map<number, number>, bin: number, more: number) =>
    to.set(bin, (to.get(bin) ?? 0) + more);
  for (const { from, at, times } of sources) {
    const known = times.filter((time) => time > from);
    if (known.length === 0) continue;
    for (const time of known) add(seen, binOf(time), 1);
    for (const [bin, seconds] of binsIn(from, at)) {
      add(usual, bin, (known.length * seconds) / (at - from));
    }
  }
  const inBin = (bin: number) =>
    ((seen.get(bin) ?? 0) + fewChanges) / ((usual.get(bin) ?? 0) + fewChanges);
  return (from, to) => {
    let sum = 0;
    for (const [bin, seconds] of binsIn(from, to)) sum += seconds * inBin(bin);
    return sum / (to - from);
  };
}

const binSeconds = 7200;
const binOf = (at: number): number => Math.floor(at / binSeconds);

/** The parts of a period in each bin, in seconds. */
function* binsIn(from: number, to: number): Generator<readonly [number, number]> {
  for (let at = from; at < to; ) {
    const bin = binOf(at);
    const end = Math.min(to, (bin + 1) * binSeconds);
    yield [bin, end - at];
    at = end;
  }
}

/** Two hours with fewer changes prove little. */
const fewChanges = 3;
