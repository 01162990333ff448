// What the polls of a policy leave unseen, by expectation instead of by chance: which changes happen to fall before and
// which after a poll moves the mean delay of a run by a tenth, and hides what two policies differ in. The expectation comes
// from the exact filter that knows all parameters of the simulator's world; in sum it is the delay that was measured.

/** What is used of a world of pollsim; moments and lengths in seconds, rates per second. */
export interface ExpectedWorld {
  readonly sc: { readonly burst: boolean };
  readonly w: Float64Array;
  readonly rate0: Float64Array;
  /** For each source its curve of the day, of which each lasts `step`; null = none. */
  readonly phase: readonly number[];
  readonly g: readonly (Float64Array | null)[];
  /** When two sources take each other's rate. */
  readonly swaps: readonly (readonly [number, number, number])[];
  /** How fast a session ends, and edits per second inside one. */
  readonly mu: number;
  burstRate(rate: number): number;
}

const step = 300;
const day = 86_400;

/** A poll of a source, by its place in the world; in seconds of the world. */
export interface Poll {
  readonly source: number;
  readonly at: number;
}

/**
 * (Weight of a change) x (seconds unseen) that is to be expected of polls, which come in their order. `since`: the second of the
 * world from which on changes count at all.
 */
export function expectedDelay(
  world: ExpectedWorld & { readonly events: readonly Float64Array[] },
  {
    polls,
    warm,
    since = 0,
  }: { readonly polls: Iterable<Poll>; readonly warm: number; readonly since?: number },
): number {
  const delay = new ExpectedDelay(world, { warm, since });
  const seen = new Uint32Array(world.events.length);
  for (const { source, at } of polls) {
    const times = world.events[source] ?? new Float64Array();
    const from = seen[source] ?? 0;
    let to = from;
    while ((times[to] ?? Number.POSITIVE_INFINITY) <= at) to += 1;
    seen[source] = to;
    delay.see(source, at, times.subarray(from, to));
  }
  return delay.sum;
}

/** Adds up (weight of a change) x (seconds unseen) that is to be expected of each poll's wait, from `warm` on. */
export class ExpectedDelay {
  readonly #world: ExpectedWorld;
  readonly #warm: number;
  readonly #rates: Float64Array;
  readonly #polledAt: Float64Array;
  /** How likely a session ran at the last poll. */
  readonly #running: Float64Array;
  #swapped = 0;
  sum = 0;

  constructor(
    world: ExpectedWorld,
    { warm, since }: { readonly warm: number; readonly since: number },
  ) {
    this.#world = world;
    this.#warm = warm;
    this.#rates = Float64Array.from(world.rate0);
    this.#polledAt = new Float64Array(world.rate0.length).fill(since);
    this.#running = new Float64Array(world.rate0.length);
  }

  see(source: number, to: number, times: ArrayLike<number>): void {
    const { sc, w, mu } = this.#world;
    this.#swap(to);
    const from = this.#polledAt[source] ?? 0;
    const rate = this.#rates[source] ?? 0;
    this.#polledAt[source] = to;
    if (to <= from) return;
    const inside = sc.burst ? this.#world.burstRate(rate) : rate;
    const start = sc.burst ? (mu * rate) / (inside - rate) : 0;
    let running = this.#running[source] ?? 0;
    let unseen = 0;
    for (const { at, seconds, activity } of this.#pieces(source, from, to)) {
      const left = to - at;
      const whole = left * seconds - (seconds * seconds) / 2;
      if (!sc.burst) {
        unseen += rate * activity * whole;
        continue;
      }
      // The chance of a session goes to `settled` at the speed `fade`.
      const fade = activity * start + mu;
      const settled = (activity * start) / fade;
      const x = fade * seconds;
      const faded = Math.exp(-x);
      const first = -Math.expm1(-x) / fade;
      const second = x < 1e-3 ? (seconds * seconds) / 2 : (1 - faded * (1 + x)) / (fade * fade);
      unseen += inside * (settled * whole + (running - settled) * (left * first - second));
      running = settled + (running - settled) * faded;
    }
    if (to > this.#warm) this.sum += (w[source] ?? 0) * unseen;
    if (sc.burst)
      this.#running[source] = this.#filtered(source, { from, to, times, inside, start });
  }

  /** How likely a session runs at a poll, after what it has shown. */
  #filtered(
    source: number,
    {
      from,
      to,
      times,
      inside,
      start,
    }: Readonly<Record<"from" | "to" | "inside" | "start", number>> & {
      readonly times: ArrayLike<number>;
    },
  ): number {
    const { mu } = this.#world;
    const last = times[times.length - 1];
    let running = last === undefined ? (this.#running[source] ?? 0) : 1;
    for (const { seconds, activity } of this.#pieces(source, last ?? from, to)) {
      // Without an edit, (quiet, running) follows the matrix [[-begin, mu], [begin, -(mu + inside)]].
      const begin = activity * start;
      const sum = begin + mu + inside;
      const root = Math.sqrt(sum * sum - 4 * begin * inside);
      const [slow, fast] = [(root - sum) / 2, (-root - sum) / 2];
      const faded = Math.exp((fast - slow) * seconds);
      const quiet = 1 - running;
      const toQuiet = mu * running - begin * quiet;
      const toRunning = begin * quiet - (mu + inside) * running;
      const newQuiet = toQuiet - fast * quiet - (toQuiet - slow * quiet) * faded;
      const newRunning = toRunning - fast * running - (toRunning - slow * running) * faded;
      running = Math.min(1, Math.max(0, newRunning / (newRunning + newQuiet)));
    }
    return running;
  }

  /** A stretch of time in pieces in which the day stays the same. */
  *#pieces(source: number, from: number, to: number) {
    const curve = this.#world.g[this.#world.phase[source] ?? 0] ?? null;
    for (let at = from; at < to; ) {
      const piece = Math.floor(at / step + 1e-9);
      const end = curve ? Math.min(to, (piece + 1) * step) : to;
      yield { at, seconds: end - at, activity: curve?.[piece % (day / step)] ?? 1 };
      at = end;
    }
  }

  #swap(now: number): void {
    const { swaps } = this.#world;
    for (let swap = swaps[this.#swapped]; swap && swap[0] <= now; swap = swaps[this.#swapped]) {
      const [, one, other] = swap;
      const rate = this.#rates[one] ?? 0;
      this.#rates[one] = this.#rates[other] ?? 0;
      this.#rates[other] = rate;
      this.#swapped += 1;
    }
  }
}
