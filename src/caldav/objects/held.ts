import type { EditId, ItemKey } from "../../domain/ids.ts";
import type { Edit } from "../../domain/journal.ts";
import type { PlannedItem } from "../../edits/intake/accept.ts";
import { ownOf } from "../../edits/intake/own-held.ts";
import type { DavContext } from "../context.ts";

/** The edit as which a wish was accepted that waits for a person; null where it goes on at once, or nothing was wished. */
export function heldEdit(
  { editId, problems }: Pick<PlannedItem, "editId" | "problems">,
  { mode }: Pick<DavContext, "mode">,
): EditId | null {
  const waits = problems.some(({ code }) => code === "held" || code === "waiting");
  return mode === "review" || waits ? editId : null;
}

/** What the person's programs have asked for of an item and waits, oldest first. */
export const ownHeldEdits = (
  key: ItemKey,
  { store, person }: Pick<DavContext, "store" | "person">,
): readonly Edit[] => ownOf(key, { store, channel: "caldav", actor: person.id });
