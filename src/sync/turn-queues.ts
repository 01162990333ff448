import { earlier } from "../domain/backoff.ts";
import type { Source } from "../domain/source.ts";
import type { PolledSource } from "./polled-source.ts";
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

const pollsPerAudit = 15;
const movedAtOnce = 50;
/** An audit skips resting lists, but not endlessly. */
const mostPassedOver = 20;

interface ListAuditDeps extends Pick<SyncContext, "sources" | "clock"> {
  /** When a source was last read, in seconds; undefined if never. */
  readonly readAt: (name: string) => number | undefined;
  /** Takes a list from the scheduler, which keeps its belief for later. */
  readonly onLeft: (name: string) => void;
  /** Gives a list back to the scheduler. */
  readonly onBack: (entry: PolledSource) => void;
}

/**
 * Lists of tasks and subtasks whose changes the list of all tasks reports. They are not polled by belief: one of
 * `pollsPerAudit` + 1 polls goes to the list that was read longest ago.
 */
export class ListAudit {
  readonly #deps: ListAuditDeps;
  /** Audited lists in the order of their last readings; null if there are none. */
  #audited: Set<string> | null = null;
  #pollsSince = 0;
  /** Lists still to be moved between the audit and the scheduler. */
  #toMove: IteratorObject<string> | null = null;

  constructor(deps: ListAuditDeps) {
    this.#deps = deps;
  }

  /** True if lists of this kind are left to the audit. */
  concerns(kind: Source["kind"]): boolean {
    return this.#audited !== null && (kind === "tasks" || kind === "subtasks");
  }

  has(name: string): boolean {
    return this.#audited?.has(name) === true;
  }

  /** Moves all lists to the audit, or back to the scheduler, with the next polls. */
  leave(isLeft: boolean): void {
    const { sources, readAt } = this.#deps;
    if (isLeft === (this.#audited !== null)) return;
    const timeOf = ({ name }: PolledSource) => readAt(name) ?? 0;
    const known = [...sources.ofKind("tasks"), ...sources.ofKind("subtasks")];
    const names = known.toSorted((a, b) => timeOf(a) - timeOf(b)).map(({ name }) => name);
    this.#audited = isLeft ? new Set() : null;
    this.#toMove = names.values();
  }

  /** A list was read, and goes to the end. */
  put(name: string): void {
    this.#deps.onLeft(name);
    this.#audited?.delete(name);
    this.#audited?.add(name);
  }

  drop(name: string): void {
    this.#audited?.delete(name);
  }

  /** Ten thousand lists are moved a few at a time; until then they are polled as before. */
  move(): void {
    if (!this.#toMove) return;
    const names = [...this.#toMove.take(movedAtOnce)];
    if (names.length < movedAtOnce) this.#toMove = null;
    const { sources, readAt, onBack } = this.#deps;
    for (const name of names) {
      const entry = sources.get(name);
      if (!entry || readAt(name) === undefined || this.has(name)) continue;
      if (this.#audited) this.put(name);
      else onBack(entry);
    }
  }

  /** Records a poll that the scheduler has chosen. */
  notePoll(): void {
    this.#pollsSince += 1;
  }

  /** The list whose turn it is; null if it is none's. */
  next(): string | null {
    if (!this.#audited || this.#pollsSince < pollsPerAudit) return null;
    this.#pollsSince = 0;
    const { sources, clock } = this.#deps;
    const now = clock();
    for (const name of [...this.#audited.values().take(mostPassedOver)]) {
      this.put(name);
      const entry = sources.get(name);
      const rests = entry?.notBefore && Temporal.Instant.compare(entry.notBefore, now) > 0;
      if (entry && !entry.underWay && !rests) return name;
    }
    return null;
  }
}
