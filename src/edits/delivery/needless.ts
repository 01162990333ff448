import type { Edit } from "../../domain/journal.ts";
import type { Store } from "../../store/store.ts";
import type { Outcome } from "./errand.ts";

/**
 * What becomes of a creation whose item is to be deleted as soon as it is there: nothing is sent for either. The deletion
 * may be the first half of a move, and is waited for. Only where the service is known not to have the item. Null when the
 * item is to be made.
 */
export function needless(
  edit: Edit,
  { store, now }: { readonly store: Store; readonly now: Temporal.Instant },
): Extract<Outcome, { readonly kind: "withdrawn" | "settled" }> | null {
  const deletion = store.journal.deletionOf(edit);
  if (!deletion) return null;
  const { id, notBefore } = deletion;
  if (notBefore === null || Temporal.Instant.compare(notBefore, now) <= 0) {
    return { kind: "withdrawn", by: deletion };
  }
  const problem = `edit ${id} deletes it: it is created only if that is taken back`;
  return { kind: "settled", settlement: { kind: "retry", notBefore, problem } };
}
