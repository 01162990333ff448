/** Options of a population; rates are per second. */
export interface PopulationOptions {
  /** Number of hypotheses about a mean rate, and the ends of the logarithmic range they divide. */
  readonly hypotheses: number;
  readonly slowest: number;
  readonly fastest: number;
  /** Hypotheses about how often a source changes its behavior. */
  readonly speeds: readonly number[];
}

/** A population as plain data. */
export interface PopulationDump {
  readonly sessionPrior: ArrayLike<number>;
  readonly singlePrior: ArrayLike<number>;
  readonly scores: ArrayLike<number>;
  readonly sessionEnd: number;
  readonly pace: number;
  readonly gaps: number;
  readonly gapSeconds: number;
  readonly ends: number;
  /** Number of passes over all sources it was learned from. */
  readonly renewals: number;
}

const day = 86_400;

const populationDefaults: PopulationOptions = {
  hypotheses: 24,
  slowest: 1 / (50 * day),
  fastest: 0.08,
  speeds: [1 / (120 * day), 1 / (8 * day), 1 / (1.7 * day)],
};

/**
 * What the sources of a workspace have in common, learned from all of them: the distribution of mean rates, whether edits come
 * in sessions, the shape of a session, and how fast sources change their behavior. Each is relearned by EM: the prior becomes
 * the mean of the beliefs about the sources.
 */
export class Population {
  readonly rates: Float64Array;
  readonly speeds: readonly number[];
  readonly speedWeights: Float64Array;
  readonly sessionPrior: Float64Array;
  readonly singlePrior: Float64Array;
  /** Rate at which a running session ends, and edits per second inside one. */
  sessionEnd = 1 / 600;
  pace = 1 / 150;
  /** How often a source changes its behavior, and its mean rate afterwards. */
  hazard = 0;
  meanRate = 0;
  /** Buffers for one step of a belief, one number per rate: what it keeps of each state and moves to the other. */
  readonly steps: Readonly<
    Record<"stayQuiet" | "toInside" | "toQuiet" | "stayInside" | "alone", Float64Array>
  >;
  readonly #posterior: Float64Array;
  readonly #scores: Float64Array;
  readonly #sums: Float64Array;
  #folded = 0;
  #sessionSum = 0.1;
  #kindSum = 0.2;
  #gaps = 4;
  #gapSeconds = 600;
  #ends = 2;
  #renewals = 0;

  constructor(options: PopulationOptions = populationDefaults, kept?: PopulationDump) {
    const { hypotheses, slowest, fastest, speeds } = options;
    const ratio = (fastest / slowest) ** (1 / (hypotheses - 1));
    this.rates = Float64Array.from({ length: hypotheses }, (_, k) => slowest * ratio ** k);
    this.speeds = speeds;
    this.speedWeights = new Float64Array(speeds.length).fill(1 / speeds.length);
    this.sessionPrior = new Float64Array(hypotheses).fill(0.5 / hypotheses);
    this.singlePrior = new Float64Array(hypotheses).fill(0.5 / hypotheses);
    this.steps = {
      stayQuiet: new Float64Array(hypotheses),
      toInside: new Float64Array(hypotheses),
      toQuiet: new Float64Array(hypotheses),
      stayInside: new Float64Array(hypotheses),
      alone: new Float64Array(hypotheses),
    };
    this.#posterior = new Float64Array(hypotheses);
    this.#scores = new Float64Array(speeds.length);
    this.#sums = new Float64Array(hypotheses);
    if (kept?.sessionPrior.length === hypotheses && kept.scores.length === speeds.length) {
      this.sessionPrior.set(kept.sessionPrior);
      this.singlePrior.set(kept.singlePrior);
      this.#scores.set(kept.scores);
      this.sessionEnd = kept.sessionEnd;
      this.pace = kept.pace;
      this.#gaps = kept.gaps;
      this.#gapSeconds = kept.gapSeconds;
      this.#ends = kept.ends;
      this.#renewals = kept.renewals;
    }
    this.#weigh();
  }

  dump(): PopulationDump {
    return {
      sessionPrior: this.sessionPrior.slice(),
      singlePrior: this.singlePrior.slice(),
      scores: this.#scores.slice(),
      sessionEnd: this.sessionEnd,
      pace: this.pace,
      gaps: this.#gaps,
      gapSeconds: this.#gapSeconds,
      ends: this.#ends,
      renewals: this.#renewals,
    };
  }

  /** Adds the log-likelihood of what was seen under one forgetting rate. */
  score(speed: number, likelihood: number): void {
    this.#scores[speed] = (this.#scores[speed] ?? 0) + likelihood;
  }

