import { WeekShape, type WeekShapeDump } from "./week-shape.ts";

/** When one source is edited: session starts by hour (UTC) and day of the week, and the belief from that. */
export interface Clock {
  readonly starts: Float32Array;
  /** Probability that its days are shifted by this many hours; all 0 to follow the majority. */
  readonly shifts: Float32Array;
  readonly days: Float32Array;
}

/** One source in a pass over all: its clock, and the group name it shares with sources edited by the same people. */
interface Folded {
  readonly clock: Clock;
  readonly group: string | null;
}

const hours = 24;
const hour = 3600;

export const newClock = (): Clock => ({
  starts: new Float32Array(hours),
  shifts: new Float32Array(hours),
  days: new Float32Array(7),
});

/**
 * The shape of a working day, shared by all sources, and by how many hours each source is shifted: people of a workspace keep
 * similar days in several time zones. If little is known of a source, it is assumed to be shifted like others of its group, as
 * far as groups have predicted their sources' hours, and otherwise like the majority. Both are learned by EM from session
 * starts, one source at a time (`fold`), and the shape is updated after a pass over all (`renew`). It is used as far as it has
 * predicted starts better than a flat day, so that it has no effect where nobody keeps hours.
 */
export class DayShape {
  #shape = new Float64Array(hours).fill(1);
  #shifts = new Float64Array(hours).fill(elsewhere / (hours - 1));
  #logs = new Float64Array(hours);
  #shapeSums = new Float64Array(hours);
  #shiftSums = new Float64Array(hours);
  /** Shifts of each group's sources from the last pass, and from the current one. */
  #groups = new Map<string, Float64Array>();
  #nextGroups = new Map<string, Float64Array>();
  /** How much better groups predicted their sources' hours than the majority did, as a logarithm. */
  #groupLead = 0;
  #groupTrust = 0;
  readonly #week: WeekShape;
  /** The hour when work begins for the majority; may drift beyond a day. */
  #begin = usualBegin;
  #renewedAt: number | null = null;
  #passes = 0;
  #since: number | null = null;
  /** How much better the shape predicted starts than a flat day, as a logarithm. */
  #lead = 0;
  #trust = 0;

