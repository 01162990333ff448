import type { Item } from "../../domain/item.ts";
import type { Edit } from "../../domain/journal.ts";
import { sourceOf } from "../../domain/source.ts";
import type { Settlement } from "../../store/journal.ts";
import type { Store } from "../../store/store.ts";
import { describeFailure, type Failure } from "../../upstream/failure.ts";
import { findAltered, findCreated, type LostCreation, looksAlike } from "./adopt.ts";
import type { Errand, Outcome } from "./errand.ts";
import { again } from "./settle.ts";

/** What a list shows of a lost creation; `ended`: it cannot be told, so that nothing may be sent now. */
type Found =
  | { readonly kind: "one"; readonly item: Item }
  | { readonly kind: "none" }
  | { readonly kind: "ended"; readonly outcome: Outcome };

/**
 * Looks for what a creating request has made whose answer was lost. Where several items could be it, or one that was
 * changed since, a person has to look; a list that may be less than the whole is read again later. `random`: 0 up to 1.
 */
export async function lookUp(
  lost: LostCreation,
  { errand, random }: { readonly errand: Errand; readonly random: number },
): Promise<Found> {
  const { edit, store, calls, now } = errand;
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
  const altered = findAltered(items, lost).filter((item) => isUnexplained(item, errand));
  if (altered.length > 0) {
    return unknown(
      `what it made may have been changed in the workspace since: it could be ${idsOf(altered)}; discard the edit if it is`,
    );
  }
  const doubts = [...problems, ...doubtsAbout(items, { store, source: sourceOf(lost.wished) })];
  if (doubts.length === 0) return { kind: "none" };
  const problem = `whether the item was created is not known, as its list cannot be read as a whole: ${doubts.join("; ")}`;
  const trial = { attempts: edit.attempts, createdAt: edit.createdAt, now, random };
  return settled(again(problem, { trial, retryAfter: null }));
}

/** Whether no other creation has made this item, or could have. */
function isUnexplained(item: Item, { edit, store }: Errand): boolean {
  const key = item.id && store.mirror.find(item.kind, item.id);
  const own = key === null ? [] : store.pastEdits.ofItem(key);
  if (own.some(({ action }) => action === "create")) return false;
  return !store.journal
    .openCreations()
    .some((other) => other.id !== edit.id && looksAlike(item, other.base));
}

/**
 * Why a list may be less than the whole: it lacks what is known to be there, as one that was cut silently would. What
 * was to be deleted or moved from here is no such sign.
 */
function doubtsAbout(
  items: readonly Item[],
  { store, source }: { readonly store: Store; readonly source: string },
): readonly string[] {
  const listed = new Set(items.map(({ id }) => id));
  const isToLeave = ({ action, patch }: Edit) => action === "delete" || patch.place !== undefined;
  const missing = [...store.mirror.contents(source)].filter(
    ([id, { key }]) => !listed.has(id) && !store.pastEdits.ofItem(key).some(isToLeave),
  );
  return missing.length > 0 ? [`${missing.length} known items are not in it`] : [];
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
