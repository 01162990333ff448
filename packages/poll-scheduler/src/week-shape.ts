/** Days of a week, numbered since 1970; which of them is Monday makes no difference. */
const week = 7;

/** The stored shape of weeks, as plain data. */
export interface WeekShapeDump {
  readonly weekStarts: ArrayLike<number>;
  readonly weekSeconds: ArrayLike<number>;
}

/**
 * Learns which days of the week are days off from the number of sessions that start on each. Nothing is assumed: the first days
 * off teach it, in any country. Most sources keep the week, some are active every day; their own starts tell which. A silent
 * Sunday then says as little about a source as it should, and Monday finds it as Friday left it.
 */
export class WeekShape {
  /** Session starts of sources that keep the week, and observed seconds, by day. */
  readonly #starts = new Float64Array(week);
  readonly #seconds = new Float64Array(week);
  readonly #factors = new Float64Array(week).fill(1);
  /** Log-likelihood ratio of a start between keeping the week and not, by day. */
  readonly #logs = new Float64Array(week);

  constructor(kept?: WeekShapeDump) {
    if (kept?.weekStarts.length !== week || kept.weekSeconds.length !== week) return;
    this.#starts.set(kept.weekStarts);
    this.#seconds.set(kept.weekSeconds);
    this.#renew();
  }

  dump(): WeekShapeDump {
    return { weekStarts: this.#starts.slice(), weekSeconds: this.#seconds.slice() };
  }

  /** Activity on that day for a source with these starts by day; 1 is the average over the week. */
  activity(starts: Float32Array, day: number): number {
    const keeps = this.#keeps(starts);
    return keeps * (this.#factors[dayOfWeek(day)] ?? 1) + 1 - keeps;
  }

  /** Records the start of a session. */
  note(starts: Float32Array, day: number): void {
    const at = dayOfWeek(day);
    const count = sumOf(starts);
    const weight = Math.min(1, mostCounted / Math.max(1, count));
    this.#starts[at] = (this.#starts[at] ?? 0) + weight * this.#keeps(starts);
    starts[at] = (starts[at] ?? 0) + 1;
    if (count >= mostStarts) for (let d = 0; d < week; d += 1) starts[d] = (starts[d] ?? 0) / 2;
  }

  /** Ends some seconds of that day in which everything was observed. */
  watched(day: number, seconds: number): void {
    const at = dayOfWeek(day);
    this.#seconds[at] = (this.#seconds[at] ?? 0) + seconds;
    const kept = Math.exp(-seconds / memory);
    for (let d = 0; d < week; d += 1) {
      this.#starts[d] = (this.#starts[d] ?? 0) * kept;
      this.#seconds[d] = (this.#seconds[d] ?? 0) * kept;
    }
    this.#renew();
  }

  #renew(): void {
    const seconds = sumOf(this.#seconds);
    if (seconds === 0) return;
    const pace = sumOf(this.#starts) / seconds;
    const factors = this.#starts.map((starts, d) => {
      const usual = pace * (this.#seconds[d] ?? 0);
      return Math.max(leastFactor, (starts + priorStarts) / (usual + priorStarts));
    });
    const mean = sumOf(factors) / week;
    const watched = factors.reduce((sum, one, d) => sum + one * (this.#seconds[d] ?? 0), 0);
    for (const [d, factor] of factors.entries()) {
      this.#factors[d] = factor / mean;
      this.#logs[d] = Math.log((factor * seconds) / watched);
    }
  }

  /** Probability that a source keeps the week. */
  #keeps(starts: Float32Array): number {
    let log = Math.log(keepers / (1 - keepers));
    const temper = Math.min(1, independentStarts / Math.max(1, sumOf(starts)));
    for (let d = 0; d < week; d += 1) log += temper * (starts[d] ?? 0) * (this.#logs[d] ?? 0);
    return 1 / (1 + Math.exp(-log));
  }
}

const dayOfWeek = (day: number): number => ((day % week) + week) % week;

/** Prior share of sources that keep the week. */
const keepers = 0.9;

/** A day counts like any other until this many starts show otherwise; no day is ever considered fully idle. */
const priorStarts = 10;
const leastFactor = 0.03;

/** Limit of starts per source; also how many are remembered and count as independent. */
const mostCounted = 40;
const mostStarts = 400;
const independentStarts = 60;

/** Seconds after which a third remains of what a day has shown: people change their week now and then. */
const memory = 60 * 86_400;

function sumOf(values: Float32Array | Float64Array): number {
  let sum = 0;
  for (let i = 0; i < values.length; i += 1) sum += values[i] ?? 0;
  return sum;
}
