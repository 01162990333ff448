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
  /** Has a page read soon. */
  readonly urge: (page: number) => void;
  /** Told why pages and lists cannot both be right; all doubts are over then. */
  readonly onDisagreement: (reason: string) => void;
}

/** A disagreement between pages and lists that may still turn out to be none. */
interface Doubt {
  /** What the page says of the element; null: no page shows it. */
  readonly content: string | null;
  readonly source: string;
  readonly page: number | null;
  readonly since: Temporal.Instant;
  /** Whether the list was read since, and did not bear the pages out. */
  readonly isListRead: boolean;
  readonly strikes: number;
  /** Before this moment nothing is held against the pages again. */
  readonly restsUntil: Temporal.Instant;
}

/** How long pages that were found lacking stay lacking before that is held against them again, and how often that is. */
export const patience = Temporal.Duration.from({ seconds: 20 });
const mostStrikes = 3;

/**
 * What pages of all tasks and their lists say differently of elements. The list is asked, and if it does not bear the page out the
 * page again: either answer may have been on its way while the other changed, or lag behind. A page that goes on to say what
 * its list does not is a disagreement.
 */
export class PageDoubts {
  readonly #deps: PageDoubtsDeps;
  readonly #doubts = new Map<Element, Doubt>();
  /** What an element that leaves something out was last taken for a hint of. */
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

  /** Pages show these as the mirror has them. */
  settle(elements: Iterable<Element>): void {
    for (const element of elements) this.#doubts.delete(element);
  }

  /** Takes note of an element of a page that differs from the mirror; whether that is news. */
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

  /** An element that its list still shows and no page does is a disagreement like any other. */
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

  /** A list has said what it knows, in a request that left at `at`. */
  listRead(
    source: string,
    { at, pages }: { readonly at: Temporal.Instant; readonly pages: TaskPages },
  ): void {
    for (const [element, doubt] of this.#doubts) {
      const isLater = Temporal.Instant.compare(at, doubt.since) >= 0;
      if (doubt.source === source && isLater) this.#hear(element, { doubt, pages });
    }
  }

  /** Has pages read again that were found lacking, once they have rested. */
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
    // What the list does not show either is asked for by itself, and then gone or found elsewhere.
    const isAsked =
      doubt.content === null && row !== null && this.#deps.store.absences.get(row.key) !== null;
    if (isAsked) return;
    this.#doubts.set(element, { ...doubt, isListRead: true });
    if (doubt.strikes === 0 && doubt.page !== null) this.#deps.urge(doubt.page);
  }

  /** Holds against the pages that they say the same again, where their list was asked; whether that was once too often. */
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