  /** Adds the belief about one source to the next prior. */
  fold(odds: Float32Array, changes: number): void {
    const { rates, speedWeights, sessionPrior, singlePrior } = this;
    const size = rates.length;
    const posterior = this.#posterior;
    let total = 0;
    let sessions = 0;
    for (let k = 0; k < size; k += 1) {
      let inSessions = 0;
      let single = 0;
      for (let speed = 0, at = k; speed < speedWeights.length; speed += 1, at += 3 * size) {
        const weight = speedWeights[speed] ?? 0;
        if (weight < leastWeight) continue;
        inSessions += weight * ((odds[at] ?? 0) + (odds[at + size] ?? 0));
        single += weight * (odds[at + 2 * size] ?? 0);
      }
      inSessions *= sessionPrior[k] ?? 0;
      posterior[k] = inSessions + single * (singlePrior[k] ?? 0);
      sessions += inSessions;
      total += posterior[k] ?? 0;
    }
    if (!(total > 0)) return;
    for (let k = 0; k < size; k += 1) {
      this.#sums[k] = (this.#sums[k] ?? 0) + (posterior[k] ?? 0) / total;
    }
    this.#folded += 1;
    // A source that hardly changes cannot distinguish the kinds; in most workspaces all are of one kind.
    const weight = Math.min(1, changes / changesForKind);
    this.#sessionSum += (weight * sessions) / total;
    this.#kindSum += weight;
  }

  /** Ends a pass over all sources: what was folded becomes the prior. */
  renew(): void {
    const size = this.rates.length;
    const base = Math.min(mostBase, this.#folded / 10) / size;
    const next = this.#sums.map((sum, k, sums) => {
      const beside = (sums[k - 1] ?? sum) + (sums[k + 1] ?? sum);
      return blur * beside + (1 - 2 * blur) * sum + base;
    });
    const total = next.reduce((sum, value) => sum + value, 0);
    const share = this.#sessionSum / this.#kindSum;
    // In the first hours most sources are quiet; one that is considered slow because of that is polled too rarely to show
    // otherwise.
    const unsure = Math.exp(-this.#renewals / unsureRenewals);
    this.#renewals += 1;
    for (let k = 0; k < size; k += 1) {
      const prior = (1 - unsure) * ((next[k] ?? 0) / total) + unsure / size;
      this.sessionPrior[k] = share * prior;
      this.singlePrior[k] = (1 - share) * prior;
    }
    this.#sums.fill(0);
    this.#folded = 0;
    this.#sessionSum = 0.1;
    this.#kindSum = 0.2;
    this.#weigh();
  }

  /** The probability that an edit `gap` seconds after the previous one belongs to the same session. */
  sameSession({
    gap,
    rate,
    pace,
  }: {
    readonly gap: number;
    readonly rate: number;
    readonly pace: number;
  }): number {
    const end = this.sessionEnd;
    const start = (end * rate) / (pace - rate);
    const sum = start + end + pace;
    const root = Math.sqrt(sum * sum - 4 * start * pace);
    const slow = (root - sum) / 2;
    const fast = (-root - sum) / 2;
    const inside =
      ((start + slow) * Math.exp(slow * gap) - (start + fast) * Math.exp(fast * gap)) / root;
    return inside > 0 ? Math.min(1, Math.exp(-(end + pace) * gap) / inside) : 0;
  }

  /** Learns the pooled shape of sessions from the gap before an edit. */
  noteGap({
    gap,
    same,
    share,
  }: {
    readonly gap: number;
    readonly same: number;
    readonly share: number;
  }): void {
    this.#gaps += same * share;
    this.#gapSeconds += same * gap * share;
    this.#ends += (1 - same) * share;
    // Each session ends with an interval without edits.
    const inside = this.#gapSeconds + this.#ends / (this.pace + this.sessionEnd);
    this.sessionEnd = between(1 / 7200, this.#ends / inside, 0.02);
    this.pace = between(1 / 1800, this.#gaps / inside, 1);
  }

  #weigh(): void {
    const best = Math.max(...this.#scores);
    const weights = this.#scores.map((score) => Math.exp(score - best));
    const total = weights.reduce((sum, weight) => sum + weight, 0);
    for (const [speed, weight] of weights.entries()) {
      this.speedWeights[speed] = weight / total;
      this.#scores[speed] = ((this.#scores[speed] ?? 0) - best) * scoreKept;
    }
    this.hazard = this.speeds.reduce(
      (sum, speed, i) => sum + speed * (this.speedWeights[i] ?? 0),
      0,
    );
    this.meanRate = this.rates.reduce(
      (sum, rate, k) => sum + rate * ((this.sessionPrior[k] ?? 0) + (this.singlePrior[k] ?? 0)),
      0,
    );
  }
}

/** Forgetting rates with less weight are left out of sums. */
export const leastWeight = 0.005;

/** Fraction of the evidence for forgetting rates kept by each pass. */
const scoreKept = 0.995;

/** Number of changes after which a source counts fully toward its kind. */
const changesForKind = 4;

/** After this many passes, two hours at a quarter of an hour each, two thirds of the prior are learned. */
const unsureRenewals = 8;

/** Uninformative pseudo-sources keep every rate possible, and a little of each rate spreads to its neighbors. */
const mostBase = 3;
const blur = 0.03;

const between = (least: number, value: number, most: number): number =>
  Math.min(most, Math.max(least, value));
