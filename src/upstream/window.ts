/** One request as the limit sees it, on the monotonic clock; `answeredMs` is null while it is under way. */
export interface Slot {
  readonly startedMs: number;
  /** Whether it was of an edit; one of an earlier process is taken for a read. */
  readonly ofEdit?: boolean;
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

  take(nowMs: number, ofEdit: boolean): Slot {
    const slot: Slot = { startedMs: nowMs, ofEdit, answeredMs: null };
    this.#slots.push(slot);
    return slot;
  }

  /** Those that count now, oldest first. */
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

  #freeMs(slot: Slot): number {
    return slot.answeredMs === null ? Number.POSITIVE_INFINITY : slot.answeredMs + this.#spanMs;
  }
}
