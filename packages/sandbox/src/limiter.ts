/** The service's quota. `perMs` is in milliseconds. */
export interface Quota {
  readonly requests: number;
  readonly perMs: number;
}

/**
 * A sliding window per address: at most `requests` accepted in any `perMs`. A rejected request does not count. Source:
 * service-api.md, Limits.
 */
export class Limiter {
  readonly #quota: Quota;
  readonly #acceptedByAddress = new Map<string, number[]>();

  constructor(quota: Quota) {
    this.#quota = quota;
  }

  /** null if the request at `now` (ms) is within the quota; otherwise the whole seconds to wait, at least 1. */
  refusalSeconds(address: string, now: number): number | null {
    const { requests, perMs } = this.#quota;
    const accepted = this.#acceptedByAddress.get(address) ?? [];
    this.#acceptedByAddress.set(address, accepted);
    const stale = accepted.findIndex((at) => at > now - perMs);
    accepted.splice(0, stale < 0 ? accepted.length : stale);
    const oldest = accepted[0];
    if (oldest === undefined || accepted.length < requests) {
      accepted.push(now);
      return null;
    }
    return Math.max(1, Math.ceil((oldest + perMs - now) / 1000));
  }
}
