import type { IncomingItem } from "@dayferry/ical";
import type { Calendar } from "../../calendars/calendar-types.ts";
import type { Edit } from "../../domain/edit.ts";
import type { EditId, ItemKey } from "../../domain/ids.ts";
import type { Item } from "../../domain/item.ts";
import type { PatchField } from "../../domain/patch.ts";
import { fail, ok, type Result } from "../../domain/result.ts";
import type { ItemsRequest } from "../../edits/intake/accept.ts";
import type { Acceptance, PlannedItem } from "../../edits/intake/plan-answer.ts";
import { ownOf } from "../../edits/intake/plan-known.ts";
import type { DavContext, ObjectRequest } from "../dav-request.ts";
import { type DavFault, plainFault, refusalFault } from "../fault.ts";

/** A PUT whose octets were parsed as one item. */
export interface ObjectPut {
  readonly request: ObjectRequest;
  /** Exactly as received. */
  readonly body: Buffer;
  readonly incoming: IncomingItem;
}

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
  { acceptItems, person, agent }: DavContext,
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
export function plannedItem(acceptance: Acceptance): Result<PlannedItem, DavFault> {
  if (acceptance.kind === "refused") {
    return fail(plainFault(409, acceptance.errors.map(({ message }) => message).join("; ")));
  }
  const [item] = acceptance.items;
  return !item || item.action === "refused"
    ? fail(refusalFault(item ?? { problems: [] }))
    : ok(item);
}

/** The accepted edit if it waits for approval; null if it is delivered at once, or changes nothing. */
export function heldEdit(
  { editId, problems }: Pick<PlannedItem, "editId" | "problems">,
  { mode }: Pick<DavContext, "mode">,
): EditId | null {
  const waits = problems.some(({ code }) => code === "held" || code === "waiting");
  return mode === "review" || waits ? editId : null;
}

/** Held edits of an item by the person's programs, oldest first. */
export const ownHeldEdits = (
  key: ItemKey,
  { store, person }: Pick<DavContext, "store" | "person">,
): readonly Edit[] => ownOf(key, { store, channel: "caldav", actor: person.id });

/** The program that sends a request. */
export const agentOf = ({ headers }: Pick<ObjectRequest, "headers">): string =>
  headers["user-agent"] ?? "";
