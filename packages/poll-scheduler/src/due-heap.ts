/** Something that waits in a heap; `due` is written only by the heap, and null outside of it. */
export interface Waiting {
  due: number | null;
}

/**
 * A binary heap ordered by due time. Putting an item again replaces its time: the older entry stays until it reaches the top
 * and is then skipped.
 */
export class DueHeap<Item extends Waiting> {
  #dues: number[] = [];
  #items: Item[] = [];
  #size = 0;

  put(item: Item, due: number): void {
    if (item.due === null) this.#size += 1;
    item.due = due;
    if (this.#dues.length > 2 * this.#size + fewEntries) this.#dropOld();
    this.#push(item, due);
  }

  #push(item: Item, due: number): void {
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

  /** Returns true if it was in the heap. */
  delete(item: Item): boolean {
    const waited = item.due !== null;
    if (waited) this.#size -= 1;
    item.due = null;
    return waited;
  }

  clear(): void {
    for (const item of this.#items) item.due = null;
    this.#dues.length = 0;
    this.#items.length = 0;
    this.#size = 0;
  }

  /** The earliest item; null if empty. */
  get first(): Item | null {
    for (;;) {
      const item = this.#items[0];
      if (item === undefined) return null;
      if (item.due === this.#dues[0]) return item;
      this.#dropFirst();
    }
  }

  /** The earliest time; infinite if empty. */
  get earliest(): number {
    return this.first?.due ?? Number.POSITIVE_INFINITY;
  }

  /** Takes one that is due by `now`; null if none is. */
  take(now: number): Item | null {
    const { first } = this;
    if (first === null || (first.due ?? now) > now) return null;
    this.delete(first);
    this.#dropFirst();
    return first;
  }

  /** Stale entries of items put again and again would fill the memory if the first item stays long. */
  #dropOld(): void {
    const live = this.#items.filter((item, at) => item.due === this.#dues[at]);
    this.#dues.length = 0;
    this.#items.length = 0;
    for (const item of new Set(live)) if (item.due !== null) this.#push(item, item.due);
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

/** Below this many entries, cleaning up is not worthwhile. */
const fewEntries = 64;
