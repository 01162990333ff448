/** An entry of a heap. A newer entry replaces it, and this one is then skipped. */
export interface HeapEntry {
  isCurrent: boolean;
}

/** A binary heap whose entries may change or be removed. Outdated ones stay until they reach the top, or are half of all. */
export class CurrentHeap<Item extends HeapEntry> {
  readonly #compare: (a: Item, b: Item) => number;
  #items: Item[] = [];
  #limit = leastLimit;

  constructor(order: (a: Item, b: Item) => number) {
    this.#compare = order;
  }

  put(item: Item): void {
    if (this.#items.length >= this.#limit) this.#clean();
    this.#rise(item);
  }

  first(): Item | null {
    for (;;) {
      const item = this.#items[0];
      if (!item || item.isCurrent) return item ?? null;
      this.takeFirst();
    }
  }

  takeFirst(): void {
    const last = this.#items.pop();
    if (last && this.#items.length > 0) this.#sink(last);
  }

  #clean(): void {
    const current = this.#items.filter(({ isCurrent }) => isCurrent);
    this.#items = [];
    this.#limit = Math.max(leastLimit, 2 * current.length);
    for (const item of current) this.#rise(item);
  }

  #rise(item: Item): void {
    let at = this.#items.length;
    while (at > 0) {
      const above = this.#items[(at - 1) >> 1];
      if (!above || this.#compare(above, item) <= 0) break;
      this.#items[at] = above;
      at = (at - 1) >> 1;
    }
    this.#items[at] = item;
  }

  #sink(item: Item): void {
    let at = 0;
    for (;;) {
      const left = this.#items[2 * at + 1];
      const right = this.#items[2 * at + 2];
      const isRight = left && right && this.#compare(right, left) < 0;
      const below = isRight ? right : left;
      if (!below || this.#compare(item, below) <= 0) break;
      this.#items[at] = below;
      at = 2 * at + (isRight ? 2 : 1);
    }
    this.#items[at] = item;
  }
}

const leastLimit = 64;
