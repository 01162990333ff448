import type { Item } from "../../domain/item.ts";
import { sourceOf } from "../../domain/source.ts";
import type { Settlement } from "../../store/journal/journal.ts";
import { describeFailure, type Failure } from "../../upstream/failure.ts";
import { findAltered, findCreated, type LostCreation, looksAlike } from "./adopt.ts";
import type { Errand, Outcome } from "./errand.ts";
import { doubtsAbout } from "./list-doubts.ts";
import { again } from "./settle.ts";

/** What a list shows of a lost creation; `ended`: it cannot be told, so that nothing may be sent now. */
type Found =
  | { readonly kind: "one"; readonly item: Item }
  | { readonly kind: "none" }
  | { readonly kind: "ended"; readonly outcome: Outcome };

/**
 * Looks for what a creating request has made whose answer was lost. Where several items could be it, or one that was
 * changed since, a person has to look; a list that may be less than the whole is read again later.
 */
export async function lookUp(lost: LostCreation, errand: Errand): Promise<Found> {
  const { edit, store, calls, now, random } = errand;
  const listed = await calls.list(lost.wished);
  if (!listed.ok) return unseen(listed.failure);
  const { items, problems } = listed.value;
  const found = findCreated(items, lost).filter(({ kind, id }) => {
    const key = id && store.mirror.find(kind, id);
    return key === null || key === edit.item;
  });
  const [first, second] = found;
  if (first && second)
    return unknown(`several items in the workspace could be it: ${idsOf(found)}`);
  if (first) return { kind: "one", item: first };
  const altered = findAltered(items, lost).filter((item) => isUnexplained(item, { errand, lost }));
  if (altered.length > 0) {
    return unknown(
      `what it made may have been changed in the workspace since: it could be ${idsOf(altered)}; discard the edit if it is`,
    );
  }
  const source = sourceOf(lost.wished);
  const doubts = [...problems, ...(await doubtsAbout(items, { errand, source }))];
  if (doubts.length === 0) return { kind: "none" };
  const problem = `whether the item was created is not known, as its list cannot be read as a whole: ${doubts.join("; ")}`;
  const trial = { attempts: edit.attempts, createdAt: edit.createdAt, now, random };
  return settled(again(problem, { trial, retryAfter: null }));
}

/** Whether no other creation has made this item, or could have, and it was not there before the request left. */
function isUnexplained(
  item: Item,
  { errand: { edit, store }, lost }: { readonly errand: Errand; readonly lost: LostCreation },
): boolean {
  const key = item.id && store.mirror.find(item.kind, item.id);
  const knownAt = key === null ? null : store.view.get(key)?.knownAt;
  if (knownAt && Temporal.Instant.compare(knownAt, lost.sentAt) < 0) return false;
  const own = key === null ? [] : store.pastEdits.ofItem(key);
  if (own.some(({ action }) => action === "create")) return false;
  return !store.journal
    .openCreations()
    .some((other) => other.id !== edit.id && looksAlike(item, other.base));
}

/** That the list is refused says nothing about the creation. */
function unseen(failure: Failure): Found {
  if (failure.kind !== "refused" && failure.kind !== "service-refused") {
    return { kind: "ended", outcome: { kind: "failed", failure } };
  }
  return unknown(`the service does not show whether it was made: ${describeFailure(failure)}`);
}

function unknown(what: string): Found {
  const problem = `the answer to the creation was lost, and ${what}`;
  return settled({ kind: "park", reason: "unknown-outcome", problem });
}

const settled = (settlement: Settlement): Found => ({
  kind: "ended",
  outcome: { kind: "settled", settlement },
});

const idsOf = (items: readonly Item[]): string => items.map(({ id }) => id).join(", ");
