import { leastWeight, type Population } from "./population.ts";

/** Expected rate of change of a source until its next poll; rates are per second. */
export interface RateForecast {
  /** The rate that the expectation approaches. */
  readonly level: number;
  /** What the current state adds to it; negative just after a source was found quiet. */
  readonly excess: number;
  /** Decay rate of the excess. */
  readonly fade: number;
  /** Increase of the level per second, because the source may have changed its behavior meanwhile. */
  readonly growth: number;
  /** The long-run rate, without the time of day, and the probability that edits come in sessions. */
  readonly rate: number;
  readonly sessions: number;
}

/** What one poll has revealed; times in seconds. */
export interface Revealed {
  readonly from: number;
  readonly to: number;
  /** Times of the changes between the two, in order. */
  readonly times: ArrayLike<number>;
  /** Activity of the source at this time of day; 1 is average. */
  readonly activity: number;
}

/** What a poll revealed: starts of sessions, and the negative logarithm of the probability that nothing happened. */
interface Observed {
  readonly starts: readonly number[];
  /** 0 if something happened. */
  readonly surprise: number;
}

/** A belief as plain data. */
export interface BeliefDump {
  readonly odds: Float32Array;
  readonly gaps: number;
  readonly gapSeconds: number;
  readonly lastChange: number | null;
  readonly changes: number;
}

interface Stretch {
  readonly seconds: number;
  readonly isChange: boolean;
  readonly activity: number;
}

/** Number of pooled gaps that a source's own pace starts with, and how many of its own it remembers. */
const pooledGaps = 8;
const mostGaps = 400;

/** A longer gap is never inside a session. */
const longestGap = 4 * 3600;

/** Inside a session, edits are at least this much faster than on average. */
const leastContrast = 1.5;

/** Below this probability no hypothesis predicted the outcome; the belief is reset. */
const leastTotal = 1e-30;

/**
 * The belief about one source: the probability of each hypothesis as a multiple of the population's. A hypothesis is a mean
 * rate and a kind: edits come one by one (Poisson), or in sessions, a two-state process of quiet and session with edits only
 * inside sessions; for the latter the state is filtered as well. All of this is kept for each forgetting rate: at any time the
 * source may have changed its behavior, starting quiet.  A belief relative to the population stays valid when the population is
 * relearned.
 */
export class Belief {
  readonly #population: Population;
  /** For each forgetting rate: quiet, in a session, one by one; each over all rates. */
  readonly #odds: Float32Array;
  /** Gaps inside sessions, and their total seconds: the pace of this source. */
  #gaps = 0;
  #gapSeconds = 0;
  #lastChange = Number.NEGATIVE_INFINITY;
  /** Number of changes seen: how much the source contributes to the estimate of its kind. */
  #changes = 0;
  #isOld = false;

  constructor(population: Population, kept?: BeliefDump) {
    this.#population = population;
    const { rates, speeds } = population;
    const size = 3 * rates.length * speeds.length;
    if (kept?.odds.length === size) {
      this.#isOld = true;
      this.#odds = Float32Array.from(kept.odds);
      this.#gaps = kept.gaps;
      this.#gapSeconds = kept.gapSeconds;
      this.#lastChange = kept.lastChange ?? Number.NEGATIVE_INFINITY;
      this.#changes = kept.changes;
      return;
    }
    this.#odds = new Float32Array(size);
    for (let speed = 0; speed < speeds.length; speed += 1) this.#begin(speed);
  }

