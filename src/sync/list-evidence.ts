import { later } from "../domain/backoff.ts";
import type { Item } from "../domain/item.ts";
import { type Element, elementOf } from "./all-tasks.ts";
import { patience } from "./page-mismatches.ts";
import type { TaskPages } from "./task-pages.ts";

const mostTaken = 10_000;

/** The state of an element in a list: older than on an earlier page, or one that `page` must show too (null = any page). */
type Shown = { readonly kind: "older" } | { readonly kind: "news"; readonly page: number | null };

/** Compares what lists show of elements with what pages showed before, and must show later. */
export class ListEvidence {
  /** Elements shown by lists and by no page yet, with the time when the list was read. */
  readonly #unseen = new Map<Element, Temporal.Instant>();
  /** Change times of what pages have brought into the mirror, latest last. */
  readonly #taken = new Map<Element, Temporal.Instant>();
  /** When each page was last read. */
  readonly #readAt: Temporal.Instant[] = [];

  clear(): void {
    this.#unseen.clear();
    this.#taken.clear();
  }

  /** True if this process has read the page. */
  isRead(page: number): boolean {
    return this.#readAt[page] !== undefined;
  }

  pageRead(page: number, elements: readonly Element[], at: Temporal.Instant): void {
    for (const element of elements) this.#unseen.delete(element);
    this.#readAt[page] = at;
  }

  /** Records an item that a page has brought into the mirror. */
  taken(item: Item): void {
    if (item.kind === "event" || !item.updatedAt) return;
    const element = elementOf(item);
    this.#taken.delete(element);
    this.#taken.set(element, item.updatedAt);
    const [oldest] = this.#taken.keys();
    if (this.#taken.size > mostTaken && oldest !== undefined) this.#taken.delete(oldest);
  }

  /** Records a new or changed element of a list that was requested at `at`. */
  listed(
    element: Element,
    {
      updatedAt,
      at,
      pages,
    }: {
      readonly updatedAt: Temporal.Instant | null;
      readonly at: Temporal.Instant;
      readonly pages: TaskPages;
    },
  ): Shown {
    const taken = this.#taken.get(element);
    if (taken && updatedAt && Temporal.Instant.compare(updatedAt, taken) < 0) {
      return { kind: "older" };
    }
    const page = pages.pageOf(element);
    if (page === null && !this.#unseen.has(element)) this.#unseen.set(element, at);
    return { kind: "news", page };
  }

  /** Removes and returns the oldest element that no page shows, if all pages were read since; otherwise null. */
  takeOverdue(pageCount: number): Element | null {
    const [oldest] = this.#unseen;
    if (!oldest) return null;
    const [element, since] = oldest;
    const isReadSince = (page: number) => {
      const at = this.#readAt[page];
      return at !== undefined && Temporal.Instant.compare(at, later(since, patience)) > 0;
    };
    if (!Array.from({ length: pageCount }, (_, page) => page).every(isReadSince)) return null;
    this.#unseen.delete(element);
    return element;
  }
}
