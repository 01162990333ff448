import { later } from "../domain/backoff.ts";
import { isLookUp, type Source } from "../domain/source.ts";
import { CurrentHeap, type HeapEntry } from "./current-heap.ts";

/** A source that may be polled next. */
export interface PollCandidate {
  readonly name: string;
  readonly kind: Source["kind"];
  /** Position of its last attempt among all attempts of this process; 0 = none yet. */
  readonly turn: number;
  /** Last attempt, also of an earlier process. */
  readonly attemptedAt: Temporal.Instant | null;
  readonly underWay: boolean;
  /** Turn of the latest finished attempt; 0 = none yet. */
  readonly ended: number;
  /** True if it was requested ahead of its turn, by an edit or a change elsewhere. */
  readonly hurried: boolean;
  /** True if the running poll was ahead of its turn. */
  readonly pollHurried: boolean;
  /** Earliest time of the next poll; null = any time. */
  readonly notBefore: Temporal.Instant | null;
  /** For subtasks: days between today and the parent's due date; null = none, or unknown. */
  readonly days: number | null;
}

interface Choosing {
  readonly now: Temporal.Instant;
  /** How many may be chosen. */
  readonly room: number;
  /** Only those whose last attempt was no later than this one; all by default. */
  readonly upTo?: number;
}

interface Place extends HeapEntry {
  readonly candidate: PollCandidate;
  /** Ties are broken by the order in which they became known. */
  readonly since: number;
}

/**
 * Sources in the order in which they are to be polled. Hurried ones go first but take at most half of the places, so that no
 * source waits longer than two full rounds; then the source that has waited longest. Sources not tried by this process come
 * first: look-ups, then those never read in the order labels, events, tasks, subtasks by nearness of the parent's due date,
 * then the stalest. Subtasks that were never read wait a moment for the first answers of others, which make calendars complete
 * except for them. A choice takes logarithmic time.
 */
export class TurnOrder {
  readonly #places = new Map<string, Place>();
  readonly #underWay = new Map<string, PollCandidate>();
  readonly #hurried = new CurrentHeap<Place>(byTurn);
  readonly #inTurn = new CurrentHeap<Place>(byTurn);
  /** Subtasks that were never read. */
  readonly #unreadBelow = new CurrentHeap<Place>(byTurn);
  readonly #resting = new CurrentHeap<Place>(byRest);
  #put = 0;

  constructor(candidates: Iterable<PollCandidate> = []) {
    for (const candidate of candidates) this.put(candidate);
  }

  /** Sources in the order, including those in progress. */
  get size(): number {
    return this.#places.size + this.#underWay.size;
  }

