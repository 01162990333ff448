/**
 * How much of the quota this process uses while other tools share the account: a 429 cuts it (multiplicative decrease, at most
 * once per window), and each window without one adds a request.
 */
export class Share {
  readonly #quota: number;
  readonly #windowMs: number;
  #value: number;
  #shrunkMs = Number.NEGATIVE_INFINITY;
  #quietSinceMs = Number.NEGATIVE_INFINITY;

  /** `before`: the share of an earlier process, and since when no 429 has come. */
  constructor(
    { quota, windowMs }: { readonly quota: number; readonly windowMs: number },
    before: { readonly share: number; readonly quietSinceMs: number } | null,
  ) {
    this.#quota = quota;
    this.#windowMs = windowMs;
    this.#value = Math.min(quota, Math.max(1, before?.share ?? quota));
    if (!before) return;
    this.#quietSinceMs = before.quietSinceMs;
    this.#shrunkMs = before.quietSinceMs;
  }

  current(nowMs: number): number {
    if (this.#value === this.#quota) return this.#value;
    const quiet = Math.floor((nowMs - this.#quietSinceMs) / this.#windowMs);
    if (quiet > 0) {
      this.#value = Math.min(this.#quota, this.#value + quiet);
      this.#quietSinceMs += quiet * this.#windowMs;
    }
    return this.#value;
  }

  shrink(nowMs: number): void {
    const value = this.current(nowMs);
    this.#quietSinceMs = nowMs;
    if (nowMs - this.#shrunkMs < this.#windowMs) return;
    this.#value = Math.max(Math.min(5, this.#quota), Math.floor(value * 0.7));
    this.#shrunkMs = nowMs;
  }
}

/** One request that counts against the quota, on the monotonic clock; `answeredMs` is null while it is running. */
export interface Slot {
  readonly startedMs: number;
  /** True if the request belongs to an edit. One of an earlier process counts as a read. */
  readonly isEdit?: boolean;
  answeredMs: number | null;
}

/**
 * Requests that may still count against the quota. One counts from its start until `spanMs` after its answer, which proves that
 * it had arrived. So the service's window never contains more than counted here. All moments are milliseconds of one monotonic
 * clock.
 */
export class SlotWindow {
  readonly #spanMs: number;
  #slots: Slot[];

  constructor(spanMs: number, restored: readonly Slot[]) {
    this.#spanMs = spanMs;
    this.#slots = [...restored];
  }

  take(nowMs: number, isEdit: boolean): Slot {
    const slot: Slot = { startedMs: nowMs, isEdit, answeredMs: null };
    this.#slots.push(slot);
    return slot;
  }

  /** Slots that count now, oldest first. */
  counted(nowMs: number): readonly Slot[] {
    this.#slots = this.#slots.filter((slot) => this.#freeMs(slot) > nowMs);
    return this.#slots;
  }

  /** When `count` more of these will be free; null while that depends on unanswered requests. */
  freeAfter(count: number, slots: readonly Slot[]): number | null {
    const free = slots.map((slot) => this.#freeMs(slot)).toSorted((a, b) => a - b);
    const moment = free[count - 1];
    return moment === undefined || moment === Number.POSITIVE_INFINITY ? null : moment;
  }

  /** How long a request counts, judging by the latest answers. */
  placeMs(nowMs: number): number {
    const times = this.counted(nowMs).flatMap(({ startedMs, answeredMs }) =>
      answeredMs === null ? [] : [answeredMs - startedMs],
    );
    const sum = times.reduce((all, time) => all + time, 0);
    return this.#spanMs + sum / Math.max(1, times.length);
  }

  #freeMs(slot: Slot): number {
    return slot.answeredMs === null ? Number.POSITIVE_INFINITY : slot.answeredMs + this.#spanMs;
  }
}

/** Number of windows that an edit counts for, as people who edit continue. */
const rememberedWindows = 3;
/** An edit reads the item before it changes it. */
const requestsPerEdit = 2;

/**
 * Places of the quota that reads leave unused: none while nobody edits, as idle places slow sweeps; with edits, as many as
 * edits need per window plus those of one more. Never more than half of the quota.
 */
export class EditReserve {
  readonly #windowMs: number;
  #startsMs: readonly number[] = [];

  constructor(windowMs: number) {
    this.#windowMs = windowMs;
  }

  /** Records the start of an edit's request. */
  note(nowMs: number): void {
    this.#startsMs = [...this.#recent(nowMs), nowMs];
  }

  /** The most places that reads may take; `edits`: places taken by edits now. */
  mostReads(nowMs: number, { share, edits }: { readonly share: number; readonly edits: number }) {
    const recent = this.#recent(nowMs);
    const [first] = recent;
    if (first === undefined) return share;
    const windows = Math.max(1, (nowMs - first) / this.#windowMs);
    const needed = Math.max(edits, Math.ceil(recent.length / windows)) + requestsPerEdit;
    return share - Math.min(Math.floor(share / 2), needed);
  }

  #recent(nowMs: number): readonly number[] {
    return this.#startsMs.filter((at) => nowMs - at < rememberedWindows * this.#windowMs);
  }
}

/** How long, in milliseconds, a place is reserved for an edit's write after its item was read. */
export const afterReadMs = 3000;

/**
 * Writes that are expected after edits' reads. A read reserves a place for its write until the write starts, or for some time
 * after the read's answer.
 */
export class AwaitedWrites {
  #ends: { atMs: number }[] = [];

  /** Records the start of an edit's request; returns a function to call with the time of its answer. */
  note(isRead: boolean): (answeredMs: number) => void {
    if (!isRead) {
      this.#ends.shift();
      return () => undefined;
    }
    const end = { atMs: Number.POSITIVE_INFINITY };
    this.#ends.push(end);
    return (answeredMs) => {
      end.atMs = answeredMs + afterReadMs;
    };
  }

  count(nowMs: number): number {
    this.#ends = this.#ends.filter(({ atMs }) => atMs > nowMs);
    return this.#ends.length;
  }

  /** When the next reservation ends; null if unknown. */
  nextEndMs(nowMs: number): number | null {
    const ends = this.#ends.map(({ atMs }) => atMs).filter((atMs) => atMs > nowMs);
    const next = Math.min(...ends);
    return Number.isFinite(next) ? next : null;
  }
}

/** A past request, on the wall clock; `answeredAt` is null if no answer was seen. */
export interface GateSlot {
  readonly startedAt: Temporal.Instant;
  readonly answeredAt: Temporal.Instant | null;
}

/**
 * The pause and the share after the last 429, on the wall clock. `share`: requests per window at `quietSince`; each window
 * since has added one.
 */
export interface GateRest {
  readonly notedAt: Temporal.Instant;
  readonly pausedUntil: Temporal.Instant;
  readonly share: number;
  readonly quietSince: Temporal.Instant;
}

/**
 * Stores the latest requests and the last 429 across a restart, so that it neither spends the quota twice nor shortens a
 * requested pause.
 */
export interface GateHistory {
  load(): readonly GateSlot[];
  save(slots: readonly GateSlot[]): void;
  loadRest(): GateRest | null;
  saveRest(rest: GateRest): void;
}

/** The wall clock, and a `monotonic` one in milliseconds. */
interface Clocks {
  readonly clock: () => Temporal.Instant;
  readonly monotonic: () => number;
}

/** Past requests on this process's monotonic clock. One without an answer counts as answered now. */
export function restoredSlots(past: readonly GateSlot[], clocks: Clocks): readonly Slot[] {
  const nowMs = clocks.monotonic();
  const now = clocks.clock().epochMilliseconds;
  return past.map((slot) => {
    const answered = slot.answeredAt?.epochMilliseconds ?? now;
    // If the clock was set back, the past looks like the future and counts as just now.
    const agoMs = Math.max(0, now - answered);
    return { startedMs: nowMs - agoMs, answeredMs: nowMs - agoMs };
  });
}

/** The last 429 on this process's monotonic clock; null if none. */
interface RestoredRest {
  readonly pausedUntilMs: number;
  readonly share: number;
  readonly quietSinceMs: number;
}

/** A clock that was set back does not lengthen the pause: the rest of it counts from when it was recorded. */
export function restoredRest(rest: GateRest | null, clocks: Clocks): RestoredRest | null {
  if (!rest) return null;
  const nowMs = clocks.monotonic();
  const now = clocks.clock().epochMilliseconds;
  const begun = Math.max(now, rest.notedAt.epochMilliseconds);
  return {
    pausedUntilMs: nowMs + Math.max(0, rest.pausedUntil.epochMilliseconds - begun),
    share: rest.share,
    quietSinceMs: nowMs - Math.max(0, now - rest.quietSince.epochMilliseconds),
  };
}

/** Requests on the current wall clock, so that changing the clock does not matter. */
export function savedSlots(slots: readonly Slot[], clocks: Clocks): readonly GateSlot[] {
  const nowMs = clocks.clock().epochMilliseconds;
  const monotonicMs = clocks.monotonic();
  const at = (momentMs: number) =>
    Temporal.Instant.fromEpochMilliseconds(nowMs + Math.round(momentMs - monotonicMs));
  return slots.map(({ startedMs, answeredMs }) => ({
    startedAt: at(startedMs),
    answeredAt: answeredMs === null ? null : at(answeredMs),
  }));
}

/** Converts a moment of the monotonic clock to the wall clock, by its distance from now. */
export function wallClockOf(momentMs: number, clocks: Clocks): Temporal.Instant {
  return clocks.clock().add({ milliseconds: Math.round(momentMs - clocks.monotonic()) });
}

/**
 * How reads are spread over the quota. `sweep`: about `reads` are still to be answered. A short sweep is sent in bursts, to end
 * soon; a long one evenly. `steady`: evenly, within the share for reads, as bursts would find changes later.
 */
export type Pace = { readonly kind: "sweep"; readonly reads: number } | { readonly kind: "steady" };

/**
 * What a read waits for. `spacingMs`: between the starts of two reads. `mostReads`: places of a window that reads may take.
 * `kept`: places always left free; `lead`: places left free unless they come free again within the quota's mean spacing.
 */
export interface PaceRule {
  readonly spacingMs: number;
  readonly mostReads: number;
  readonly kept: number;
  readonly lead: number;
}

type PaceFacts = Readonly<
  Record<
    "share" | "free" | "waiting" | "underWay" | "mostReads" | "perMs" | "placeMs" | "readShare",
    number
  >
>;

/** An edit needs two: it reads its item first. */
const mostKept = 2;

/** An even pace takes up to a window longer than bursts: 5 % of a sweep of this many windows. */
const longSweep = 20;

/**
 * The rule of a pace. `share`: requests per window of `perMs`; `free`: how many would start now; `waiting`: reads waiting for a
 * place, `underWay`: for an answer; `mostReads`: places for reads such that edits find theirs free; `placeMs`: how long a
 * request takes a place; `readShare`: share of the quota for steady reads. A short sweep leaves edits what its last window has
 * left over, spread over all windows. While people edit, it is spread evenly, so that a place becomes free regularly. A burst
 * would leave no place for nearly a window.
 */
export function paceRule(
  pace: Pace,
  { share, free, waiting, underWay, mostReads, perMs, placeMs, readShare }: PaceFacts,
): PaceRule {
  const allButOne = Math.max(1, share - 1);
  if (pace.kind === "steady") {
    const places = Math.max(1, Math.min(mostReads, allButOne));
    const spacingMs = Math.max(perMs / (share * readShare), placeMs / places);
    return { spacingMs, mostReads, kept: 1, lead: 1 };
  }
  const peopleEdit = mostReads < share;
  if (peopleEdit) return { mostReads: share, lead: 2, spacingMs: placeMs / allButOne, kept: 1 };
  const reads = Math.max(pace.reads - underWay, waiting);
  const isLong = reads >= longSweep * share;
  if (isLong) return { mostReads: share, lead: 2, spacingMs: placeMs / share, kept: 0 };
  const kept = placesLeftOver({ share, free, reads });
  return { mostReads: share, lead: 0, spacingMs: 0, kept };
}

/** How many places per window can stay free without delaying the end of these reads by a window. */
function placesLeftOver({
  share,
  free,
  reads,
}: Readonly<Record<"share" | "free" | "reads", number>>): number {
  const windows = 1 + Math.max(0, Math.ceil((reads - free) / share));
  const places = free + share * (windows - 1);
  return Math.max(0, Math.min(mostKept, Math.floor((places - reads) / windows)));
}

/**
 * When the next read is due: a spacing after the previous one was due, so that late timers do not lower the rate. A longer
 * delay is made up for by a quarter of a spacing only, to avoid a burst.
 */
export class ReadClock {
  /** When the last read was due. */
  #dueMs = Number.NEGATIVE_INFINITY;

  /** When the next read may start. */
  nextMs(spacingMs: number): number {
    return this.#dueMs + spacingMs;
  }

  /** Records the start of a read. */
  note(nowMs: number, spacingMs: number): void {
    this.#dueMs = Math.max(this.nextMs(spacingMs), nowMs - spacingMs / 4);
  }
}
