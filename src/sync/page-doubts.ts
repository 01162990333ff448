import { later } from "../domain/backoff.ts";
import type { Store } from "../store/store.ts";
import { elementNameOf, pageElementOf, rowOf } from "./applied-pages.ts";
import type { PageDoubt } from "./apply-page.ts";
import type { SourceList } from "./source-list.ts";
import type { Element, TaskPages } from "./task-pages.ts";

interface PageDoubtsDeps {
  readonly store: Store;
  readonly sources: SourceList;
  readonly clock: () => Temporal.Instant;
  /** Requests a page soon. */
  readonly urge: (page: number) => void;
  /** Called with the reason why pages and lists contradict each other; all doubts end then. */
  readonly onDisagreement: (reason: string) => void;
}

/** A disagreement between pages and lists that may still resolve. */
interface Doubt {
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
export class PageDoubts {
  readonly #deps: PageDoubtsDeps;
  readonly #doubts = new Map<Element, Doubt>();
  /** The last hint from an element that omits fields. */
  readonly #hinted = new Map<Element, string>();

  constructor(deps: PageDoubtsDeps) {
    this.#deps = deps;
  }

  get size(): number {
    return this.#doubts.size;
  }

  clear(): void {
    this.#doubts.clear();
    this.#hinted.clear();
  }

  /** Pages agree with the mirror about these. */
  settle(elements: Iterable<Element>): void {
    for (const element of elements) this.#doubts.delete(element);
  }

  /** Records an element of a page that differs from the mirror; returns whether that is new. */
  raise(page: number, { item, content, source, isHint }: PageDoubt): boolean {
    const { sources, clock } = this.#deps;
    const element = pageElementOf(item);
    if (isHint) {
      const updatedAt = item.updatedAt?.toString() ?? "";
      if (this.#hinted.get(element) === updatedAt) return false;
      this.#hinted.set(element, updatedAt);
      sources.hurry(source);
      return true;
    }
    const known = this.#doubts.get(element);
    if (known?.content === content) {
      this.#strike(element, known);
      return false;
    }
    const since = clock();
    this.#doubts.set(element, { ...unheard, content, source, page, since, restsUntil: since });
    sources.hurry(source);
    return true;
  }

  /** An element that its list still shows and no page does is a disagreement too. */
  missLost(pages: TaskPages): void {
    const { sources, clock } = this.#deps;
    for (const element of pages.lost) {
      const row = this.#rowOf(element);
      if (!row || !sources.get(row.source)) {
        pages.forget(element);
        this.#doubts.delete(element);
        continue;
      }
      const known = this.#doubts.get(element);
      if (known?.content === null) {
        if (this.#strike(element, known)) return;
        continue;
      }
      const since = clock();
      const doubt = { ...unheard, content: null, page: null, since, restsUntil: since };
      this.#doubts.set(element, { ...doubt, source: row.source });
      sources.hurry(row.source);
    }
  }

  /** A list was read by a request sent at `at`. */
  listRead(
    source: string,
    { at, pages }: { readonly at: Temporal.Instant; readonly pages: TaskPages },
  ): void {
    for (const [element, doubt] of this.#doubts) {
      const isLater = Temporal.Instant.compare(at, doubt.since) >= 0;
      if (doubt.source === source && isLater) this.#hear(element, { doubt, pages });
    }
  }

  /** Requests the pages of unresolved doubts again, after a pause. */
  retry(pages: TaskPages): void {
    const now = this.#deps.clock();
    for (const [element, doubt] of this.#doubts) {
      if (doubt.content === null && !this.#rowOf(element)) {
        this.#doubts.delete(element);
        pages.forget(element);
      } else if (
        doubt.isListRead &&
        doubt.strikes > 0 &&
        Temporal.Instant.compare(doubt.restsUntil, now) <= 0
      ) {
        this.#deps.urge(pages.pageOf(element) ?? doubt.page ?? 0);
      }
    }
  }

  #hear(
    element: Element,
    { doubt, pages }: { readonly doubt: Doubt; readonly pages: TaskPages },
  ): void {
    const row = this.#rowOf(element);
    if ((row?.content ?? null) === doubt.content) {
      this.#doubts.delete(element);
      if (!row) pages.forget(element);
      return;
    }
    // If the list lacks it too, the item is looked up by itself, and is then gone or found elsewhere.
    const isAsked =
      doubt.content === null && row !== null && this.#deps.store.absences.get(row.key) !== null;
    if (isAsked) return;
    this.#doubts.set(element, { ...doubt, isListRead: true });
    if (doubt.strikes === 0 && doubt.page !== null) this.#deps.urge(doubt.page);
  }

  /** Counts a repeated disagreement after the list was read; returns whether there were too many. */
  #strike(element: Element, doubt: Doubt): boolean {
    const { sources, clock, onDisagreement } = this.#deps;
    const now = clock();
    if (!doubt.isListRead || Temporal.Instant.compare(doubt.restsUntil, now) > 0) return false;
    const strikes = doubt.strikes + 1;
    if (strikes >= mostStrikes) {
      const name = elementNameOf(element);
      onDisagreement(
        doubt.content === null
          ? `${name} is on none of its pages, though its list shows it`
          : `it shows ${name} in another state than its list`,
      );
      return true;
    }
    const restsUntil = later(now, patience);
    this.#doubts.set(element, { ...doubt, strikes, isListRead: false, since: now, restsUntil });
    sources.hurry(doubt.source);
    return false;
  }

  #rowOf(element: Element) {
    return rowOf(this.#deps.store.mirror, element);
  }
}

const unheard = { isListRead: false, strikes: 0 } as const;
