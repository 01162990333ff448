import type { ServiceId } from "../../domain/ids.ts";

/** The rows of one source written since a moment, by anyone. Rows changed back count too. */
export interface RowWatch {
  /** Ids of rows that were added, changed, moved or buried, and of tasks whose subtasks changed. */
  readonly touched: ReadonlySet<ServiceId>;
  /** Forgets what was recorded so far. */
  restart(): void;
  end(): void;
}

const none: ReadonlySet<ServiceId> = new Set();

/** Watchers of written rows. Writes by other processes are not seen. */
export class RowWatches {
  readonly #watches = new Map<string, readonly Watch[]>();
  readonly #followers: ((source: string, id: ServiceId) => void)[] = [];
  readonly #onTouch: (source: string) => void;

  /** `onTouch`: called with each source of which a row is written, inside that transaction. */
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

  /** Calls back for every row written from now on, in any source, also if only its time changed. */
  follow(listener: (source: string, id: ServiceId) => void): void {
    this.#followers.push(listener);
  }

  touch(source: string, id: ServiceId): void {
    for (const watch of this.#of(source)) watch.touch(id);
    this.#onTouch(source);
    this.date(source, id);
  }

  /** Records that only the time of a row changed. */
  date(source: string, id: ServiceId): void {
    for (const listener of this.#followers) listener(source, id);
  }

  #of(source: string): readonly Watch[] {
    return this.#watches.get(source) ?? [];
  }
}

class Watch implements RowWatch {
  readonly end: () => void;
  // Created on demand: most of the thousands of sources have no writes between two polls.
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
