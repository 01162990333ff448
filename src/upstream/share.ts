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

  /** `before`: what an earlier process was left with, and since when it was quiet. */
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
