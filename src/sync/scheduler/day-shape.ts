/** When in the day one source is edited: starts of sessions by hour (UTC), and what is believed of its days from that. */
export interface Clock {
  readonly starts: Float32Array;
  readonly profile: Float32Array;
}

const hours = 24;
const hour = 3600;

export const newClock = (): Clock => ({
  starts: new Float32Array(hours),
  profile: new Float32Array(hours).fill(1),
});

/**
 * The shape of a working day, one for all sources, and by how many hours each source is shifted against it: people of a
 * workspace keep like days in several time zones. Both are learned by EM from the starts of sessions, a source at a time
 * (`fold`), and the shape is renewed after a pass over all (`renew`). It counts as far as it has foretold starts better
 * than days without a shape would have, so that it stays out of the way where nobody keeps hours.
 */
export class DayShape {
  #shape = new Float64Array(hours).fill(1);
  #shifts = new Float64Array(hours).fill(elsewhere / (hours - 1));
  #logs = new Float64Array(hours);
  #shapeSums = new Float64Array(hours);
  #shiftSums = new Float64Array(hours);
  #passes = 0;
  #since: number | null = null;
  /** By how much the shape has foretold starts better than a flat day, as a logarithm. */
  #lead = 0;
  #trust = 0;

  constructor(kept?: DayShapeDump) {
    this.#shifts[0] = 1 - elsewhere;
    if (!kept) return;
    this.#shape = Float64Array.from(kept.shape);
    this.#logs = this.#shape.map(Math.log);
    this.#shifts = Float64Array.from(kept.shifts);
    this.#passes = kept.passes;
    this.#since = kept.since;
    this.#lead = kept.lead;
    this.#trust = kept.trust;
  }

  dump(): DayShapeDump {
    return {
      shape: this.#shape.slice(),
      shifts: this.#shifts.slice(),
      passes: this.#passes,
      since: this.#since,
      lead: this.#lead,
      trust: this.#trust,
    };
  }

