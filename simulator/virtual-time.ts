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

/** After so many turns of the event loop without anything under way, whatever an answer has set off is done. */
const turnsOfRest = 4;
/** Working on one thing for longer is a fault of the bench, in milliseconds. */
const longestWorkMs = 60_000;

/**
 * The clock of a simulated day. It stands still while this process works, and jumps to the next timer when it rests, so that a
 * day takes as long as its work does on any machine, under any load, and nothing ever runs behind the clock. Computing takes
 * no time on it; the latency of the network is a timer like others, and counts.
 *
 * `install` puts this clock and its timers in the place of the process's own, as the daemon, the sandbox and their libraries
 * wait by the global ones. What Node waits for by itself (sockets) keeps the real time.
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

  /** Calls back once, so many milliseconds from now on this clock. */
  after(ms: number, callback: () => void): void {
    new VirtualTimer(this.#timers, this.monotonic, { callback, ms, isRepeated: false, given: [] });
  }

  /** The returned function puts the process's own timers back. */
  install(): () => void {
    const { setTimeout, clearTimeout, setInterval, clearInterval } = globalThis;
    const own = { setTimeout, clearTimeout, setInterval, clearInterval };
    const adding =
      (isRepeated: boolean) =>
      (callback: Callback, ms = 0, ...given: readonly unknown[]) =>
        new VirtualTimer(this.#timers, this.monotonic, { callback, ms, isRepeated, given });
    // A timer that was made before is still one of the process.
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

  /** Lets time go by until `hasEnded`, which is asked whenever the process rests. `isBusy`: whether something is under way. */
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

/** What Node's own timers can do, as far as libraries use it. */
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