  constructor(kept?: DayShapeDump) {
    this.#week = new WeekShape(kept);
    this.#shifts[0] = 1 - elsewhere;
    if (!kept) return;
    this.#begin = kept.begin;
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
      ...this.#week.dump(),
      begin: this.#begin,
      shape: this.#shape.slice(),
      shifts: this.#shifts.slice(),
      passes: this.#passes,
      since: this.#since,
      lead: this.#lead,
      trust: this.#trust,
    };
  }

  /** Activity of a source at this time; 1 is the average over its week. */
  activity(clock: Clock, at: number): number {
    const today = this.#week.activity(clock.days, this.#dayOf(at));
    if (this.#trust < leastTrust) return Math.max(leastActivity, today);
    const middle = (at / hour + hours - 0.5) % hours;
    const before = Math.floor(middle);
    const part = middle - before;
    const lively =
      this.#lively(clock, before) * (1 - part) + this.#lively(clock, (before + 1) % hours) * part;
    return Math.max(leastActivity, today * (1 + this.#trust * (lively - 1)));
  }

  /** Records the start of a session. */
  note(clock: Clock, at: number): void {
    const { starts } = clock;
    const now = Math.floor(at / hour) % hours;
    this.#week.note(clock.days, this.#dayOf(at));
    if (this.#passes > 0) this.#lead += Math.log(Math.max(leastActivity, this.#lively(clock, now)));
    starts[now] = (starts[now] ?? 0) + 1;
    if (sumOf(starts) > mostStarts)
      for (let h = 0; h < hours; h += 1) starts[h] = (starts[h] ?? 0) / 2;
  }

  /** Adds a source to the next shape, and updates its shift. */
  fold({ clock, group }: Folded): void {
    const { starts, shifts } = clock;
    const count = sumOf(starts);
    if (this.#passes === 0) {
      for (let h = 0; h < hours; h += 1) this.#add(this.#shapeSums, h, starts[h] ?? 0);
      return;
    }
    const foldWeight = Math.min(1, count / 3);
    shifts.set(
      this.#shiftsOf(clock, { count, others: this.#others({ clock, group }, foldWeight) }),
    );
    const weight = Math.min(1, mostCounted / Math.max(1, count));
    const ofGroup =
      group === null ? null : (this.#nextGroups.get(group) ?? new Float64Array(hours));
    if (group !== null && ofGroup) this.#nextGroups.set(group, ofGroup);
    for (let shift = 0; shift < hours; shift += 1) {
      const share = shifts[shift] ?? 0;
      if (share < 1e-4) continue;
      this.#add(this.#shiftSums, shift, foldWeight * share);
      if (ofGroup) this.#add(ofGroup, shift, foldWeight * share);
      for (let h = 0; h < hours; h += 1) {
        this.#add(this.#shapeSums, (h + hours - shift) % hours, share * weight * (starts[h] ?? 0));
      }
    }
  }

  /** Ends a pass over all sources. The first shape needs a whole day. */
  renew(now: number): void {
    this.#since ??= now;
    const seconds = now - (this.#renewedAt ?? now);
    this.#renewedAt = now;
    // After a longer pause, the first polls find everything missed as starts at that time.
    if (seconds > 0) this.#week.watched(this.#dayOf(now), seconds);
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
    this.#begin += shortWay(begin - this.#begin);
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
    this.#groups = this.#nextGroups;
    this.#nextGroups = new Map();
    this.#groupTrust = 1 / (1 + Math.exp(doubt - this.#groupLead));
    this.#groupLead = 0;
    this.#passes += 1;
    this.#lead *= leadKept;
    this.#trust = 1 / (1 + Math.exp(doubt - this.#lead));
  }

  /** Activity of a source at an hour, if the shape were certain. */
  #lively({ shifts }: Clock, h: number): number {
    const isKnown = shifts.some((share) => share > 0);
    let lively = 0;
    for (let shift = 0; shift < hours; shift += 1) {
      const share = (isKnown ? shifts[shift] : this.#shifts[shift]) ?? 0;
      lively += share * (this.#shape[(h + hours - shift) % hours] ?? 1);
    }
    return lively;
  }

  /**
   * Number of the day since 1970 that begins in the majority's night, so that a workday some hours away is within it as well.
   */
  #dayOf(at: number): number {
    return Math.floor((at / hour - this.#begin + nightToBegin) / hours);
  }

  /** Shifts of the others in its group, from the last pass. */
  #others({ clock, group }: Folded, foldWeight: number): Float64Array | null {
    const sums = group === null ? undefined : this.#groups.get(group);
    if (!sums) return null;
    return sums.map((sum, shift) => Math.max(0, sum - foldWeight * (clock.shifts[shift] ?? 0)));
  }

  #shiftsOf(
    { starts }: Clock,
    { count, others }: { readonly count: number; readonly others: Float64Array | null },
  ): Float64Array {
    const known = others ? sumOf(others) : 0;
    const logs = new Float64Array(hours);
    // Starts on many days are less independent than the formula assumes.
    const temper = Math.min(1, independentStarts / Math.max(1, count));
    for (let h = 0; h < hours; h += 1) {
      const here = temper * (starts[h] ?? 0);
      if (here === 0) continue;
      for (let shift = 0; shift < hours; shift += 1) {
        this.#add(logs, shift, here * (this.#logs[(h + hours - shift) % hours] ?? 0));
      }
    }
    const best = Math.max(...logs);
    const alone = logs.map((value, shift) => Math.exp(value - best) * (this.#shifts[shift] ?? 0));
    if (!others || known === 0) return scaled(alone);
    const near = logs.map((value, shift) => {
      const share = (this.#shifts[shift] ?? 0) * groupWeight + (others[shift] ?? 0);
      return (Math.exp(value - best) * share) / (groupWeight + known);
    });
    this.#groupLead += Math.log(sumOf(near) / sumOf(alone));
    const trust = this.#groupTrust;
    return scaled(near.map((odds, shift) => trust * odds + (1 - trust) * (alone[shift] ?? 0)));
  }

  #add(sums: Float64Array, at: number, value: number): void {
    sums[at] = (sums[at] ?? 0) + value;
  }
}

/** The stored shape of days, as plain data. */
export interface DayShapeDump extends WeekShapeDump {
  readonly begin: number;
  readonly shape: ArrayLike<number>;
  readonly shifts: ArrayLike<number>;
  readonly passes: number;
  readonly since: number | null;
  readonly lead: number;
  readonly trust: number;
}

/** Prior share of sources outside the majority's time zone, and its weight. */
const elsewhere = 0.35;
const shiftVoice = 4;

/** All others of its group together count as at most this many sources. */
const groupWeight = 2;

/** Work begins this many hours after the middle of the night, and at this hour (UTC) by default. */
const nightToBegin = 7;
const usualBegin = 7;

const firstAfter = 20 * hour;

/**
 * The prior for a day by hour, from the first hour of work: eight or nine hours that fade in and out, and a little at other
 * times. It counts as this many starts.
 */
const usualStarts = 40;
const usualDay = relativeToMean([
  1.2, 2, 2.2, 2.2, 2.2, 2.2, 2.2, 2.2, 2, 1.4, 0.8, 0.4, 0.3, 0.2, 0.2, 0.2, 0.2, 0.2, 0.2, 0.2,
  0.2, 0.2, 0.3, 0.6,
]);

/** Limit of starts per source in the shape; also how many are remembered and count as independent. */
const mostCounted = 40;
const mostStarts = 400;
const independentStarts = 60;

/** Fraction of the lead kept by each pass, and the lead at which the shape counts by half, as a logarithm. */
const leadKept = 0.9975;
const doubt = 1;
const leastTrust = 0.01;
const leastActivity = 0.05;

/** The hour at which a usual day would have to begin to predict these starts best. */
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

/** The same difference of hours, the short way around the clock. */
const shortWay = (difference: number): number => {
  const rest = ((difference % hours) + hours) % hours;
  return rest > hours / 2 ? rest - hours : rest;
};

function relativeToMean(values: readonly number[]): readonly number[] {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  return values.map((value) => value / mean);
}

const scaled = (values: Float64Array): Float64Array => {
  const total = sumOf(values);
  return values.map((value) => value / total);
};

function sumOf(values: Float32Array | Float64Array): number {
  let sum = 0;
  for (let i = 0; i < values.length; i += 1) sum += values[i] ?? 0;
  return sum;
}
