import { backOff, later } from "../domain/backoff.ts";
import type { Source } from "../domain/source.ts";

/** A source as the choice of the next polls sees it. */
export interface Candidate {
  readonly name: string;
  readonly kind: Source["kind"];
  /** Place of its last attempt in the order of all attempts of this process; 0 = none yet. */
  readonly turn: number;
  /** Last attempt, also of an earlier process. */
  readonly attemptedAt: Temporal.Instant | null;
  readonly underWay: boolean;
  /** Turn of the latest attempt that has ended; 0 = none yet. */
  readonly ended: number;
  /** Whether it goes ahead of its turn, because an edit or a change elsewhere asked for it. */
  readonly hurried: boolean;
  /** Whether the poll under way is one that went ahead of its turn. */
  readonly pollHurried: boolean;
  /** Not before this moment; null = at any time. */
  readonly notBefore: Temporal.Instant | null;
  /** For subtasks: days between today and the due date of their parent; null = it has none, or is not known. */
  readonly days: number | null;
}

/**
 * The next sources to poll, at most `room`, best first. Hurried ones go first but take no more than half of the places,
 * so that nobody waits longer than two full rounds; then whoever has waited longest. Sources that this process has not
 * tried come first: look-ups, then those never read at all in the order labels, events, tasks, subtasks by nearness of
 * the parent's due date, then the stalest. Subtasks that were never read give the first answers of all else a moment, as
 * those make calendars complete but for them.
 */
export function nextSources(
  candidates: readonly Candidate[],
  { now, room }: { readonly now: Temporal.Instant; readonly room: number },
): readonly string[] {
  if (room <= 0) return [];
  const places = room + candidates.filter(({ underWay }) => underWay).length;
  const hurriedPolls = candidates.filter(
    ({ underWay, pollHurried }) => underWay && pollHurried,
  ).length;
  const awaitsFirstAnswers = candidates.some((candidate) => awaitsFirstAnswer(candidate, now));
  const idle = candidates.filter(
    ({ kind, attemptedAt, underWay, notBefore }) =>
      !underWay &&
      (!notBefore || compare(notBefore, now) <= 0) &&
      !(awaitsFirstAnswers && kind === "subtasks" && !attemptedAt),
  );
  const ahead = idle
    .filter(({ hurried }) => hurried)
    .toSorted(byTurn)
    .slice(0, Math.max(0, Math.min(room, Math.floor(places / 2) - hurriedPolls)));
  const chosen = new Set(ahead);
  const inTurn = idle.filter((candidate) => !chosen.has(candidate)).toSorted(byTurn);
  return [...ahead, ...inTurn].slice(0, room).map(({ name }) => name);
}

/** When the next source that rests may be polled; null when none rests. */
export function nextDueAt(candidates: readonly Candidate[]): Temporal.Instant | null {
  let earliest: Temporal.Instant | null = null;
  for (const { underWay, notBefore } of candidates) {
    if (underWay || !notBefore) continue;
    if (!earliest || compare(notBefore, earliest) < 0) earliest = notBefore;
  }
  return earliest;
}

/**
 * Rest after so many failed polls in a row: doubled by each, from a 64th of `cap` up to `cap`. It goes for refusals as well:
 * what is refused today may be there in a minute, and nothing that is shown gets older than `cap` for want of asking.
 */
export function restAfter(failures: number, cap: Temporal.Duration): Temporal.Duration {
  const microseconds = Math.round(cap.total("microseconds") / 64);
  const first = Temporal.Duration.from({ microseconds });
  return backOff(failures, { first, ceiling: cap });
}

/** A third of a length. */
export const thirdOf = (length: Temporal.Duration): Temporal.Duration =>
  Temporal.Duration.from({ milliseconds: Math.round(length.total("milliseconds") / 3) });

/** Days between two dates, whichever is first. */
export function nearness(due: Temporal.PlainDate, today: Temporal.PlainDate): number {
  return Math.abs(today.until(due).total("days"));
}

/** Sources that name what there is; they are few and change seldom. */
export const isLookUp = (kind: Source["kind"]): boolean =>
  kind === "projects" || kind === "people" || kind === "todolists";

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

/** How long subtasks that were never read give way to the first answers of other sources. */
const firstAnswerSpan = Temporal.Duration.from({ seconds: 2 });

function awaitsFirstAnswer(
  { kind, underWay, ended, attemptedAt }: Candidate,
  now: Temporal.Instant,
) {
  if (kind === "subtasks" || !underWay || ended > 0 || !attemptedAt) return false;
  return compare(later(attemptedAt, firstAnswerSpan), now) > 0;
}

function byTurn(a: Candidate, b: Candidate): number {
  if (a.turn !== b.turn) return a.turn - b.turn;
  return a.turn === 0 ? byFirstNeed(a, b) : 0;
}

function byFirstNeed(a: Candidate, b: Candidate): number {
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
