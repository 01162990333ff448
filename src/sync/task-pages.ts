import type { Element } from "./all-tasks.ts";

interface PageFacts {
  readonly page: number;
  readonly elements: readonly Element[];
  /** Number of elements on all pages, according to this page. */
  readonly total: number;
}

interface Stray {
  readonly page: number;
  /** The edge of that page from which a shift would have moved it to a neighbouring page; null in the middle. */
  readonly edge: "front" | "back" | null;
  /** Turn of the reading that no longer showed it. */
  readonly since: number;
}

/** A search between two pages for the one on which something was added or removed, as the total shows. */
interface Search {
  readonly since: number;
  readonly total: number;
  first: number;
  last: number;
  left: number;
}

/**
 * Knowledge of the account-wide list of tasks, which is read page by page: where each element was last seen, what has moved,
 * and which page to read next after the total has changed. It assumes no particular order: a removed element shifts those
 * behind it by one place. Pure: the same readings give the same results.
 */
export class TaskPages {
  readonly #size: number;
  readonly #pages: (readonly Element[])[] = [];
  /** Turn of the last reading of each page. */
  readonly #readIn: number[] = [];
  readonly #places = new Map<Element, number>();
  readonly #strays = new Map<Element, Stray>();
  #turn = 0;
  #total = 0;
  #search: Search | null = null;
  #scattered = 0;

  constructor(size: number) {
    this.#size = size;
  }

