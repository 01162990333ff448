import type { ServiceId } from "../../domain/ids.ts";

/** The rows of one source that were written since a moment, by whomever. What was undone again counts too. */
export interface RowWatch {
  /** Ids of rows that were added, changed, taken elsewhere or buried, and of tasks whose subtasks came or went. */
  readonly touched: ReadonlySet<ServiceId>;
  /** Begins anew: what was written so far is known. */
  restart(): void;
  end(): void;
}

const none: ReadonlySet<ServiceId> = new Set();

/** Who wants to know which rows of a source are written. It knows nothing of what other processes write. */
export class RowWatches {
  readonly #watches = new Map<string, readonly Watch[]>();
  readonly #followers: ((source: string, id: ServiceId) => void)[] = [];
  readonly #onTouch: (source: string) => void;

  /** `onTouch`: told of each source of which a row is written, in the transaction that does so. */
  constructor(onTouch: (source: string) => void) {
    this.#onTouch = onTouch;
  }

  watch(source: string): RowWatch {
    const watch = new Watch(() => {
      const others = this.#of(source).filter((other) => other !== watch);
      if (others.length > 0) this.#watches.set(source, others);
      else this.#watches.delete(source);
    });
    this.#watches.set(source, [...this.#of(source), watch]);
    return watch;
  }

  /** Tells of every row that is written from now on, in whatever source, also where nothing but its time is another. */
  follow(told: (source: string, id: ServiceId) => void): void {
    this.#followers.push(told);
  }

  touch(source: string, id: ServiceId): void {
    for (const watch of this.#of(source)) watch.touch(id);
    this.#onTouch(source);
    this.date(source, id);
  }

  /** Notes that a row was written of which only the time has changed: what it says is what it said. */
  date(source: string, id: ServiceId): void {
    for (const told of this.#followers) told(source, id);
  }

  #of(source: string): readonly Watch[] {
    return this.#watches.get(source) ?? [];
  }
}

class Watch implements RowWatch {
  readonly end: () => void;
  // Nothing is written in most sources between two polls, and there are thousands of them.
  #touched: Set<ServiceId> | null = null;

  constructor(end: () => void) {
    this.end = end;
  }

  get touched(): ReadonlySet<ServiceId> {
    return this.#touched ?? none;
  }

  touch(id: ServiceId): void {
    this.#touched ??= new Set();
    this.#touched.add(id);
  }

  restart(): void {
    this.#touched = null;
  }
}