  /** Adds a source, or updates it. */
  put(candidate: PollCandidate): void {
    const { name } = candidate;
    const known = this.#places.get(name);
    if (candidate.underWay) {
      this.#retire(known);
      this.#underWay.set(name, candidate);
      return;
    }
    this.#underWay.delete(name);
    if (known && isSame(known.candidate, candidate)) return;
    this.#retire(known);
    const place = { candidate, since: this.#put++, isCurrent: true };
    this.#places.set(name, place);
    if (candidate.notBefore) this.#resting.put(place);
    else this.#line(place);
  }

  drop(name: string): void {
    this.#retire(this.#places.get(name));
    this.#underWay.delete(name);
  }

  /** The next sources, best first. They leave the order until they are put again, and are to be polled at once. */
  next({ now, room, upTo = Number.POSITIVE_INFINITY }: Choosing): readonly string[] {
    if (room <= 0) return [];
    this.#wake(now);
    const polls = [...this.#underWay.values()];
    const hurriedPolls = polls.filter(({ pollHurried }) => pollHurried).length;
    const half = Math.floor((room + polls.length) / 2) - hurriedPolls;
    const chosen = this.#take([this.#hurried], { upTo, most: Math.min(room, half) });
    const awaitsFirstAnswers = polls.some((poll) => awaitsFirstAnswer(poll, now));
    const heaps = awaitsFirstAnswers ? [this.#inTurn] : [this.#inTurn, this.#unreadBelow];
    return [...chosen, ...this.#take(heaps, { upTo, most: room - chosen.length })];
  }

  /** When the next resting source may be polled; null if none rests. */
  get nextDueAt(): Temporal.Instant | null {
    return this.#resting.first()?.candidate.notBefore ?? null;
  }

  #take(
    heaps: readonly CurrentHeap<Place>[],
    { upTo, most }: { readonly upTo: number; readonly most: number },
  ): readonly string[] {
    const names: string[] = [];
    while (names.length < most) {
      const first = heaps.flatMap((heap) => heap.first() ?? []).toSorted(byTurn)[0];
      if (!first || first.candidate.turn > upTo) break;
      this.#retire(first);
      names.push(first.candidate.name);
    }
    return names;
  }

  #wake(now: Temporal.Instant): void {
    for (;;) {
      const first = this.#resting.first();
      if (!first?.candidate.notBefore || compare(first.candidate.notBefore, now) > 0) return;
      this.#resting.takeFirst();
      this.#line(first);
    }
  }

  #line(place: Place): void {
    const { kind, attemptedAt, hurried } = place.candidate;
    if (hurried) this.#hurried.put(place);
    if (kind === "subtasks" && !attemptedAt) this.#unreadBelow.put(place);
    else this.#inTurn.put(place);
  }

  #retire(place: Place | undefined): void {
    if (!place) return;
    place.isCurrent = false;
    this.#places.delete(place.candidate.name);
  }
}

const isSame = (a: PollCandidate, b: PollCandidate): boolean =>
  a.turn === b.turn &&
  a.attemptedAt === b.attemptedAt &&
  a.hurried === b.hurried &&
  a.notBefore === b.notBefore &&
  a.days === b.days;

const ranks: Readonly<Record<Source["kind"], number>> = {
  projects: 0,
  people: 1,
  todolists: 2,
  labels: 3,
  events: 4,
  tasks: 5,
  subtasks: 6,
};

const compare = (a: Temporal.Instant, b: Temporal.Instant): number =>
  Temporal.Instant.compare(a, b);

/** How long subtasks that were never read wait for the first answers of other sources. */
const firstAnswerSpan = Temporal.Duration.from({ seconds: 2 });

function awaitsFirstAnswer(
  { kind, underWay, ended, attemptedAt }: PollCandidate,
  now: Temporal.Instant,
) {
  if (kind === "subtasks" || !underWay || ended > 0 || !attemptedAt) return false;
  return compare(later(attemptedAt, firstAnswerSpan), now) > 0;
}

function byRest({ candidate: a }: Place, { candidate: b }: Place): number {
  return a.notBefore && b.notBefore ? compare(a.notBefore, b.notBefore) : 0;
}

function byTurn({ candidate: a, since }: Place, { candidate: b, since: other }: Place): number {
  if (a.turn !== b.turn) return a.turn - b.turn;
  const need = a.turn === 0 ? byFirstNeed(a, b) : 0;
  return need === 0 ? since - other : need;
}

function byFirstNeed(a: PollCandidate, b: PollCandidate): number {
  const lookUps = Number(isLookUp(b.kind)) - Number(isLookUp(a.kind));
  if (lookUps !== 0) return lookUps;
  if (a.attemptedAt && b.attemptedAt) {
    const stale = compare(a.attemptedAt, b.attemptedAt);
    if (stale !== 0) return stale;
  } else if (a.attemptedAt || b.attemptedAt) {
    return a.attemptedAt ? 1 : -1;
  }
  const rank = ranks[a.kind] - ranks[b.kind];
  if (rank !== 0) return rank;
  return (a.days ?? Number.MAX_SAFE_INTEGER) - (b.days ?? Number.MAX_SAFE_INTEGER);
}
