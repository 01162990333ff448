import type { PlannedItem } from "../../edits/intake/accept.ts";
import type { DavContext } from "../context.ts";

/** Whether an accepted edit waits for a person, so that the view does not have it. */
export function isHeld(
  { editId, problems }: Pick<PlannedItem, "editId" | "problems">,
  { mode }: Pick<DavContext, "mode">,
): boolean {
  if (editId === null) return false;
  return mode === "review" || problems.some(({ code }) => code === "held" || code === "waiting");
}
