import type { ItemKey, PersonId, ServiceId } from "../../domain/ids.ts";
import type { Item } from "../../domain/item.ts";
import type { Edit } from "../../domain/journal.ts";
import { isPartyTo, isPrivate } from "../../domain/sight.ts";
import type { Store } from "../../store/store.ts";
import type { Errand } from "./errand.ts";
import type { Spot } from "./item-calls.ts";

/** So many items are asked for one by one: each is a request of the quota that everybody shares. */
const mostAsked = 10;

/**
 * Why a list that was read for an errand may be less than the whole: it lacks what is known to be there, as one that was
 * cut silently would. What was to be deleted or moved from here is no such sign, nor is what the errand's person may not
 * see, as the list was read with that one's key.
 */
export async function doubtsAbout(
  items: readonly Item[],
  { errand, source }: { readonly errand: Errand; readonly source: string },
): Promise<readonly string[]> {
  const { store, edit } = errand;
  const listed = new Set(items.map(({ id }) => id));
  const missing = [...store.mirror.contents(source)]
    .filter(([id, { key }]) => !listed.has(id) && !isLeaving(key, store))
    .flatMap(([id, { key }]) => spotOf({ id, key }, store))
    .filter(({ item }) => !isHiddenFrom(edit.actor, { item, store }));
  const count = missing.length <= mostAsked ? await countThere(missing, errand) : missing.length;
  return count > 0 ? [`${count} known items are not in it`] : [];
}

const isLeaving = (key: ItemKey, { pastEdits }: Store): boolean =>
  pastEdits
    .ofItem(key)
    .some(({ action, patch }: Edit) => action === "delete" || patch.place !== undefined);

function spotOf(
  { id, key }: { readonly id: ServiceId; readonly key: ItemKey },
  { mirror }: Store,
): readonly Spot[] {
  const item = mirror.get(key)?.item;
  return item ? [{ item, id }] : [];
}

function isHiddenFrom(
  person: PersonId | null,
  { item, store }: { readonly item: Item; readonly store: Store },
): boolean {
  if (person === null) return false;
  const list = item.kind === "event" ? null : store.directory.todolist(item.listId);
  return isPrivate(item, list) && !isPartyTo(person, item);
}

/** How many of them the person can read, or may be able to. */
async function countThere(missing: readonly Spot[], { calls }: Errand): Promise<number> {
  const answers = await Promise.all(missing.map((spot) => calls.get(spot)));
  return answers.filter((answer) => answer.ok || answer.failure.kind !== "refused").length;
}
