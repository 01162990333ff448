import type { Decider, Edit } from "../../domain/edit.ts";
import type { EditId } from "../../domain/ids.ts";
import { keptInSight } from "../../domain/sight.ts";
import type { Store } from "../../store/store.ts";
import { recreated, spokenFields } from "../field-changes.ts";
import type { Picks, Resolution } from "./choice.ts";

/**
 * Carries out what a person has decided about a parked edit, in the caller's transaction: it is sent against the version that
 * was seen, discarded, or takes its item along to a new one. Returns the edit that goes on; null where there was none to do it to.
 */
export function carryOutResolution(
  edit: Edit,
  about: {
    readonly resolution: Resolution;
    readonly picks: Picks;
    readonly by: Decider;
    readonly store: Store;
    /** Of a new edit. */
    readonly state: "pending" | "held";
  },
): EditId | null {
  const { resolution, picks, by, store, state } = about;
  const { journal, editSteps } = store;
  const conflicts = "conflicts" in resolution ? resolution.conflicts : edit.conflicts;
  // Both sides and what was put in their place stay told, also where the edit conflicts once more.
  editSteps.resolved(edit.id, {
    by: by.actor,
    way: by,
    ...picks,
    kind: resolution.kind,
    conflicts,
  });
  switch (resolution.kind) {
    case "yields":
      journal.settledBy(edit.id, conflicts);
      return journal.discard(edit.id, "what the workspace has was kept") ? edit.id : null;
    case "deletes":
      return journal.rebase(edit, { base: resolution.base, patch: {}, conflicts }) ? edit.id : null;
    case "sends": {
      const { base, patch } = resolution;
      return journal.rebase(edit, { base, patch, conflicts }) ? edit.id : null;
    }
    case "revives": {
      if (
        !journal.discard(
          edit.id,
          "the item was deleted meanwhile, and is made anew by a later edit",
        )
      ) {
        return null;
      }
      const base = inSight(recreated(resolution.item), { edit, store });
      return journal.append({
        channel: edit.channel,
        actor: edit.actor,
        program: edit.program,
        item: edit.item,
        action: "create",
        base,
        patch: spokenFields(base),
        newLabels: edit.newLabels,
        state,
        recreates: true,
      });
    }
  }
}

/** What is made anew has another creator: the former one goes on seeing what is private by being assigned. */
function inSight(
  item: ReturnType<typeof recreated>,
  { edit, store }: { readonly edit: Edit; readonly store: Store },
) {
  const list = item.kind === "event" ? null : store.directory.todolist(item.listId);
  const people = [edit.base.creatorId, edit.actor];
  const assigned = keptInSight(item, { list, creator: null, people });
  return assigned ? { ...item, assigned } : item;
}
