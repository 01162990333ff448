import type { ItemKey } from "../domain/ids.ts";
import { unreachable } from "../domain/result.ts";
import type { Failure } from "../upstream/failure.ts";
import { type BrakeState, mayBury } from "./brake.ts";

/** An open question: an item that a complete snapshot of `source` did not hold. */
export interface Question {
  readonly item: ItemKey;
  readonly source: string;
  /** Whether a single GET has said that it is gone. */
  readonly confirmed: boolean;
}

/**
 * What a failed single GET says of an item: 404 is gone, and so is 403 while the list around it can be read; anything
 * else says nothing. Source: beyond-the-document.md, Values.
 */
export function judgeSilence(failure: Failure, listReadable: boolean): "gone" | "unknown" {
  switch (failure.kind) {
    case "refused":
      if (failure.status === 404 || failure.status === 410) return "gone";
      return failure.status === 403 && listReadable ? "gone" : "unknown";
    case "rate-limited":
    case "unavailable":
    case "unreadable":
    case "service-refused":
    case "unknown-outcome":
    case "aborted":
      return "unknown";
    default:
      return unreachable(failure);
  }
}

export interface AbsenceFacts {
  readonly questions: readonly Question[];
  readonly brakeOf: (source: string) => BrakeState;
  /**
   * The sources that have to be read once more before an item may count as gone: one that has moved is missing where it
   * was before it is found where it went.
   */
  readonly unread: (question: Question) => readonly string[];
}

export interface AbsencePlan {
  readonly bury: readonly ItemKey[];
  /** Sources whose reading is all that some confirmed question still waits for. */
  readonly read: ReadonlySet<string>;
  /** Questions that wait behind a brake. */
  readonly held: number;
}

/** Which questions are settled, and what the others wait for. */
export function planAbsences({ questions, brakeOf, unread }: AbsenceFacts): AbsencePlan {
  const unconfirmed = new Map<string, number>();
  for (const { source, confirmed } of questions) {
    unconfirmed.set(source, (unconfirmed.get(source) ?? 0) + (confirmed ? 0 : 1));
  }
  const bury: ItemKey[] = [];
  const read = new Set<string>();
  let held = 0;
  for (const question of questions) {
    if (!mayBury(brakeOf(question.source), unconfirmed.get(question.source) ?? 0)) {
      held += 1;
      continue;
    }
    if (!question.confirmed) continue;
    const waitsFor = unread(question);
    if (waitsFor.length === 0) bury.push(question.item);
    for (const source of waitsFor) read.add(source);
  }
  return { bury, read, held };
}

/** Whether every question is settled but those that wait for a person, and those that are to be left aside. */
export function areSettled(
  open: readonly Pick<Question, "item" | "source">[],
  {
    brakes,
    isAside,
  }: {
    readonly brakes: readonly (NonNullable<BrakeState> & { readonly source: string })[];
    readonly isAside: (item: ItemKey) => boolean;
  },
): boolean {
  const waiting = brakes.filter(({ needsPerson, releasedAt }) => needsPerson && !releasedAt);
  const held = new Set(waiting.map(({ source }) => source));
  return open.every(({ item, source }) => held.has(source) || isAside(item));
}