  dump(): BeliefDump {
    return {
      odds: this.#odds.slice(),
      gaps: this.#gaps,
      gapSeconds: this.#gapSeconds,
      lastChange: Number.isFinite(this.#lastChange) ? this.#lastChange : null,
      changes: this.#changes,
    };
  }

  /** Updates with what a poll has revealed. */
  observe({ from, to, times, activity }: Revealed): Observed {
    this.#isOld = true;
    let at = from;
    let likelihood = 1;
    for (let i = 0; i < times.length; i += 1) {
      const time = times[i] ?? at;
      this.#advance({ seconds: Math.max(0, time - at), isChange: true, activity });
      at = Math.max(at, time);
    }
    if (to > at) likelihood = this.#advance({ seconds: to - at, isChange: false, activity });
    if (times.length > 0) return { starts: this.#learnSessions(times), surprise: 0 };
    return { starts: [], surprise: -Math.log(likelihood) };
  }

  /** True if it has learned anything about its source. */
  get isOld(): boolean {
    return this.#isOld;
  }

  forecast(activity: number): RateForecast {
    const { rates, speedWeights, sessionPrior, singlePrior, sessionEnd, hazard, meanRate } =
      this.#population;
    const size = rates.length;
    const odds = this.#odds;
    const pace = this.#pace();
    let total = 0;
    let level = 0;
    let current = 0;
    let rate = 0;
    let sessions = 0;
    let fadeSum = 0;
    let fadeWeight = 0;
    for (let k = 0; k < size; k += 1) {
      let quiet = 0;
      let inside = 0;
      let single = 0;
      for (let speed = 0, at = k; speed < speedWeights.length; speed += 1, at += 3 * size) {
        const weight = speedWeights[speed] ?? 0;
        if (weight < leastWeight) continue;
        quiet += weight * (odds[at] ?? 0);
        inside += weight * (odds[at + size] ?? 0);
        single += weight * (odds[at + 2 * size] ?? 0);
      }
      const mean = rates[k] ?? 0;
      const prior = sessionPrior[k] ?? 0;
      const all = prior * (quiet + inside);
      const alone = (singlePrior[k] ?? 0) * single;
      const inPace = Math.max(pace, leastContrast * mean);
      const start = (activity * sessionEnd * mean) / (inPace - mean);
      const settled = (all * inPace * start) / (start + sessionEnd);
      const now = prior * inside * inPace;
      total += all + alone;
      rate += (all + alone) * mean;
      sessions += all;
      level += settled + alone * mean * activity;
      current += now + alone * mean * activity;
      const excess = Math.abs(now - settled);
      fadeSum += excess * (start + sessionEnd);
      fadeWeight += excess;
    }
    level /= total;
    return {
      level,
      excess: current / total - level,
      fade: fadeWeight > 0 ? fadeSum / fadeWeight : sessionEnd,
      growth: hazard * (meanRate * activity - level),
      rate: rate / total,
      sessions: sessions / total,
    };
  }

  /** Adds this source to what the population is learned from. */
  fold(): void {
    this.#population.fold(this.#odds, this.#changes);
  }

  /** One interval without a change, and the change that may end it; returns its probability. */
  #advance({ seconds, isChange, activity }: Stretch): number {
    const { rates, speeds, speedWeights, sessionPrior, singlePrior } = this.#population;
    const { stayQuiet, toInside, toQuiet, stayInside, alone } = this.#population.steps;
    const size = rates.length;
    const odds = this.#odds;
    this.#weighSteps({ seconds, isChange, activity });
    let likelihood = leastTotal;
    for (let speed = 0; speed < speeds.length; speed += 1) {
      const share = -Math.expm1(-(speeds[speed] ?? 0) * seconds);
      const kept = 1 - share;
      const first = 3 * size * speed;
      let before = leastTotal;
      let total = 0;
      for (let k = 0, at = first; k < size; k += 1, at += 1) {
        const quiet = (odds[at] ?? 0) * kept + share;
        const inside = (odds[at + size] ?? 0) * kept;
        const one = (odds[at + 2 * size] ?? 0) * kept + share;
        const newQuiet = (stayQuiet[k] ?? 0) * quiet + (toQuiet[k] ?? 0) * inside;
        const newInside = (toInside[k] ?? 0) * quiet + (stayInside[k] ?? 0) * inside;
        const single = one * (alone[k] ?? 0);
        odds[at] = newQuiet;
        odds[at + size] = newInside;
        odds[at + 2 * size] = single;
        before += (sessionPrior[k] ?? 0) * (quiet + inside) + (singlePrior[k] ?? 0) * one;
        total += (sessionPrior[k] ?? 0) * (newQuiet + newInside) + (singlePrior[k] ?? 0) * single;
      }
      // The odds do not sum to one after the population was relearned.
      likelihood += (total / before) * (speedWeights[speed] ?? 0);
      this.#population.score(speed, Math.log(Math.max(total, leastTotal)));
      if (total > leastTotal) {
        const scale = 1 / total;
        const end = first + 3 * size;
        for (let at = first; at < end; at += 1) odds[at] = (odds[at] ?? 0) * scale;
      } else {
        this.#begin(speed);
      }
    }
    return likelihood;
  }

  /** Probability of such an interval under each hypothesis, by the state at its two ends; the same for all forgetting rates. */
  #weighSteps({ seconds, isChange, activity }: Stretch): void {
    const { rates, sessionEnd, steps } = this.#population;
    const { stayQuiet, toInside, toQuiet, stayInside, alone } = steps;
    const pace = this.#pace();
    for (let k = 0; k < rates.length; k += 1) {
      const mean = rates[k] ?? 0;
      const inPace = Math.max(pace, leastContrast * mean);
      const start = (activity * sessionEnd * mean) / (inPace - mean);
      // Without an edit, (quiet, session) follows the matrix [[-start, end], [start, -(end + pace)]].
      const sum = start + sessionEnd + inPace;
      const root = Math.sqrt(sum * sum - 4 * start * inPace);
      const slow = (-2 * start * inPace) / (root + sum);
      const fast = (-root - sum) / 2;
      const eSlow = exponential(slow * seconds);
      const eFast = exponential(fast * seconds);
      const mix = (eSlow - eFast) / root;
      const none = exponential(-mean * activity * seconds);
      // A change shows that a session is running; it is relative to the pace, so that the odds stay near one.
      const contrast = inPace / pace;
      stayQuiet[k] = isChange ? 0 : eFast - (start + fast) * mix;
      toQuiet[k] = isChange ? 0 : sessionEnd * mix;
      toInside[k] = (isChange ? contrast : 1) * start * mix;
      stayInside[k] = (isChange ? contrast : 1) * (eFast + (start + slow) * mix);
      alone[k] = isChange ? (none * mean * activity) / pace : none;
    }
  }

