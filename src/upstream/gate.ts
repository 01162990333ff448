import PQueue from "p-queue";
import { startTimer, type Timer } from "../runtime.ts";
import {
  AwaitedWrites,
  EditReserve,
  type GateHistory,
  type Pace,
  type PaceRule,
  paceRule,
  ReadClock,
  restoredRest,
  restoredSlots,
  Share,
  type Slot,
  SlotWindow,
  savedSlots,
  wallClockOf,
} from "./quota.ts";

/** Priority of a request. An edit never waits behind a sweep. */
export type Priority = "edit" | "interactive" | "sweep";

export type { GateHistory, GateRest, GateSlot, Pace } from "./quota.ts";

export interface GateState {
  /** Requests that may still count against the quota. */
  readonly used: number;
  /** Requests that the rate limiter allows per window now; less than `quota` after 429s. */
  readonly share: number;
  readonly quota: number;
  readonly pausedUntil: Temporal.Instant | null;
  readonly inFlight: number;
  readonly waiting: Readonly<Record<Priority, number>>;
  /** Requests sent since the process started, and how many of them got a 429. */
  readonly sent: number;
  readonly rateLimited: number;
}

export interface GateOptions {
  readonly quota: { readonly requests: number; readonly per: Temporal.Duration };
  /** The share of the quota, above 0 up to 1, for sweep reads at a steady pace; 0.9 by default. */
  readonly readShare?: number;
  readonly clock: () => Temporal.Instant;
  /** Milliseconds of a monotonic clock. */
  readonly monotonic: () => number;
  readonly random: () => number;
  readonly history: GateHistory;
  /** Called with errors of the history. Failing to store it must not fail a request. */
  readonly onUnkept?: (error: unknown) => void;
}

/**
 * `retry`: after a failure, behind new ones of its class if it is an edit; `limited`: after a 429, ahead of its class; `read`:
 * an edit's read, which its write follows.
 */
export interface Ticket {
  readonly priority: Priority;
  readonly rank: "first" | "retry" | "limited" | "read";
  readonly signal: AbortSignal | null;
}

/** `paused`: the service requested a longer pause than a caller should wait for. */
export type Turn<Value> =
  | { readonly kind: "done"; readonly value: Value }
  | { readonly kind: "aborted" }
  | { readonly kind: "paused"; readonly rest: Temporal.Duration };

/** The rest is left to other tools of the account, and keeps edits from waiting. */
const usualReadShare = 0.9;

/** The longest wait after 429s, in milliseconds. */
export const patienceMs = 120_000;

const ranks = {
  edit: { limited: 110, first: 100, read: 95, retry: 90 },
  interactive: { limited: 60, first: 50, read: 45, retry: 40 },
  sweep: { limited: 30, retry: 20, read: 15, first: 10 },
} as const satisfies Record<Priority, Record<Ticket["rank"], number>>;

/**
 * Sends all requests to the service, edits first, within the quota. With a quota of n requests, a request starts only after the
 * answer to the n-th request before it, plus the quota's window and a margin. Reads leave the last free places to edits unless
 * others come free within the quota's mean spacing, so that a sweep uses the whole quota. While people edit, they leave as many
 * as edits need, so that an edit hardly ever waits. An edit's read reserves a place for its write, as somebody may change the
 * item meanwhile. Interactive requests go as soon as such a place is free, sweep reads at their pace. All queues are paused
 * except inside `#admit`, which starts jobs while there is room; a job takes its place synchronously at its start.
 */
