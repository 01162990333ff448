import type { StartTimer } from "./runtime.ts";

/** What goes wrong with a request. "Effect" is what the request does to the workspace. */
type FaultKind =
  /** Responds at once with this status; no effect. */
  | {
      readonly kind: "status";
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body?: unknown;
    }
  /** The connection closes without effect. */
  | { readonly kind: "drop-before" }
  /** The effect happens, then the connection closes without a response. */
  | { readonly kind: "drop-after" }
  /** No effect and no response until somebody closes the connection. */
  | { readonly kind: "hang-before" }
  /** The effect happens, the response never comes. */
  | { readonly kind: "hang-after" }
  /** 200 with an HTML page, like a captive portal; no effect. */
  | { readonly kind: "html" }
  /** The effect happens; half of the response arrives with the full Content-Length, or with `plain` as if it were complete. */
  | { readonly kind: "cut"; readonly plain?: boolean }
  /** The effect happens; the response is 200 with another JSON body. */
  | { readonly kind: "replace"; readonly body: unknown }
  /** The effect happens; the JSON of the response is changed. Must return a new value or change its own copy. */
  | { readonly kind: "transform"; readonly transform: (json: unknown) => unknown }
  /**
   * No usable response, and the effect happens later: `ms` milliseconds after the request, or when `deliverLate` is called.
   * What comes at once is a closed connection (`drop`), this status, or nothing (`hang`, the default).
   */
  | { readonly kind: "late"; readonly ms?: number; readonly answer?: "hang" | "drop" | number }
  /** The effect happens; the response comes `ms` milliseconds later. */
  | { readonly kind: "delay"; readonly ms: number };

/** Which requests a fault applies to; `path` is matched against the whole path without query. `times` is 1 by default. */
export type Fault = FaultKind & {
  readonly method?: string;
  readonly path?: RegExp;
  readonly times?: number;
};

/** Pending faults; the oldest that matches is used first. */
export class Faults {
  readonly #startTimer: StartTimer;
  #waiting: { readonly fault: Fault; left: number }[] = [];
  /** Effects of late requests, oldest first; `cancel` ends the timer of one with a time. */
  #undelivered: { readonly effect: () => void; readonly cancel: () => void }[] = [];

  constructor(startTimer: StartTimer) {
    this.#startTimer = startTimer;
  }

  add(fault: Fault): void {
    this.#waiting.push({ fault, left: fault.times ?? 1 });
  }

  /** Drops all of them; late requests are never carried out. */
  clear(): void {
    this.#waiting = [];
    for (const { cancel } of this.#undelivered) cancel();
    this.#undelivered = [];
  }

  /** Keeps the effect of a late request until its time or `deliverLate`. */
  delay(effect: () => void, ms: number | undefined): void {
    if (ms === undefined) {
      this.#undelivered.push({ effect, cancel() {} });
      return;
    }
    const { cancel } = this.#startTimer(ms, () => {
      this.#undelivered = this.#undelivered.filter((one) => one !== late);
      effect();
    });
    const late = { effect, cancel };
    this.#undelivered.push(late);
  }

  /** Carries out the oldest pending late requests, all by default; returns how many. */
  deliverLate(most = this.#undelivered.length): number {
    const due = this.#undelivered.splice(0, most);
    for (const { effect, cancel } of due) {
      cancel();
      effect();
    }
    return due.length;
  }

  /** The fault for this request, used up by one; undefined if none matches. */
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