  /** An unknown source is assumed to be like the population, and quiet. */
  #begin(speed: number): void {
    const size = this.#population.rates.length;
    const first = 3 * size * speed;
    this.#odds.fill(1, first, first + 3 * size);
    this.#odds.fill(0, first + size, first + 2 * size);
  }

  #learnSessions(times: ArrayLike<number>): readonly number[] {
    const { rate, sessions } = this.forecast(1);
    const starts: number[] = [];
    for (let i = 0; i < times.length; i += 1) {
      const time = times[i] ?? 0;
      const gap = Math.min(longestGap, time - this.#lastChange);
      this.#lastChange = time;
      this.#changes += 1;
      const pace = Math.max(this.#pace(), leastContrast * rate);
      const same = gap < longestGap ? this.#population.sameSession({ gap, rate, pace }) : 0;
      if (same < 0.5) starts.push(time);
      this.#gaps += same * sessions;
      this.#gapSeconds += same * sessions * gap;
      if (this.#gaps > mostGaps) {
        this.#gaps /= 2;
        this.#gapSeconds /= 2;
      }
      this.#population.noteGap({ gap, same, share: sessions / (1 + this.#gaps / 60) });
    }
    return starts;
  }

  /** Edits per second inside a session: the population's, until this source has shown its own. */
  #pace(): number {
    const { pace, sessionEnd } = this.#population;
    const own = (this.#gaps + pooledGaps) / (this.#gapSeconds + pooledGaps / (pace + sessionEnd));
    return Math.max(1e-4, own - sessionEnd);
  }
}

/** The exponential of a nonpositive number; small ones, which are most, use the series because it is faster. */
function exponential(x: number): number {
  if (x < -0.03) return Math.exp(x);
  return 1 + x * (1 + x * (1 / 2 + x * (1 / 6 + x / 24)));
}
