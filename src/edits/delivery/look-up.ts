import type { Item } from "../../domain/item.ts";
import type { Edit } from "../../domain/journal.ts";
import {
  type LostCreation,
  likenessOf,
  looksAlike,
  sharedFields,
} from "../../domain/lost-creation.ts";
import { applyPatch } from "../../domain/merge.ts";
import { ok, type Result } from "../../domain/result.ts";
import { sourceOf } from "../../domain/source.ts";
import { describeFailure, type Failure } from "../../upstream/failure.ts";
import { lookElsewhere } from "./elsewhere.ts";
import { askAgain, type Errand, isMissing, isRefusal, type Outcome } from "./errand.ts";
import { waitToLand } from "./landing.ts";
import { doubtsAbout } from "./list-doubts.ts";

/** What is known of a lost creation; `ended`: it cannot be told yet, so that nothing may be sent now. */
type Found =
  | { readonly kind: "one"; readonly item: Item }
  | { readonly kind: "none" }
  | { readonly kind: "ended"; readonly outcome: Outcome };

/** So long a list that is said not to be there is asked for again. */
const patience = Temporal.Duration.from({ minutes: 1 });

/** `wishes`: what the request may have made, as it was wished first, and as it would be wished now. */
interface Sought extends Omit<LostCreation, "wished"> {
  readonly wishes: readonly [Item, ...(readonly Item[])];
}

/**
 * Looks for what a creating request has made whose answer was lost: in its list, and among what other lists have shown since.
 * What is the same as the wish is it, at once; what has been changed since only when the request can be carried out no more,
 * as the wish itself may come until then. "None" is said only after that, when no list that can be read holds it. A list
 * that is refused says nothing, and is asked again.
 */
export async function lookUp(sought: Sought, errand: Errand): Promise<Found> {
  const { edit, store, calls } = errand;
  const [wished] = sought.wishes;
  const listed = await calls.list(wished);
  const shown = listed.ok ? listed.value.items : [];
  const kept = await freshCandidates(errand, new Set(shown.map(keyOf)));
  if (!kept.ok) return unseen(kept.failure, errand);
  const open = [...shown, ...kept.value].filter((item) => mayBeIt(item, errand));
  const [same] = open.filter((item) => likeness(item, sought) === "same").toSorted(byId);
  if (same) return { kind: "one", item: same };
  const waiting = waitToLand(errand);
  if (waiting) return { kind: "ended", outcome: waiting };
  if (!listed.ok) return unseen(listed.failure, errand);

  // What a person lets go again later has been looked for long ago: only what was seen in time may be a changed one.
  const late = edit.insisted ? kept.value : open;
  const altered = late.filter(
    (item) => mayBeIt(item, errand) && likeness(item, sought) === "altered",
  );
  const nearest = altered
    .filter((item) => !isOfAnother(item, { edit, store }))
    .toSorted((a, b) => sharedFields(b, wished) - sharedFields(a, wished) || byId(a, b))[0];
  if (nearest) return { kind: "one", item: nearest };

  const { problems } = listed.value;
  const source = sourceOf(wished);
  const doubts = [...problems, ...(await doubtsAbout(shown, { errand, source }))];
  if (doubts.length > 0) {
    const what = `its list cannot be read as a whole: ${doubts.join("; ")}`;
    return unsure(`whether the item was created is not known, as ${what}`, errand);
  }
  const elsewhere = lookElsewhere(wished, errand);
  return elsewhere ? { kind: "ended", outcome: elsewhere } : { kind: "none" };
}

const keyOf = ({ kind, id }: Item): string => `${kind} ${id}`;

const byId = (a: Item, b: Item): number => (a.id ?? 0) - (b.id ?? 0);

function likeness(item: Item, { wishes, ...lost }: Sought): "same" | "altered" | null {
  const all = wishes.map((wished) => likenessOf(item, { ...lost, wished }));
  return all.includes("same") ? "same" : (all.find((one) => one !== null) ?? null);
}

/** What other readings have shown of the creation, as it is now; what is gone is left out. */
async function freshCandidates(
  { edit, store, calls }: Errand,
  listed: ReadonlySet<string>,
): Promise<Result<readonly Item[], Failure>> {
  const found: Item[] = [];
  for (const item of store.candidates.ofEdit(edit.id)) {
    if (listed.has(keyOf(item)) || item.id === null) continue;
    const now = await calls.get({ item, id: item.id });
    if (now.ok) found.push(now.value);
    else if (!isMissing(now.failure) && now.failure.kind !== "refused") return now;
  }
  return ok(found);
}

/** Whether nobody knew the item before the request left, and it is not what another creation has made. */
function mayBeIt({ kind, id }: Item, { edit, store }: Errand): boolean {
  const key = id === null ? null : store.mirror.find(kind, id);
  if (key === null || key === edit.item) return true;
  if (edit.sentAfter === null || key <= edit.sentAfter) return false;
  return !store.pastEdits.ofItem(key).some(({ action }) => action === "create");
}

/** Whether an item is just what another creation is to make, whose answer may come any moment. */
const isOfAnother = (item: Item, { edit, store }: Pick<Errand, "edit" | "store">): boolean =>
  [...store.journal.openCreations(), ...store.moves.recent()].some(
    (other) => other.id !== edit.id && looksAlike(item, wishOf(other)),
  );

const wishOf = ({ action, base, before, patch }: Edit): Item =>
  applyPatch(action === "create" ? base : (before ?? base), patch);

/**
 * That the list is refused says nothing about the creation, as little as an error of the service does. Where there is no such
 * list any more, nothing can be made there either, and a person has to look.
 */
function unseen(failure: Failure, errand: Errand): Found {
  if (!isRefusal(failure)) return { kind: "ended", outcome: { kind: "failed", failure } };
  const what = `the service does not show whether it was made: ${describeFailure(failure)}`;
  const problem = `the answer to the creation was lost, and ${what}`;
  const since = errand.edit.landsUntil ?? errand.edit.sentAt ?? errand.now;
  const isLost = Temporal.Instant.compare(since.add(patience), errand.now) <= 0;
  if (!isMissing(failure) || !isLost) return unsure(problem, errand);
  const settlement = { kind: "park", reason: "unknown-outcome", problem } as const;
  return { kind: "ended", outcome: { kind: "settled", settlement } };
}

const unsure = (problem: string, errand: Errand): Found => ({
  kind: "ended",
  outcome: askAgain(problem, errand),
});
