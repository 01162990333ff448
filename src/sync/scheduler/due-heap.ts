/** Something that waits in a heap; `due` is the heap's own to write, and null outside of it. */
export interface Waiting {
  due: number | null;
}

/**
 * A binary heap of things by the moment that they are due. What is put again counts from its latest moment only: the
 * older entry stays until it comes to the top, and is then passed over.
 */
export class DueHeap<Item extends Waiting> {
  #dues: number[] = [];
  #items: Item[] = [];

  put(item: Item, due: number): void {
    item.due = due;
    let at = this.#dues.length;
    while (at > 0) {
      const above = (at - 1) >> 1;
      if ((this.#dues[above] ?? 0) <= due) break;
      this.#move(above, at);
      at = above;
    }
    this.#dues[at] = due;
    this.#items[at] = item;
  }

  /** Whether it was there. */
  delete(item: Item): boolean {
    const waited = item.due !== null;
    item.due = null;
    return waited;
  }

  clear(): void {
    for (const item of this.#items) item.due = null;
    this.#dues.length = 0;
    this.#items.length = 0;
  }

  /** The earliest moment; infinite when nothing is left. */
  get earliest(): number {
    for (;;) {
      const item = this.#items[0];
      const due = this.#dues[0];
      if (item === undefined || due === undefined) return Number.POSITIVE_INFINITY;
      if (item.due === due) return due;
      this.#dropFirst();
    }
  }

  /** Takes one that is due by `now`; null when none is. */
  take(now: number): Item | null {
    if (this.earliest > now) return null;
    const item = this.#items[0];
    if (item === undefined) return null;
    item.due = null;
    this.#dropFirst();
    return item;
  }

  #dropFirst(): void {
    const due = this.#dues.pop();
    const item = this.#items.pop();
    const size = this.#dues.length;
    if (due === undefined || item === undefined || size === 0) return;
    let at = 0;
    for (;;) {
      let below = 2 * at + 1;
      if (below >= size) break;
      if (below + 1 < size && (this.#dues[below + 1] ?? 0) < (this.#dues[below] ?? 0)) below += 1;
      if ((this.#dues[below] ?? 0) >= due) break;
      this.#move(below, at);
      at = below;
    }
    this.#dues[at] = due;
    this.#items[at] = item;
  }

  #move(from: number, to: number): void {
    const item = this.#items[from];
    if (item === undefined) return;
    this.#dues[to] = this.#dues[from] ?? 0;
    this.#items[to] = item;
  }
}
