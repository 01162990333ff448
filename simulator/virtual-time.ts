import { setImmediate as nextTurn } from "node:timers/promises";
import { DueHeap } from "@dayferry/poll-scheduler";
import { replaceRuntime } from "../src/runtime.ts";

type Callback = (...given: readonly unknown[]) => void;

interface Waiting {
  readonly callback: Callback;
  readonly given: readonly unknown[];
  readonly ms: number;
  readonly isRepeated: boolean;
}

/** After this many idle turns of the event loop, everything that a response triggered is done. */
const turnsOfRest = 4;
/** Limit in milliseconds for one piece of work; beyond it the simulation is stuck. */
const longestWorkMs = 60_000;

/**
 * The clock of a simulated day. It stands still while this process works, and jumps to the next timer when it is idle, so that
 * the result is the same on any machine under any load, and nothing runs late. Computing takes no virtual time; network latency
 * is a timer like others, and counts.  `install` replaces the process's own clock and timers with this one, because the daemon,
 * the sandbox and their libraries use the global ones. What Node waits for itself (sockets) stays in real time.
 */
export class VirtualTime {
  readonly #start: Temporal.Instant;
  readonly #timers = new DueHeap<VirtualTimer>();
  #nowMs = 0;

  constructor(start: Temporal.Instant) {
    this.#start = start;
  }

  /** Milliseconds since the start. */
  readonly monotonic = (): number => this.#nowMs;

  readonly clock = (): Temporal.Instant =>
    this.#start.add({ microseconds: Math.floor(this.#nowMs * 1000) });

  /** Calls back once, after this many milliseconds on this clock. */
  after(ms: number, callback: () => void): void {
    new VirtualTimer(this.#timers, this.monotonic, { callback, ms, isRepeated: false, given: [] });
  }

  /** The returned function restores the process's own timers. */
  install(): () => void {
    const { setTimeout, clearTimeout, setInterval, clearInterval } = globalThis;
    const own = { setTimeout, clearTimeout, setInterval, clearInterval };
    const adding =
      (isRepeated: boolean) =>
      (callback: Callback, ms = 0, ...given: readonly unknown[]) =>
        new VirtualTimer(this.#timers, this.monotonic, { callback, ms, isRepeated, given });
    // A timer created earlier belongs to the process.
    const clear = (timer: unknown) =>
      timer instanceof VirtualTimer
        ? timer.close()
        : Reflect.apply(own.clearTimeout, undefined, [timer]);
    const virtual = {
      setTimeout: adding(false),
      setInterval: adding(true),
      clearTimeout: clear,
      clearInterval: clear,
    };
    Object.assign(globalThis, virtual);
    const restore = replaceRuntime({ now: this.clock, monotonic: this.monotonic });
    return () => {
      restore();
      Object.assign(globalThis, own);
    };
  }

  /** Lets time pass until `hasEnded`, which is checked whenever the process is idle. `isBusy`: whether work is in progress. */
  async run(hasEnded: () => boolean, isBusy: () => boolean): Promise<void> {
    for (;;) {
      await rest(isBusy);
      if (hasEnded()) return;
      const due = this.#timers.earliest;
      if (due === Number.POSITIVE_INFINITY) throw new Error("no timer is left to wait for");
      this.#nowMs = Math.max(this.#nowMs, due);
      for (;;) {
        const timer = this.#timers.take(this.#nowMs);
        if (!timer) break;
        timer.fire();
      }
    }
  }
}

async function rest(isBusy: () => boolean): Promise<void> {
  const begunMs = performance.now();
  for (let quiet = 0; quiet < turnsOfRest; quiet += 1) {
    await nextTurn();
    if (!isBusy()) continue;
    quiet = -1;
    if (performance.now() - begunMs > longestWorkMs) {
      throw new Error(`something has been under way for ${longestWorkMs / 1000} s`);
    }
  }
}

/** The parts of Node's timers that libraries use. */
class VirtualTimer {
  readonly #timers: DueHeap<VirtualTimer>;
  readonly #monotonic: () => number;
  readonly #waiting: Waiting;
  due: number | null = null;

  constructor(timers: DueHeap<VirtualTimer>, monotonic: () => number, waiting: Waiting) {
    this.#timers = timers;
    this.#monotonic = monotonic;
    this.#waiting = waiting;
    this.refresh();
  }

  fire(): void {
    const { callback, given, isRepeated } = this.#waiting;
    if (isRepeated) this.refresh();
    callback(...given);
  }

  refresh(): this {
    this.#timers.put(this, this.#monotonic() + Math.max(1, this.#waiting.ms));
    return this;
  }

  close(): void {
    this.#timers.delete(this);
  }

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }

  hasRef(): boolean {
    return true;
  }
}