  /** How lively the moment is for a source; 1 = as on average over its day. */
  activity({ profile }: Clock, at: number): number {
    if (this.#trust < leastTrust) return 1;
    const middle = (at / hour + hours - 0.5) % hours;
    const before = Math.floor(middle);
    const part = middle - before;
    const lively =
      (profile[before] ?? 1) * (1 - part) + (profile[(before + 1) % hours] ?? 1) * part;
    return Math.max(leastActivity, 1 + this.#trust * (lively - 1));
  }

  /** Takes in the start of a session. */
  note({ starts, profile }: Clock, at: number): void {
    const now = Math.floor(at / hour) % hours;
    if (this.#passes > 0) this.#lead += Math.log(Math.max(leastActivity, profile[now] ?? 1));
    starts[now] = (starts[now] ?? 0) + 1;
    if (sumOf(starts) > mostStarts)
      for (let h = 0; h < hours; h += 1) starts[h] = (starts[h] ?? 0) / 2;
  }

  /** Adds a source to the next shape, and brings its profile up to date. */
  fold({ starts, profile }: Clock): void {
    const count = sumOf(starts);
    if (this.#passes === 0) {
      for (let h = 0; h < hours; h += 1) this.#add(this.#shapeSums, h, starts[h] ?? 0);
      return;
    }
    const shifts = this.#shiftsOf(starts, count);
    const weight = Math.min(1, fullVoice / Math.max(1, count));
    const voice = Math.min(1, count / 3);
    profile.fill(0);
    for (let shift = 0; shift < hours; shift += 1) {
      const share = shifts[shift] ?? 0;
      if (share < 1e-4) continue;
      this.#add(this.#shiftSums, shift, voice * share);
      for (let h = 0; h < hours; h += 1) {
        const at = (h + hours - shift) % hours;
        profile[h] = (profile[h] ?? 0) + share * (this.#shape[at] ?? 1);
        this.#add(this.#shapeSums, at, share * weight * (starts[h] ?? 0));
      }
    }
  }

  /** Ends a pass over all sources. The first shape needs a whole day. */
  renew(now: number): void {
    this.#since ??= now;
    if (now - this.#since < firstAfter) {
      this.#shapeSums.fill(0);
      return;
    }
    const sums = this.#shapeSums;
    const total = sumOf(sums);
    const smooth = sums.map((sum, h) => {
      const beside = (sums[(h + hours - 1) % hours] ?? 0) + (sums[(h + 1) % hours] ?? 0);
      return 0.2 * beside + 0.6 * sum;
    });
    const begin = likeliestBegin(smooth);
    for (let h = 0; h < hours; h += 1) {
      const usual = usualDay[(h + hours - begin) % hours] ?? 1;
      this.#shape[h] = (hours * (smooth[h] ?? 0) + usualStarts * usual) / (total + usualStarts);
    }
    this.#logs = this.#shape.map(Math.log);
    if (this.#passes > 0) {
      const all = sumOf(this.#shiftSums) + shiftVoice;
      for (let shift = 0; shift < hours; shift += 1) {
        const prior = shiftVoice * (shift === 0 ? 1 - elsewhere : elsewhere / (hours - 1));
        this.#shifts[shift] = ((this.#shiftSums[shift] ?? 0) + prior) / all;
      }
    }
    sums.fill(0);
    this.#shiftSums.fill(0);
    this.#passes += 1;
    this.#lead *= leadKept;
    this.#trust = 1 / (1 + Math.exp(doubt - this.#lead));
  }

  #shiftsOf(starts: Float32Array, count: number): Float64Array {
    const logs = this.#shifts.map(Math.log);
    // Starts of many days are not as independent as the formula takes them.
    const temper = Math.min(1, independentStarts / Math.max(1, count));
    for (let h = 0; h < hours; h += 1) {
      const here = temper * (starts[h] ?? 0);
      if (here === 0) continue;
      for (let shift = 0; shift < hours; shift += 1) {
        this.#add(logs, shift, here * (this.#logs[(h + hours - shift) % hours] ?? 0));
      }
    }
    const best = Math.max(...logs);
    const odds = logs.map((value) => Math.exp(value - best));
    const total = sumOf(odds);
    return odds.map((value) => value / total);
  }

  #add(sums: Float64Array, at: number, value: number): void {
    sums[at] = (sums[at] ?? 0) + value;
  }
}

/** What is kept of the shape of days, as plain data. */
export interface DayShapeDump {
  readonly shape: ArrayLike<number>;
  readonly shifts: ArrayLike<number>;
  readonly passes: number;
  readonly since: number | null;
  readonly lead: number;
  readonly trust: number;
}

/** Share of sources that are not in the time zone of most, before anything is known; and the weight of that. */
const elsewhere = 0.35;
const shiftVoice = 4;

const firstAfter = 20 * hour;

/**
 * What is taken for a day until it has shown itself, hour by hour from the first of work on: eight or nine hours of work
 * that fade in and out, and a little at other times. As many starts on such a day are mixed into the shape.
 */
const usualStarts = 40;
const usualDay = relativeToMean([
  1.2, 2, 2.2, 2.2, 2.2, 2.2, 2.2, 2.2, 2, 1.4, 0.8, 0.4, 0.3, 0.2, 0.2, 0.2, 0.2, 0.2, 0.2, 0.2,
  0.2, 0.2, 0.3, 0.6,
]);

/** No source speaks for more starts than this in the shape; so many are remembered, and count as independent. */
const fullVoice = 40;
const mostStarts = 400;
const independentStarts = 60;

/** How much of the lead each pass keeps, and what it has to be until the shape counts by half, as a logarithm. */
const leadKept = 0.9975;
const doubt = 1;
const leastTrust = 0.01;
const leastActivity = 0.05;

/** The hour of the day at which a usual day would have to begin to foretell these starts best. */
function likeliestBegin(starts: Float64Array): number {
  let begin = 0;
  let best = Number.NEGATIVE_INFINITY;
  for (let first = 0; first < hours; first += 1) {
    let log = 0;
    for (let h = 0; h < hours; h += 1) {
      log += (starts[h] ?? 0) * Math.log(usualDay[(h + hours - first) % hours] ?? 1);
    }
    if (log > best) {
      best = log;
      begin = first;
    }
  }
  return begin;
}

function relativeToMean(values: readonly number[]): readonly number[] {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  return values.map((value) => value / mean);
}

function sumOf(values: Float32Array | Float64Array): number {
  let sum = 0;
  for (let i = 0; i < values.length; i += 1) sum += values[i] ?? 0;
  return sum;
}
