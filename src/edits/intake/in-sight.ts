import type { Item } from "../../domain/item.ts";
import { applyPatch } from "../../domain/merge.ts";
import { keptInSight } from "../../domain/sight.ts";
import { changesOf } from "../changes.ts";
import type { EditDraft, ItemPlan, Situation } from "./item-plan.ts";

/**
 * Assigns the editor to what would be hidden from that very person otherwise: a private event, or a task of a private list,
 * is for its creator and the assigned alone, and what is made without an own key is the account's. Who did not see it
 * before, as somebody may hand in edits in another's name, does not come to see it by that.
 */
export function inSight(plan: ItemPlan, situation: Situation): ItemPlan {
  const { ending } = plan;
  if (ending.kind !== "edit" || ending.edit.action === "delete") return plan;
  const assigned = addedTo(ending.edit, situation);
  if (!assigned) return plan;
  const patch = { ...ending.edit.patch, assigned };
  const edit = { ...ending.edit, patch };
  const message =
    "it is for its creator and the assigned alone: you are assigned, so that you go on seeing it";
  const note = { line: plan.incoming.line, code: "assigned-to-see", message };
  const before =
    edit.action === "create" ? null : { assigned: presentOf(edit, situation).assigned };
  const added = changesOf(before, { patch: { assigned }, newLabels: [] });
  const others = plan.changes.filter(({ field }) => field !== "assigned");
  return {
    ...plan,
    changes: [...others, ...added],
    notes: [...plan.notes, note],
    ending: { ...ending, edit },
  };
}

function addedTo(edit: EditDraft, situation: Situation) {
  const { actor, channel, hasOwnKey, store } = situation;
  if (edit.action === "create") {
    const creator = hasOwnKey ? actor : null;
    return keptInSight(edit.base, { list: listOf(edit.base, store), creator, people: [actor] });
  }
  // Who changes a file does not look at the item by it.
  if (channel !== "caldav") return null;
  const before = presentOf(edit, situation);
  const about = { list: listOf(before, store), creator: before.creatorId, people: [actor] };
  if (keptInSight(before, about)) return null;
  return keptInSight(applyPatch(before, edit.patch), about);
}

const listOf = (item: Item, { directory }: Situation["store"]) =>
  item.kind === "event" ? null : directory.todolist(item.listId);

/** As everybody is shown it; the editor may have seen an older version. */
const presentOf = (edit: EditDraft, { store }: Situation): Item =>
  (typeof edit.item === "object" ? null : store.view.get(edit.item)?.item) ?? edit.base;
