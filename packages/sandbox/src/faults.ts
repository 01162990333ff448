import type { StartTimer } from "./runtime.ts";

/** What goes wrong with a request. "Effect" is what the request does to the workspace. */
type FaultKind =
  /** Answered at once with this status; no effect. */
  | {
      readonly kind: "status";
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body?: unknown;
    }
  /** The connection dies without effect. */
  | { readonly kind: "drop-before" }
  /** The effect happens, then the connection dies without an answer. */
  | { readonly kind: "drop-after" }
  /** No effect and no answer until someone closes the connection. */
  | { readonly kind: "hang-before" }
  /** The effect happens, the answer never comes. */
  | { readonly kind: "hang-after" }
  /** 200 with an HTML page, as a captive portal answers; no effect. */
  | { readonly kind: "html" }
  /** The effect happens; half of the answer arrives under the full Content-Length, or with `plain` as if it were all. */
  | { readonly kind: "cut"; readonly plain?: boolean }
  /** The effect happens; the answer is 200 with another JSON body. */
  | { readonly kind: "replace"; readonly body: unknown }
  /** The effect happens; the JSON of the answer is changed. Must give a new value or change its own copy. */
  | { readonly kind: "transform"; readonly transform: (json: unknown) => unknown }
  /**
   * No answer to be used, and the effect happens later: `ms` milliseconds after the request, or when `deliverLate` is called. What comes
   * at once is a closed connection (`drop`), this status, or nothing (`hang`, also when absent).
   */
  | { readonly kind: "late"; readonly ms?: number; readonly answer?: "hang" | "drop" | number }
  /** The effect happens; the answer comes `ms` milliseconds later. */
  | { readonly kind: "delay"; readonly ms: number };

/** Which requests a fault hits; `path` is matched against the whole path without query. `times` is 1 when absent. */
export type Fault = FaultKind & {
  readonly method?: string;
  readonly path?: RegExp;
  readonly times?: number;
};

/** Faults waiting for their requests; the oldest that fits is used first. */
export class Faults {
  readonly #startTimer: StartTimer;
  #waiting: { readonly fault: Fault; left: number }[] = [];
  #undelivered: (() => void)[] = [];
  readonly #timers = new Set<() => void>();

  constructor(startTimer: StartTimer) {
    this.#startTimer = startTimer;
  }

  add(fault: Fault): void {
    this.#waiting.push({ fault, left: fault.times ?? 1 });
  }

  /** Lets go of all of them; requests that are late are never carried out. */
  clear(): void {
    this.#waiting = [];
    this.#undelivered = [];
    for (const takeBack of this.#timers) takeBack();
    this.#timers.clear();
  }

  /** Keeps the effect of a late request, for its time or until `deliverLate`. */
  delay(effect: () => void, ms: number | undefined): void {
    if (ms === undefined) {
      this.#undelivered.push(effect);
      return;
    }
    const timer = this.#startTimer(ms, () => {
      this.#timers.delete(timer.cancel);
      effect();
    });
    this.#timers.add(timer.cancel);
  }

  /** Carries out the oldest late requests that wait for it, all by default; returns how many. */
  deliverLate(most = this.#undelivered.length): number {
    const due = this.#undelivered.splice(0, most);
    for (const effect of due) effect();
    return due.length;
  }

  /** The fault for this request, used up by one; undefined when none fits. */
  take(request: { readonly method: string; readonly path: string }): Fault | undefined {
    const hit = this.#waiting.find(
      ({ fault }) =>
        (fault.method === undefined || fault.method === request.method) &&
        (fault.path === undefined || request.path.search(fault.path) >= 0),
    );
    if (hit === undefined) return undefined;
    hit.left -= 1;
    this.#waiting = this.#waiting.filter((it) => it.left > 0);
    return hit.fault;
  }
}
