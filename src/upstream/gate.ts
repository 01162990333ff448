import PQueue from "p-queue";
import {
  EditReserve,
  type GateHistory,
  restoredRest,
  restoredSlots,
  Share,
  type Slot,
  SlotWindow,
  savedSlots,
  wallClock,
} from "./quota.ts";

/** How urgent a request is: an edit never waits behind a sweep. */
export type Priority = "edit" | "interactive" | "sweep";

export type { GateHistory, GateRest, GateSlot } from "./quota.ts";

export interface GateState {
  /** Requests that may still count at the service. */
  readonly used: number;
  /** How many the gate allows itself at present; `quota` unless 429s came. */
  readonly share: number;
  readonly quota: number;
  readonly pausedUntil: Temporal.Instant | null;
  readonly inFlight: number;
  readonly waiting: Readonly<Record<Priority, number>>;
  /** Requests sent since the start of the process, and how many of them were answered 429. */
  readonly sent: number;
  readonly rateLimited: number;
}

export interface GateOptions {
  readonly quota: { readonly requests: number; readonly per: Temporal.Duration };
  readonly clock: () => Temporal.Instant;
  /** Milliseconds that never jump. */
  readonly monotonic: () => number;
  readonly random: () => number;
  readonly history: GateHistory;
  /** Told of what the history throws: a failure to store it must not fail a request. */
  readonly onUnkept?: (error: unknown) => void;
}

/** `retry`: after a failure, behind fresh ones of its class where it is an edit; `limited`: after a 429, ahead of its class. */
export interface Ticket {
  readonly priority: Priority;
  readonly rank: "first" | "retry" | "limited";
  readonly signal: AbortSignal | null;
}

/** `paused`: the service asked for a longer rest than a caller should wait for. */
export type Turn<Value> =
  | { readonly kind: "done"; readonly value: Value }
  | { readonly kind: "aborted" }
  | { readonly kind: "paused"; readonly rest: Temporal.Duration };

/** The longest, in milliseconds, that a request waits after 429s. */
export const patienceMs = 120_000;

const ranks = {
  edit: { limited: 110, first: 100, retry: 90 },
  interactive: { limited: 60, first: 50, retry: 40 },
  sweep: { limited: 30, first: 10, retry: 20 },
} as const satisfies Record<Priority, Record<Ticket["rank"], number>>;

/**
 * The one way to the service: keeps the order (edits before all else) and the quota. A request starts no sooner than
 * the quota's window plus a margin after the answer of the request that many places before it. Reads leave the last
 * free place to edits unless another one comes free within the quota's mean spacing, so that the whole quota is used;
 * while people edit they leave as many as edits need, so that an edit hardly ever waits. Both queues are paused except
 * inside `#admit`, which starts jobs while there is room; a job takes its place synchronously at its start.
 */
export class Gate {
  readonly #options: GateOptions;
  readonly #perMs: number;
  readonly #window: SlotWindow;
  readonly #share: Share;
  readonly #reserve: EditReserve;
  readonly #edits = new PQueue({ autoStart: false });
  readonly #reads = new PQueue({ autoStart: false });
  #pausedUntilMs: number;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;
  #inFlight = 0;
  #sent = 0;
  #rateLimited = 0;
  #idle: PromiseWithResolvers<void> | null = null;

