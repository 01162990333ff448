/**
 * How much of the quota this process takes while other tools use the same account: each 429 cuts it (multiplicative
 * decrease, once per window however many requests were caught), each quiet window gives one request back.
 */
export class Share {
  readonly #quota: number;
  readonly #windowMs: number;
  #value: number;
  #shrunkMs = Number.NEGATIVE_INFINITY;
  #quietSinceMs = Number.NEGATIVE_INFINITY;

  /** `before`: the share that an earlier process was left with, and since when no 429 has come. */
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

/** One request as the limit sees it, on the monotonic clock; `answeredMs` is null while it is under way. */
export interface Slot {
  readonly startedMs: number;
  /** Whether the request belongs to an edit; one of an earlier process counts as a read. */
  readonly isEdit?: boolean;
  answeredMs: number | null;
}

/**
 * The requests that may still count at the service. One counts from its start until `spanMs` after its answer: the
 * answer proves that it had arrived, so whatever the service's own window is, it cannot hold more than counted here.
 * All moments are milliseconds of one monotonic clock.
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

  /** The slots that count now, oldest first. */
  counted(nowMs: number): readonly Slot[] {
    this.#slots = this.#slots.filter((slot) => this.#freeMs(slot) > nowMs);
    return this.#slots;
  }

  /** When `count` more of these will have come free; null while that depends on requests that are still unanswered. */
  freeAfter(count: number, slots: readonly Slot[]): number | null {
    const free = slots.map((slot) => this.#freeMs(slot)).toSorted((a, b) => a - b);
    const moment = free[count - 1];
    return moment === undefined || moment === Number.POSITIVE_INFINITY ? null : moment;
  }

  /** For how long a request counts, as far as the latest answers tell. */
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

/** For how many windows an edit counts: people who edit go on editing. */
const rememberedWindows = 3;
/** An edit reads the item before it changes it. */
const requestsPerEdit = 2;

/**
 * The places of the quota that reads leave unused: none while nobody edits, as idle places cost sweeps; once somebody
 * does, as many as edits need in a window, and those of one edit more. Never more than half of the quota.
 */
export class EditReserve {
  readonly #windowMs: number;
  #startsMs: readonly number[] = [];

  constructor(windowMs: number) {
    this.#windowMs = windowMs;
  }

  /** Notes the start of an edit's request. */
  note(nowMs: number): void {
    this.#startsMs = [...this.#recent(nowMs), nowMs];
  }

  /** The most places of a share that reads may hold; `edits`: places that edits hold now. */
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

/** One request of the past, on the wall clock; `answeredAt` is null when its answer was never seen. */
export interface GateSlot {
  readonly startedAt: Temporal.Instant;
  readonly answeredAt: Temporal.Instant | null;
}

/**
 * What the last 429 has asked for, on the wall clock. `share`: how many requests in a window were left of the quota when
 * `quietSince` began; each quiet window since has given one back.
 */
export interface GateRest {
  readonly notedAt: Temporal.Instant;
  readonly pausedUntil: Temporal.Instant;
  readonly share: number;
  readonly quietSince: Temporal.Instant;
}

/**
 * Where the latest requests and the last 429 outlive the process, so that a restart neither spends the quota twice nor cuts a
 * rest short that the service has asked for.
 */
export interface GateHistory {
  load(): readonly GateSlot[];
  save(slots: readonly GateSlot[]): void;
  loadRest(): GateRest | null;
  saveRest(rest: GateRest): void;
}

/** The wall clock, and a `monotonic` one in milliseconds that never jump. */
interface Clocks {
  readonly clock: () => Temporal.Instant;
  readonly monotonic: () => number;
}

/** Past requests on this process's monotonic clock; one whose answer was never seen counts as answered now. */
export function restoredSlots(past: readonly GateSlot[], clocks: Clocks): readonly Slot[] {
  const nowMs = clocks.monotonic();
  const now = clocks.clock().epochMilliseconds;
  return past.map((slot) => {
    const answered = slot.answeredAt?.epochMilliseconds ?? now;
    // A clock that was set back would make the past look like the future: then it counts as just now.
    const agoMs = Math.max(0, now - answered);
    return { startedMs: nowMs - agoMs, answeredMs: nowMs - agoMs };
  });
}

/** The last 429 on this process's monotonic clock; null when there was none. */
interface RestoredRest {
  readonly pausedUntilMs: number;
  readonly share: number;
  readonly quietSinceMs: number;
}

/** A clock that was set back in between lengthens no rest: what is left of it counts from when it was noted. */
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

/** Requests on the wall clock as it stands now, so that a clock set forward or back in between does not matter. */
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

/** A moment of the monotonic clock on the wall clock, told by its distance from now. */
export function wallClockOf(momentMs: number, clocks: Clocks): Temporal.Instant {
  return clocks.clock().add({ milliseconds: Math.round(momentMs - clocks.monotonic()) });
}
