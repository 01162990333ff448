/** How one try of a request ended, as far as it tells about the service as a whole. */
export interface TryEnding {
  readonly request: string;
  readonly isWrite: boolean;
  /** 5xx, 429, or no answer; anything else is an answer. */
  readonly isFailing: boolean;
}

/** Failing tries in a row, of reads or of writes. */
interface Streak {
  readonly sinceMs: number;
  readonly requests: ReadonlySet<string>;
}

/** One request that fails by itself for so long, while nothing else is asked, is taken for an outage too. */
const longMs = 3000;

/**
 * Whether the service fails as a whole, and whether it is back: what waits for it need not wait until its own time has come.
 * Reads fail as a whole when different ones do with no answer in between. A service may take no writes and answer reads: of
 * writes, which are rare, one failure counts until the next one is answered.
 */
export class Outage {
  readonly #monotonic: () => number;
  readonly #onEnd: () => void;
  #reads: Streak | null = null;
  #writes: Streak | null = null;

  constructor(monotonic: () => number, onEnd: () => void) {
    this.#monotonic = monotonic;
    this.#onEnd = onEnd;
  }

  note({ request, isWrite, isFailing }: TryEnding): void {
    const streak = isWrite ? this.#writes : this.#reads;
    if (isFailing) {
      const sinceMs = streak?.sinceMs ?? this.#monotonic();
      this.#set(isWrite, { sinceMs, requests: new Set([...(streak?.requests ?? []), request]) });
      return;
    }
    const isOver = streak !== null && (isWrite || this.#isWhole(streak));
    this.#set(isWrite, null);
    if (isOver) this.#onEnd();
  }

  /** Whether reads fail as a whole, as far as the last answers tell. */
  get isOut(): boolean {
    return this.#reads !== null && this.#isWhole(this.#reads);
  }

  #isWhole({ sinceMs, requests }: Streak): boolean {
    return requests.size > 1 || this.#monotonic() - sinceMs >= longMs;
  }

  #set(isWrite: boolean, streak: Streak | null): void {
    if (isWrite) this.#writes = streak;
    else this.#reads = streak;
  }
}
