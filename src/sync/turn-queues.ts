import { earlier } from "../domain/backoff.ts";
import type { SyncContext } from "./sync-context.ts";
import { type PollCandidate, TurnOrder } from "./turn-order.ts";

/** Enough that look-ups, which get a tenth of the polls if there are many, do not fall behind. */
const pollsPerLookUp = 8;

/** Sources that are polled in turn, and not chosen by belief. */
export class TurnQueues {
  readonly #deps: Pick<SyncContext, "sources" | "clock">;
  /** Not tried, never read, or to be read again. */
  readonly #byTurn = new TurnOrder();
  /** Look-ups that were read. They are polled in turn too, but not all at once when their rests end. */
  readonly #lookUps = new TurnOrder();
  #pollsSinceLookUp = 0;
  /** Sources that were requested ahead of their turn; some may have been polled meanwhile. */
  readonly #hurried = new Set<string>();
  #wasFirst = false;

  constructor(deps: Pick<SyncContext, "sources" | "clock">) {
    this.#deps = deps;
  }

  /** The source that takes precedence over all others, at most every second time; null if none. */
  first(): string | null {
    this.#pollsSinceLookUp += 1;
    const name = this.#wasFirst ? null : this.#next(pollsPerLookUp);
    this.#wasFirst = name !== null;
    return name;
  }

  /** The next source whose last attempt was in turn `upTo` or before. */
  untried(upTo: number): string | null {
    const now = this.#deps.clock();
    return this.#byTurn.next({ now, room: 1, upTo: Math.max(0, upTo) })[0] ?? null;
  }

  /** Any source that waits, if nothing else is worth a poll. */
  late(): string | null {
    return this.#next(0);
  }

  /** When the next resting source may be polled; null if none rests. */
  get nextDueAt(): Temporal.Instant | null {
    return earlier(this.#byTurn.nextDueAt, this.#lookUps.nextDueAt);
  }

  hurry(name: string): void {
    this.#hurried.add(name);
  }

  put(candidate: PollCandidate, isLookUpRead: boolean): void {
    const [order, other] = isLookUpRead
      ? [this.#lookUps, this.#byTurn]
      : [this.#byTurn, this.#lookUps];
    order.put({ ...candidate, hurried: false, pollHurried: false });
    other.drop(candidate.name);
  }

  drop(name: string): void {
    this.#byTurn.drop(name);
    this.#lookUps.drop(name);
  }

  /** `most`: after this many polls since the last one, a look-up may follow. */
  #next(most: number): string | null {
    const { sources, clock } = this.#deps;
    for (const name of this.#hurried) {
      this.#hurried.delete(name);
      const entry = sources.get(name);
      if (entry?.hurried && !entry.underWay) return name;
    }
    const now = clock();
    const [waiting] = this.#byTurn.next({ now, room: 1 });
    if (waiting || this.#pollsSinceLookUp < most) return waiting ?? null;
    const [lookUp] = this.#lookUps.next({ now, room: 1 });
    if (lookUp) this.#pollsSinceLookUp = 0;
    return lookUp ?? null;
  }
}
