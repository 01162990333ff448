import type { Edit } from "../../domain/journal.ts";
import { momentInWords } from "../../domain/wording.ts";
import { excerpt } from "../../ics/problem.ts";
import type { Store } from "../../store/store.ts";

const open = ["pending", "claimed", "held", "parked"];

/** What an edit waits for that cannot go before another one: before its own creation, or that of the task above; null when for nothing. */
export function describeWait(edit: Edit, store: Store): string | null {
  if (edit.state !== "pending") return null;
  return edit.action === "create" ? describeBelow(edit, store) : describeLater(edit, store);
}

function describeBelow(edit: Edit, { journal, mirror, pastEdits, zone }: Store): string | null {
  const sought = journal.soughtParent(edit.id);
  if (sought !== null && edit.notBefore)
    return describeSearch(sought, { until: edit.notBefore, zone });
  const uid = journal.awaitedParent(edit.item);
  const task = uid === null ? null : mirror.findUid(uid);
  const above = task && pastEdits.ofItem(task.item).find(isOpenCreation);
  return above
    ? `it waits for edit ${above.id}, which creates the task above it${stateOf(above)}`
    : null;
}

function describeLater(edit: Edit, { mirror, pastEdits }: Store): string | null {
  if (mirror.identity(edit.item).serviceId !== null) return null;
  const creation = pastEdits
    .ofItem(edit.item)
    .find((one) => one.id < edit.id && isOpenCreation(one));
  return creation
    ? `it waits for edit ${creation.id}, which creates the item${stateOf(creation)}`
    : null;
}

function stateOf({ state }: Edit): string {
  if (state === "held") return " and waits for approval itself";
  return state === "parked" ? " and waits for a person" : "";
}

function describeSearch(
  uid: string,
  { until, zone }: { readonly until: Temporal.Instant; readonly zone: string },
): string {
  // Up to the whole minute, so that it has not passed while it is still waited for.
  const whole = until.round({ smallestUnit: "minute", roundingMode: "ceil" });
  const then = momentInWords(whole, zone);
  return `it waits until ${then} for the task above it, ${excerpt(uid)}, which has not come in yet; without it, it becomes a task of its own`;
}

const isOpenCreation = ({ action, state }: Edit): boolean =>
  action === "create" && open.includes(state);
