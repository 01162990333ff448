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

  watch(source: string): RowWatch {
    const watch = new Watch(() => {
      const others = this.#of(source).filter((other) => other !== watch);
      if (others.length > 0) this.#watches.set(source, others);
      else this.#watches.delete(source);
    });
    this.#watches.set(source, [...this.#of(source), watch]);
    return watch;
  }

  touch(source: string, id: ServiceId): void {
    for (const watch of this.#of(source)) watch.touch(id);
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
