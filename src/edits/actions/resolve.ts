import type { Decider, Edit } from "../../domain/edit.ts";
import type { EditId } from "../../domain/ids.ts";
import type { Store } from "../../store/store.ts";
import { stored } from "../../texts/stored.ts";
import { spokenFields } from "../field-changes.ts";
import type { Picks, Resolution } from "./choice.ts";
import { recreation } from "./undo.ts";

/**
 * Carries out a person's decision about a parked edit in the caller's transaction: sends it against the version that was seen,
 * discards it, or recreates its item. Returns the edit that continues; null if there was none.
 */
export function carryOutResolution(
  edit: Edit,
  about: {
    readonly resolution: Resolution;
    readonly picks: Picks;
    readonly by: Decider;
    readonly store: Store;
    /** State of a new edit. */
    readonly state: "pending" | "held";
  },
): EditId | null {
  const { resolution, picks, by, store, state } = about;
  const { journal, editSteps } = store;
  const conflicts = "conflicts" in resolution ? resolution.conflicts : edit.conflicts;
  // Both values and the result stay visible, even if the edit conflicts again.
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
      return journal.discard(edit.id, stored("problem.workspaceKept")) ? edit.id : null;
    case "deletes":
      return journal.rebase(edit, { base: resolution.base, patch: {}, conflicts }) ? edit.id : null;
    case "sends": {
      const { base, patch } = resolution;
      return journal.rebase(edit, { base, patch, conflicts }) ? edit.id : null;
    }
    case "revives": {
      if (!journal.discard(edit.id, stored("problem.recreatedLater"))) {
        return null;
      }
      const base = recreation(resolution.item, [edit.base.creatorId, edit.actor], store);
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
