import type { Edit } from "../../domain/journal.ts";
import type { Store } from "../../store/store.ts";
import type { Outcome } from "./errand.ts";

/** How long an edit waits for one that another place depends on. */
const kinWait = Temporal.Duration.from({ seconds: 1 });

const everything = 1000;

/**
 * A task and its subtasks share their place, so that a move of the task and an edit of a subtask never run at the same
 * time: one would be sent to where the item is no more. Null when the edit, which is claimed, may go.
 */
export function waitForKin(
  edit: Edit,
  { store, now }: { readonly store: Store; readonly now: Temporal.Instant },
): Outcome | null {
  const others = store.journal
    .list({ state: "claimed", limit: everything })
    .filter(({ id }) => id !== edit.id);
  const movesAbove = (move: Edit, { base }: Edit): boolean =>
    move.patch.place !== undefined &&
    base.kind === "subtask" &&
    base.parentId !== null &&
    store.mirror.find("task", base.parentId) === move.item;
  const first = others.find((other) => movesAbove(edit, other) || movesAbove(other, edit));
  if (!first) return null;
  const problem = `waits for edit ${first.id}, which is of the same task and its subtasks`;
  const settlement = { kind: "retry", notBefore: now.add(kinWait), problem } as const;
  return { kind: "settled", settlement };
}
