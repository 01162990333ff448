import type { PersonId } from "../domain/ids.ts";

/** Who holds a key: a person with one of the own, or null for the account. */
type Holder = PersonId | null;

/** Which keys the service refuses, as far as the answers of this process tell. */
export interface KeyHealth {
  /** Null where no answer has told yet. */
  isRefused(holder: Holder): boolean | null;
}

/** So many different requests that are all forbidden mean the key and not what was asked for. */
const mostForbidden = 5;

/**
 * Watches what the service says to each key. 401 is about the key; 403 may be about one thing that was asked for, so that
 * several are needed, with nothing else in between. An answer that no key would change (404, 5xx) tells nothing.
 */
export class KeyWatch implements KeyHealth {
  readonly #refused = new Map<Holder, boolean>();
  readonly #forbidden = new Map<Holder, Set<string>>();

  note(holder: Holder, answer: { readonly request: string; readonly status: number }): void {
    const { request, status } = answer;
    if (status === 401) this.#refused.set(holder, true);
    if (status >= 200 && status < 300) {
      this.#refused.set(holder, false);
      this.#forbidden.delete(holder);
    }
    if (status !== 403) return;
    const forbidden = this.#forbidden.get(holder) ?? new Set();
    this.#forbidden.set(holder, forbidden.add(request));
    if (forbidden.size >= mostForbidden) this.#refused.set(holder, true);
  }

  isRefused(holder: Holder): boolean | null {
    return this.#refused.get(holder) ?? null;
  }
}