  constructor(options: GateOptions) {
    this.#options = options;
    this.#perMs = options.quota.per.total("milliseconds");
    // Clocks of two machines run up to 500 ppm apart, and timers and time stamps are rounded to whole milliseconds.
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

  /** Runs `job` when its turn has come. Rejects only with what `job` throws. */
  run<Value>(ticket: Ticket, job: () => Promise<Value>): Promise<Turn<Value>> {
    const rest = this.#longRest();
    if (this.#closed || ticket.signal?.aborted) return Promise.resolve({ kind: "aborted" });
    if (rest) return Promise.resolve({ kind: "paused", rest });

    const { promise, resolve, reject } = Promise.withResolvers<Turn<Value>>();
    let started = false;
    const queued = this.#queueOf(ticket.priority).add(
      async () => {
        started = true;
        try {
          resolve({ kind: "done", value: await this.#runJob(ticket.priority, job) });
        } catch (error) {
          reject(error);
        }
      },
      {
        priority: ranks[ticket.priority][ticket.rank],
        ...(ticket.signal ? { signal: ticket.signal } : {}),
      },
    );
    // A started job settles by itself, whatever its signal does; only one that waited ends here.
    queued.catch(() => {
      if (started) return;
      const longRest = this.#longRest();
      resolve(longRest ? { kind: "paused", rest: longRest } : { kind: "aborted" });
    });
    this.#admit();
    return promise;
  }

  /**
   * After a 429: nothing starts for the asked wait (at least a second, a whole window when none was named) plus a
   * jitter. Call it inside the job, before its place is given back. Returns the rest in milliseconds and the new share.
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
        .map((rank) => this.#queueOf(priority).sizeBy({ priority: rank }))
        .reduce((sum, size) => sum + size, 0);
    return {
      used: this.#window.counted(now).length,
      share: this.#share.current(now),
      quota: this.#options.quota.requests,
      pausedUntil: this.#pausedUntilMs > now ? wallClock(this.#pausedUntilMs, this.#options) : null,
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

  /** Ends every waiting job as `aborted` and starts none any more; those under way go on. */
  close(): void {
    this.#closed = true;
    this.#clear();
    clearTimeout(this.#timer);
  }

  /** Resolves when no job is under way. */
  idle(): Promise<void> {
    if (this.#inFlight === 0) return Promise.resolve();
    this.#idle ??= Promise.withResolvers<void>();
    return this.#idle.promise;
  }

  #admit(): void {
    if (this.#closed) return;
    clearTimeout(this.#timer);
    if (this.#options.monotonic() >= this.#pausedUntilMs) {
      this.#startWhile(this.#edits, () => this.#roomForEdit());
      this.#startWhile(this.#reads, () => this.#roomForRead());
    }
    const wakeMs = this.#nextWakeMs();
    if (wakeMs === null) return;
    const waitMs = Math.max(1, Math.ceil(wakeMs - this.#options.monotonic()));
    this.#timer = setTimeout(() => this.#admit(), waitMs);
  }

  #startWhile(queue: PQueue, room: () => boolean): void {
    while (queue.size > 0 && room()) {
      // The first job that starts pauses the queue again, so that room is counted anew for each.
      queue.start();
    }
    queue.pause();
  }

  async #runJob<Value>(priority: Priority, job: () => Promise<Value>): Promise<Value> {
    this.#edits.pause();
    this.#reads.pause();
    this.#inFlight += 1;
    this.#sent += 1;
    const isEdit = priority === "edit";
    const slot = this.#window.take(this.#options.monotonic(), isEdit);
    if (isEdit) this.#reserve.note(slot.startedMs);
    this.#save();
    try {
      return await job();
    } finally {
      this.#release(slot);
    }
  }

  #release(slot: Slot): void {
    slot.answeredMs = this.#options.monotonic();
    this.#inFlight -= 1;
    this.#save();
    if (this.#inFlight === 0) {
      this.#idle?.resolve();
      this.#idle = null;
    }
    this.#admit();
  }

  #roomForEdit(): boolean {
    const now = this.#options.monotonic();
    return this.#window.counted(now).length < this.#share.current(now);
  }

  #roomForRead(): boolean {
    const now = this.#options.monotonic();
    const left = this.#share.current(now) - this.#window.counted(now).length;
    const when = this.#readAtMs(now);
    return left > 0 && when !== null && when <= now;
  }

  /** From when on a read leaves enough places to edits, as long as any is free; null when only an answer can tell. */
  #readAtMs(now: number): number | null {
    const share = this.#share.current(now);
    if (share === 1) return now;
    const slots = this.#window.counted(now);
    const reads = slots.filter(({ isEdit }) => !isEdit);
    const edits = slots.length - reads.length;
    const lastMs = this.#freeMs(slots.length + 2 - share, slots);
    const ownMs = this.#freeMs(
      reads.length + 1 - this.#reserve.mostReads(now, { share, edits }),
      reads,
    );
    return lastMs === null || ownMs === null ? null : Math.max(lastMs - this.#spacingMs(), ownMs);
  }

  /** When `count` of these slots will have come free; minus infinity for none, null when only an answer can tell. */
  #freeMs(count: number, slots: readonly Slot[]): number | null {
    return count > 0 ? this.#window.freeAfter(count, slots) : Number.NEGATIVE_INFINITY;
  }

  /** When to look again; null when nothing waits or only an answer can make room. */
  #nextWakeMs(): number | null {
    if (this.#edits.size + this.#reads.size === 0) return null;
    const now = this.#options.monotonic();
    if (now < this.#pausedUntilMs) return this.#pausedUntilMs;
    const slots = this.#window.counted(now);
    const missing = slots.length - this.#share.current(now) + 1;
    return missing > 0 ? this.#window.freeAfter(missing, slots) : this.#readAtMs(now);
  }

  #spacingMs(): number {
    return this.#perMs / this.#options.quota.requests;
  }

  #queueOf(priority: Priority): PQueue {
    return priority === "edit" ? this.#edits : this.#reads;
  }

  #longRest(): Temporal.Duration | null {
    const restMs = this.#pausedUntilMs - this.#options.monotonic();
    return restMs > patienceMs ? Temporal.Duration.from({ milliseconds: Math.ceil(restMs) }) : null;
  }

  #clear(): void {
    this.#edits.clear();
    this.#reads.clear();
  }

  #save(): void {
    const { history } = this.#options;
    const slots = savedSlots(this.#window.counted(this.#options.monotonic()), this.#options);
    this.#keep(() => history.save(slots));
  }

  #saveRest(now: number): void {
    const { history } = this.#options;
    const rest = {
      notedAt: wallClock(now, this.#options),
      pausedUntil: wallClock(this.#pausedUntilMs, this.#options),
      share: this.#share.current(now),
      quietSince: wallClock(now, this.#options),
    };
    this.#keep(() => history.saveRest(rest));
  }

  /** Stores history; an answer that has come in must not be lost because the disk is full. */
  #keep(save: () => void): void {
    try {
      save();
    } catch (error) {
      this.#options.onUnkept?.(error);
    }
  }
}