  /** Number of pages; at least one. */
  get count(): number {
    return Math.max(1, Math.ceil(this.#total / this.#size));
  }

  get total(): number {
    return this.#total;
  }

  /** Number of elements seen and not known to be gone. */
  get known(): number {
    return this.#places.size;
  }

  /**
   * How many consecutive readings found a page composed of tasks from many others, as happens if there is no order: any normal
   * change moves tasks by a few pages, or to an end.
   */
  get scattered(): number {
    return this.#scattered;
  }

  /** The first page that was never read; null if all were. */
  get unread(): number | null {
    for (let page = 0; page < this.count; page += 1) if (!this.#readIn[page]) return page;
    return null;
  }

  /** The page on which an element was last seen; null if it was never seen, or is gone. */
  pageOf(element: Element): number | null {
    return this.#places.get(element) ?? null;
  }

  /** Processes one reading of a page. */
  note({ page, elements, total }: PageFacts): void {
    this.#turn += 1;
    const before = this.#pages[page] ?? [];
    if (before.length > 0 && page > 0) this.#judgeOrder(page, elements);
    for (const element of elements) {
      this.#places.set(element, page);
      this.#strays.delete(element);
    }
    this.#pages[page] = elements;
    const hasBeenRead = Boolean(this.#readIn[page]);
    this.#readIn[page] = this.#turn;
    this.#lose(page, { before, elements });
    this.#total = total;
    this.#cut();
    this.#narrow(page, { before: hasBeenRead ? before : null, elements });
  }

  /** Marks all pages as never read; what was seen stays known. */
  expire(): void {
    this.#readIn.length = 0;
    this.#search = null;
  }

  /** Removes an element that is gone or whose list is not polled. */
  forget(element: Element): void {
    this.#places.delete(element);
    this.#strays.delete(element);
  }

  /** The page most likely to show what was added or removed; null if the total is explained. */
  get wanted(): number | null {
    const search = this.#search;
    const more = this.#total - this.#places.size;
    if (!search || search.left === 0 || more === 0) return null;
    const { first, last, since } = search;
    // New elements are mostly at an end, in whatever order.
    const ends = more > 0 ? [this.count - 1, 0] : [];
    const unread = [...ends, Math.floor((first + last) / 2)].find(
      (page) => !this.#isReadSince(page, since),
    );
    return unread ?? (more < 0 ? this.#besides(search) : null);
  }

  /**
   * Elements that are probably gone, for their lists to confirm: if there are fewer than known, one that has left the middle of
   * its page, or is not on the neighbouring page either; else one that no page shows, once all were read.
   */
  get lost(): readonly Element[] {
    if (this.#strays.size === 0) return [];
    const isFewer = this.#total < this.#places.size;
    const oldest = this.#oldestTurn();
    return [...this.#strays].flatMap(([element, { page, edge, since }]) => {
      const next = edge && nextTo(page, edge);
      const isNear = next !== null && next >= 0 && next < this.count;
      const isGone = isFewer && (!isNear || this.#isReadSince(next, since));
      return isGone || oldest > since ? [element] : [];
    });
  }

  #judgeOrder(page: number, elements: readonly Element[]): void {
    const from = elements.map((element) => this.#places.get(element));
    const arrived = from.filter((place) => place !== undefined && place !== page);
    const isScattered = arrived.length > elements.length / 2 && new Set(arrived).size > mostOrigins;
    this.#scattered = isScattered ? this.#scattered + 1 : 0;
  }

  #lose(
    page: number,
    {
      before,
      elements,
    }: { readonly before: readonly Element[]; readonly elements: readonly Element[] },
  ): void {
    const shown = new Set(elements);
    const isLeft = (element: Element) => !shown.has(element);
    const firstKept = before.findIndex((element) => shown.has(element));
    const lastKept = before.findLastIndex((element) => shown.has(element));
    for (const [index, element] of before.entries()) {
      if (!isLeft(element) || this.#places.get(element) !== page) continue;
      const edge = index < firstKept || firstKept < 0 ? "front" : index > lastKept ? "back" : null;
      this.#strays.set(element, { page, edge, since: this.#turn });
    }
  }

  /** Pages beyond the end no longer exist. Their elements have moved forward, or are gone. */
  #cut(): void {
    for (let page = this.#pages.length - 1; page >= this.count; page -= 1) {
      for (const element of this.#pages[page] ?? []) {
        if (this.#places.get(element) !== page) continue;
        this.#strays.set(element, { page, edge: "front", since: this.#turn });
      }
    }
    this.#pages.length = Math.min(this.#pages.length, this.count);
    this.#readIn.length = Math.min(this.#readIn.length, this.count);
  }

  #narrow(
    page: number,
    {
      before,
      elements,
    }: { readonly before: readonly Element[] | null; readonly elements: readonly Element[] },
  ): void {
    if (this.#total === this.#places.size || this.unread !== null) {
      this.#search = null;
      return;
    }
    if (this.#search?.total !== this.#total) {
      const last = this.count - 1;
      const left = 2 * Math.ceil(Math.log2(this.count + 1)) + 6;
      this.#search = { since: this.#turn - 1, total: this.#total, first: 0, last, left };
    }
    const search = this.#search;
    search.left = Math.max(0, search.left - 1);
    if (before === null || page < search.first || page > search.last) return;
    const isMoved = before[0] !== elements[0];
    if (isMoved) search.last = page;
    else if (isEqual(before, elements)) search.first = Math.min(page + 1, search.last);
    else [search.first, search.last] = [page, page];
  }

  /** The page next to the one found, if it may have got an element from its edge. */
  #besides({ first, last }: Search): number | null {
    for (const { page, edge, since } of this.#strays.values()) {
      if (edge === null || page < first || page > last) continue;
      const next = nextTo(page, edge);
      if (next >= 0 && next < this.count && !this.#isReadSince(next, since)) return next;
    }
    return null;
  }

  #isReadSince(page: number, turn: number): boolean {
    return (this.#readIn[page] ?? 0) > turn;
  }

  #oldestTurn(): number {
    let oldest = this.#turn;
    for (let page = 0; page < this.count; page += 1) {
      oldest = Math.min(oldest, this.#readIn[page] ?? 0);
    }
    return oldest;
  }
}

/** A shift brings tasks from the two pages where the old place of a page ends. */
const mostOrigins = 2;

const nextTo = (page: number, edge: "front" | "back"): number => page + (edge === "front" ? -1 : 1);

const isEqual = (a: readonly Element[], b: readonly Element[]): boolean =>
  a.length === b.length && a.every((element, index) => element === b[index]);