export class Gate {
  readonly #options: GateOptions;
  readonly #perMs: number;
  readonly #window: SlotWindow;
  readonly #share: Share;
  readonly #reserve: EditReserve;
  readonly #readClock = new ReadClock();
  readonly #writes = new AwaitedWrites();
  readonly #queues: Readonly<Record<Priority, PQueue>> = {
    edit: new PQueue({ autoStart: false }),
    interactive: new PQueue({ autoStart: false }),
    sweep: new PQueue({ autoStart: false }),
  };
  /** Callers waiting until a read would start at once. */
  readonly #choosers = new Set<() => void>();
  #pace: Pace = { kind: "sweep", reads: 0 };
  #pausedUntilMs: number;
  #timer: Timer | undefined;
  #closed = false;
  #inFlight = 0;
  #sent = 0;
  #rateLimited = 0;
  #idle: PromiseWithResolvers<void> | null = null;

  constructor(options: GateOptions) {
    this.#options = options;
    this.#perMs = options.quota.per.total("milliseconds");
    // Clocks of two machines differ by up to 500 ppm, and timers and time stamps are rounded to milliseconds.
    const marginMs = Math.max(5, this.#perMs * 0.005);
    this.#window = new SlotWindow(
      this.#perMs + marginMs,
      restoredSlots(options.history.load(), options),
    );
    const rest = restoredRest(options.history.loadRest(), options);
    this.#pausedUntilMs = rest?.pausedUntilMs ?? Number.NEGATIVE_INFINITY;
    this.#share = new Share({ quota: options.quota.requests, windowMs: this.#perMs }, rest);
    this.#reserve = new EditReserve(this.#perMs);
  }

  /** Runs `job` in its turn. Rejects only with what `job` throws. */
  run<Value>(ticket: Ticket, job: () => Promise<Value>): Promise<Turn<Value>> {
    const rest = this.#longRest();
    if (this.#closed || ticket.signal?.aborted) return Promise.resolve({ kind: "aborted" });
    if (rest) return Promise.resolve({ kind: "paused", rest });

    const { promise, resolve, reject } = Promise.withResolvers<Turn<Value>>();
    let started = false;
    const queued = this.#queues[ticket.priority].add(
      async () => {
        started = true;
        try {
          resolve({ kind: "done", value: await this.#runJob(ticket, job) });
        } catch (error) {
          reject(error);
        }
      },
      {
        priority: ranks[ticket.priority][ticket.rank],
        ...(ticket.signal ? { signal: ticket.signal } : {}),
      },
    );
    // Only waiting jobs end here. A started job ends by itself, even after an abort.
    queued.catch(() => {
      if (started) return;
      const longRest = this.#longRest();
      resolve(longRest ? { kind: "paused", rest: longRest } : { kind: "aborted" });
    });
    this.#admit();
    return promise;
  }

  /**
   * After a 429: starts nothing for the requested wait (at least a second; a whole window if none was given) plus jitter. Call
   * it inside the job, before its place is released. Returns the pause in milliseconds and the new share.
   */
  rest(askedMs: number | null): { readonly restMs: number; readonly share: number } {
    const now = this.#options.monotonic();
    const jitterMs = this.#options.random() * Math.min(1000, this.#perMs / 10);
    const restMs = Math.max(askedMs ?? this.#perMs, 1000) + jitterMs;
    this.#pausedUntilMs = Math.max(this.#pausedUntilMs, now + restMs);
    this.#share.shrink(now);
    this.#rateLimited += 1;
    this.#saveRest(now);
    if (this.#longRest()) this.#clear();
    return { restMs: this.#pausedUntilMs - now, share: this.#share.current(now) };
  }

  state(): GateState {
    const now = this.#options.monotonic();
    const waiting = (priority: Priority) =>
      Object.values(ranks[priority])
        .map((rank) => this.#queues[priority].sizeBy({ priority: rank }))
        .reduce((sum, size) => sum + size, 0);
    return {
      used: this.#window.counted(now).length,
      share: this.#share.current(now),
      quota: this.#options.quota.requests,
      pausedUntil:
        this.#pausedUntilMs > now ? wallClockOf(this.#pausedUntilMs, this.#options) : null,
      inFlight: this.#inFlight,
      waiting: {
        edit: waiting("edit"),
        interactive: waiting("interactive"),
        sweep: waiting("sweep"),
      },
      sent: this.#sent,
      rateLimited: this.#rateLimited,
    };
  }

  /** Sets how sweep reads are spread from now on; a sweep of unknown length until then. */
  setPace(pace: Pace): void {
    this.#pace = pace;
    this.#admit();
  }

  /**
   * Resolves when a sweep read would start at once, so that what to read is chosen then. Also resolves when the signal aborts,
   * the limiter closes, or the service requests a long pause.
   */
  whenReadFits(signal: AbortSignal): Promise<void> {
    if (this.#closed || signal.aborted || this.#longRest()) return Promise.resolve();
    const { promise, resolve } = Promise.withResolvers<void>();
    const notify = () => {
      signal.removeEventListener("abort", notify);
      this.#choosers.delete(notify);
      resolve();
    };
    signal.addEventListener("abort", notify);
    this.#choosers.add(notify);
    this.#admit();
    return promise;
  }

  /** When a sweep read would start if it were queued now; null if that depends on an answer. */
  nextReadAt(): Temporal.Instant | null {
    const now = this.#options.monotonic();
    const moment = latest([this.#sweepAtMs(), this.#pausedUntilMs, now]);
    if (moment === null) return null;
    const ahead = this.#queues.sweep.size * this.#rule(now).spacingMs;
    return wallClockOf(moment + ahead, this.#options);
  }

  /** Ends every waiting job as `aborted` and starts no more. Running jobs continue. */
  close(): void {
    this.#closed = true;
    this.#clear();
    this.#timer?.cancel();
  }

  /** Resolves when no job is running. */
  idle(): Promise<void> {
    if (this.#inFlight === 0) return Promise.resolve();
    this.#idle ??= Promise.withResolvers<void>();
    return this.#idle.promise;
  }

  #admit(): void {
    if (this.#closed) return;
    this.#timer?.cancel();
    const { edit, interactive, sweep } = this.#queues;
    if (this.#options.monotonic() >= this.#pausedUntilMs) {
      startWhile(edit, () => this.#hasCome(this.#editAtMs()));
      startWhile(interactive, () => this.#hasCome(this.#interactiveAtMs()));
      startWhile(sweep, () => this.#hasCome(this.#sweepAtMs()));
      if (sweep.size === 0 && this.#choosers.size > 0 && this.#hasCome(this.#sweepAtMs())) {
        this.#notifyChoosers();
      }
    }
    const wakeMs = this.#nextWakeMs();
    if (wakeMs === null) return;
    const waitMs = Math.max(1, Math.ceil(wakeMs - this.#options.monotonic()));
    this.#timer = startTimer(waitMs, () => this.#admit());
  }

  async #runJob<Value>({ priority, rank }: Ticket, job: () => Promise<Value>): Promise<Value> {
    for (const queue of Object.values(this.#queues)) queue.pause();
    this.#inFlight += 1;
    this.#sent += 1;
    const isEdit = priority === "edit";
    const now = this.#options.monotonic();
    if (priority === "sweep") this.#readClock.note(now, this.#rule(now).spacingMs);
    const slot = this.#window.take(now, isEdit);
    if (isEdit) this.#reserve.note(slot.startedMs);
    const answered = isEdit ? this.#writes.note(rank === "read") : () => undefined;
    this.#save();
    try {
      return await job();
    } finally {
      answered(this.#options.monotonic());
      this.#release(slot);
    }
  }

  #release(slot: Slot): void {
    slot.answeredMs = this.#options.monotonic();
    this.#inFlight -= 1;
    if (this.#pace.kind === "sweep" && !slot.isEdit) {
      // The sweep reports the remaining number only after the answer.
      this.#pace = { kind: "sweep", reads: Math.max(0, this.#pace.reads - 1) };
    }
    this.#save();
    if (this.#inFlight === 0) {
      this.#idle?.resolve();
      this.#idle = null;
    }
    this.#admit();
  }

  #hasCome(moment: number | null): boolean {
    return moment !== null && moment <= this.#options.monotonic();
  }

  /** When there is a place; for a read also one for its write. Null if that depends on an answer, here and below. */
  #editAtMs(): number | null {
    const { limited, first, read } = ranks.edit;
    const isWaiting = (priority: number) => this.#queues.edit.sizeBy({ priority }) > 0;
    const isRead = isWaiting(read) && !isWaiting(first) && !isWaiting(limited);
    return isRead ? this.#leavingMs(1 + this.#awaitedWrites()) : this.#leavingMs(0);
  }

  /** When a read leaves enough places to edits. */
  #interactiveAtMs(): number | null {
    const mostReads = this.#mostReads(this.#options.monotonic());
    return this.#readAtMs({ mostReads, kept: 0, lead: 1 });
  }

  /** When a sweep's next read may start. */
  #sweepAtMs(): number | null {
    const rule = this.#rule(this.#options.monotonic());
    return latest([this.#readAtMs(rule), this.#readClock.nextMs(rule.spacingMs)]);
  }

  #readAtMs({ mostReads, kept, lead }: Omit<PaceRule, "spacingMs">): number | null {
    const now = this.#options.monotonic();
    const most = this.#share.current(now) - 1;
    const reads = this.#window.counted(now).filter(({ isEdit }) => !isEdit);
    const spacingMs = this.#spacingMs();
    const left = Array.from({ length: Math.min(lead, most) }, (_, before) => {
      const freeMs = this.#leavingMs(before + 1);
      return freeMs === null ? null : freeMs - (before + 1) * spacingMs;
    });
    return latest([
      this.#leavingMs(kept + this.#awaitedWrites()),
      ...left,
      most === 0 ? Number.NEGATIVE_INFINITY : this.#freeMs(reads.length + 1 - mostReads, reads),
    ]);
  }

  /** When a request would leave this many places free, or all others. */
  #leavingMs(places: number): number | null {
    const now = this.#options.monotonic();
    const slots = this.#window.counted(now);
    const share = this.#share.current(now);
    return this.#freeMs(slots.length + 1 + Math.min(places, share - 1) - share, slots);
  }

  #awaitedWrites(): number {
    return this.#writes.count(this.#options.monotonic());
  }

  /** When `count` of these slots will be free; minus infinity for none. */
  #freeMs(count: number, slots: readonly Slot[]): number | null {
    return count > 0 ? this.#window.freeAfter(count, slots) : Number.NEGATIVE_INFINITY;
  }

  #rule(now: number): PaceRule {
    return paceRule(this.#pace, {
      share: this.#share.current(now),
      free: this.#share.current(now) - this.#window.counted(now).length,
      waiting: this.#queues.sweep.size,
      underWay: this.#inFlight,
      mostReads: this.#mostReads(now),
      perMs: this.#perMs,
      placeMs: this.#window.placeMs(now),
      readShare: this.#options.readShare ?? usualReadShare,
    });
  }

  #mostReads(now: number): number {
    const edits = this.#window.counted(now).filter(({ isEdit }) => isEdit).length;
    return this.#reserve.mostReads(now, { share: this.#share.current(now), edits });
  }

  /** When to check again; null if nothing waits or only an answer can make room. */
  #nextWakeMs(): number | null {
    const { edit, interactive, sweep } = this.#queues;
    const moments = [
      edit.size > 0 ? this.#editAtMs() : null,
      interactive.size > 0 ? this.#interactiveAtMs() : null,
      sweep.size + this.#choosers.size > 0 ? this.#sweepAtMs() : null,
      edit.size + interactive.size + sweep.size + this.#choosers.size > 0
        ? this.#writes.nextEndMs(this.#options.monotonic())
        : null,
    ].filter((moment) => moment !== null);
    return moments.length === 0 ? null : Math.max(Math.min(...moments), this.#pausedUntilMs);
  }

  #spacingMs(): number {
    return this.#perMs / this.#options.quota.requests;
  }

  #longRest(): Temporal.Duration | null {
    const restMs = this.#pausedUntilMs - this.#options.monotonic();
    return restMs > patienceMs ? Temporal.Duration.from({ milliseconds: Math.ceil(restMs) }) : null;
  }

  #clear(): void {
    for (const queue of Object.values(this.#queues)) queue.clear();
    this.#notifyChoosers();
  }

  #notifyChoosers(): void {
    const choosers = [...this.#choosers];
    this.#choosers.clear();
    for (const notify of choosers) notify();
  }

  #save(): void {
    const { history } = this.#options;
    const slots = savedSlots(this.#window.counted(this.#options.monotonic()), this.#options);
    this.#keep(() => history.save(slots));
  }

  #saveRest(now: number): void {
    const { history } = this.#options;
    const rest = {
      notedAt: wallClockOf(now, this.#options),
      pausedUntil: wallClockOf(this.#pausedUntilMs, this.#options),
      share: this.#share.current(now),
      quietSince: wallClockOf(now, this.#options),
    };
    this.#keep(() => history.saveRest(rest));
  }

  /** Stores history. A received answer must not be lost because the disk is full. */
  #keep(save: () => void): void {
    try {
      save();
    } catch (error) {
      this.#options.onUnkept?.(error);
    }
  }
}

function startWhile(queue: PQueue, room: () => boolean): void {
  while (queue.size > 0 && room()) {
    // The first job that starts pauses the queue again, so that room is checked for each.
    queue.start();
  }
  queue.pause();
}

/** The latest of some moments; null if one is unknown. */
function latest(moments: readonly (number | null)[]): number | null {
  return moments.reduce<number | null>(
    (last, moment) => (last === null || moment === null ? null : Math.max(last, moment)),
    Number.NEGATIVE_INFINITY,
  );
}
