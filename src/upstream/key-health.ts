import type { PersonId } from "../domain/ids.ts";

/** Owner of a key: a person, or null for the account. */
type Holder = PersonId | null;

/** Which keys the service refuses, judging by this process's answers. */
export interface KeyHealth {
  /** Null without an answer yet. */
  isRefused(holder: Holder): boolean | null;
}

/** This many different forbidden requests mean that the key itself is refused. */
const mostForbidden = 5;

/**
 * Watches the service's answers to each key. A 401 concerns the key. A 403 may concern one resource, so several in a row are
 * needed. An answer that no key would change (404, 5xx) proves nothing.
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
