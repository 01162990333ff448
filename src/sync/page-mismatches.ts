import { later } from "../domain/backoff.ts";
import { type Element, elementNameOf, elementOf, rowOf } from "./all-tasks.ts";
import type { PageMismatch } from "./apply-page.ts";
import type { SyncContext } from "./sync-context.ts";
import type { TaskPages } from "./task-pages.ts";

interface PageMismatchesDeps extends SyncContext {
  /** Requests a page soon. */
  readonly requestSoon: (page: number) => void;
  /** Called with the reason why pages and lists contradict each other; all mismatches are dropped then. */
  readonly onDisagreement: (reason: string) => void;
}

/** A disagreement between a page and a list. Either may be outdated. */
interface Mismatch {
  /** The element's content on the page; null: no page shows it. */
  readonly content: string | null;
  readonly source: string;
  readonly page: number | null;
  readonly since: Temporal.Instant;
  /** True if the list was read since, and did not confirm the page. */
  readonly isListRead: boolean;
  readonly strikes: number;
  /** No further strike against the pages before this moment. */
  readonly restsUntil: Temporal.Instant;
}

/** Time before a repeated disagreement counts against the pages again, and how many are tolerated. */
export const patience = Temporal.Duration.from({ seconds: 20 });
const mostStrikes = 3;

/**
 * Elements on which pages of all tasks and their lists disagree. The list is polled, and if it does not confirm the page, the
 * page again, as either answer may have been outdated. A page that keeps contradicting its list is a disagreement.
 */
export class PageMismatches {
  readonly #deps: PageMismatchesDeps;
  readonly #mismatches = new Map<Element, Mismatch>();
  /** The last hint from an element that omits fields. */
  readonly #hinted = new Map<Element, string>();

  constructor(deps: PageMismatchesDeps) {
    this.#deps = deps;
  }

  get size(): number {
    return this.#mismatches.size;
  }

  clear(): void {
    this.#mismatches.clear();
    this.#hinted.clear();
  }

  /** Pages agree with the mirror about these elements. */
  settle(elements: Iterable<Element>): void {
    for (const element of elements) this.#mismatches.delete(element);
  }

  /** Records an element of a page that differs from the mirror; returns whether that is new. */
  raise(page: number, { item, content, source, isHint }: PageMismatch): boolean {
    const { sources, clock } = this.#deps;
    const element = elementOf(item);
    if (isHint) {
      const updatedAt = item.updatedAt?.toString() ?? "";
      if (this.#hinted.get(element) === updatedAt) return false;
      this.#hinted.set(element, updatedAt);
      sources.hurry(source);
      return true;
    }
    const known = this.#mismatches.get(element);
    if (known?.content === content) {
      this.#strike(element, known);
      return false;
    }
    const since = clock();
    this.#mismatches.set(element, { ...unheard, content, source, page, since, restsUntil: since });
    sources.hurry(source);
    return true;
  }

  /** Records elements that are in their list and on no page. */
  missLost(pages: TaskPages): void {
    const { sources, clock } = this.#deps;
    for (const element of pages.lost) {
      const row = this.#rowOf(element);
      if (!row || !sources.get(row.source)) {
        pages.forget(element);
        this.#mismatches.delete(element);
        continue;
      }
      const known = this.#mismatches.get(element);
      if (known?.content === null) {
        if (this.#strike(element, known)) return;
        continue;
      }
      const since = clock();
      const mismatch = { ...unheard, content: null, page: null, since, restsUntil: since };
      this.#mismatches.set(element, { ...mismatch, source: row.source });
      sources.hurry(row.source);
    }
  }

  /** A list was read by a request sent at `at`. */
  listRead(
    source: string,
    { at, pages }: { readonly at: Temporal.Instant; readonly pages: TaskPages },
  ): void {
    for (const [element, mismatch] of this.#mismatches) {
      const isLater = Temporal.Instant.compare(at, mismatch.since) >= 0;
      if (mismatch.source === source && isLater) this.#listAnswered(element, { mismatch, pages });
    }
  }

  /** Requests the pages of unresolved mismatches again, after a pause. */
  retry(pages: TaskPages): void {
    const now = this.#deps.clock();
    for (const [element, mismatch] of this.#mismatches) {
      if (mismatch.content === null && !this.#rowOf(element)) {
        this.#mismatches.delete(element);
        pages.forget(element);
      } else if (
        mismatch.isListRead &&
        mismatch.strikes > 0 &&
        Temporal.Instant.compare(mismatch.restsUntil, now) <= 0
      ) {
        this.#deps.requestSoon(pages.pageOf(element) ?? mismatch.page ?? 0);
      }
    }
  }

  #listAnswered(
    element: Element,
    { mismatch, pages }: { readonly mismatch: Mismatch; readonly pages: TaskPages },
  ): void {
    const row = this.#rowOf(element);
    if ((row?.content ?? null) === mismatch.content) {
      this.#mismatches.delete(element);
      if (!row) pages.forget(element);
      return;
    }
    // If the list lacks it too, a deletion check requests the item.
    const isAsked =
      mismatch.content === null && row !== null && this.#deps.store.absences.get(row.key) !== null;
    if (isAsked) return;
    this.#mismatches.set(element, { ...mismatch, isListRead: true });
    if (mismatch.strikes === 0 && mismatch.page !== null) this.#deps.requestSoon(mismatch.page);
  }

  /** Counts a repeated disagreement after the list was read; returns whether there were too many. */
  #strike(element: Element, mismatch: Mismatch): boolean {
    const { sources, clock, onDisagreement } = this.#deps;
    const now = clock();
    if (!mismatch.isListRead || Temporal.Instant.compare(mismatch.restsUntil, now) > 0)
      return false;
    const strikes = mismatch.strikes + 1;
    if (strikes >= mostStrikes) {
      const name = elementNameOf(element);
      onDisagreement(
        mismatch.content === null
          ? `${name} is on none of its pages, though its list shows it`
          : `it shows ${name} in another state than its list`,
      );
      return true;
    }
    const restsUntil = later(now, patience);
    this.#mismatches.set(element, {
      ...mismatch,
      strikes,
      isListRead: false,
      since: now,
      restsUntil,
    });
    sources.hurry(mismatch.source);
    return false;
  }

  #rowOf(element: Element) {
    return rowOf(this.#deps.store.mirror, element);
  }
}

const unheard = { isListRead: false, strikes: 0 } as const;
