import { objectRefused, type Refusal } from "@dayferry/caldav-server/backend";
import type { IncomingItem } from "@dayferry/ical";
import type { Calendar } from "../calendars/calendar-types.ts";
import type { Edit } from "../domain/edit.ts";
import type { EditId, ItemKey } from "../domain/ids.ts";
import type { Item } from "../domain/item.ts";
import type { PatchField } from "../domain/patch.ts";
import { fail, ok, type Result } from "../domain/result.ts";
import type { ItemsRequest } from "../edits/intake/accept.ts";
import type { Acceptance, PlannedItem } from "../edits/intake/plan-answer.ts";
import { ownOf } from "../edits/intake/plan-known.ts";
import { say } from "../texts/say.ts";
import type { WriteContext } from "./write-context.ts";

/** An edit as expressed by a request's octets. `calendar`: where an item with unknown UID goes. */
export interface ObjectEdit {
  readonly calendar: Calendar;
  readonly incoming: IncomingItem;
  readonly method?: "CANCEL";
  /** What the sender saw; null = as the item says, or its present state. */
  readonly base: Item | null;
  readonly cleared?: readonly PatchField[];
  /** What the sender saw and replaces as a whole; null if absence only has a meaning in `cleared`. */
  readonly replaced?: IncomingItem | null;
  /** True if a deleted item with this UID is to be recreated. */
  readonly recreate?: boolean;
}

/** The plan for an edit, which is stored in the journal unless `dryRun`. */
export function acceptItem(
  { acceptItems, person, agent }: WriteContext,
  { edit, ...how }: { readonly edit: ObjectEdit } & Pick<ItemsRequest, "dryRun" | "onPlan">,
): Acceptance {
  const { calendar, incoming, method, base, cleared = [], replaced = null } = edit;
  const { uid } = incoming;
  return acceptItems({
    calendar: { method: method ?? null, items: [incoming], ignored: [] },
    bases: base ? new Map([[uid, base]]) : new Map(),
    cleared: new Map([[uid, cleared]]),
    replaced: replaced ? new Map([[uid, replaced]]) : new Map(),
    ...(calendar.kind === "milestones" && { newAs: "milestone" }),
    recreate: edit.recreate ?? false,
    channel: "caldav",
    actor: person.id,
    program: agent,
    projectId: calendar.projectId,
    listId: calendar.listId,
    ...how,
  });
}

/** The plan for the one item of an edit or a move, or the answer if it is refused. */
export function plannedItem(acceptance: Acceptance): Result<PlannedItem, Refusal> {
  if (acceptance.kind === "refused") {
    const reason = acceptance.errors.map(({ message }) => message).join("; ");
    return fail({ kind: "status", status: 409, reason });
  }
  const [item] = acceptance.items;
  return !item || item.action === "refused"
    ? fail(refusalOfItem(item ?? { problems: [] }))
    : ok(item);
}

/** Why the edit in the octets was refused. Source: RFC 4791 5.3.2.1. */
export function refusalOfItem({ problems }: Pick<PlannedItem, "problems">): Refusal {
  if (problems.some(({ code }) => code === "gone")) return unseen();
  const reason = problems.map(({ message }) => message).join("; ");
  if (problems.some(({ code }) => code === "not-read")) {
    return { kind: "status", status: 503, retryAfterSeconds: 30, reason };
  }
  const isSeries = problems.some(({ code }) => code === "recurrence");
  const isLong = problems.some(({ code }) => code === "too-long");
  const other = isLong ? "max-resource-size" : "valid-calendar-object-resource";
  return objectRefused(isSeries ? "max-instances" : other, reason);
}

/**
 * The UID is not new, and the person sees no item with it. The answer does not say whether such an item is hidden, deleted or
 * never existed, as UIDs made here are consecutive and could be probed.
 */
export const unseen = (): Refusal =>
  objectRefused("valid-calendar-object-resource", say("caldavFault.unseen"));

/** The accepted edit if it waits for approval; null if it is delivered at once, or changes nothing. */
export function heldEdit(
  { editId, problems }: Pick<PlannedItem, "editId" | "problems">,
  { mode }: Pick<WriteContext, "mode">,
): EditId | null {
  const waits = problems.some(({ code }) => code === "held" || code === "waiting");
  return mode === "review" || waits ? editId : null;
}

/** Held edits of an item by the person's programs, oldest first. */
export const ownHeldEdits = (
  key: ItemKey,
  { store, person }: Pick<WriteContext, "store" | "person">,
): readonly Edit[] => ownOf(key, { store, channel: "caldav", actor: person.id });
