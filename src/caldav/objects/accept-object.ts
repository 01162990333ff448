import { type IncomingItem, missingProperties, readCalendarObject } from "@dayferry/ical";
import type { CalendarObject } from "../../calendars/calendar-types.ts";
import { fieldsOfProperty, lineFields } from "../../domain/fields.ts";
import type { EditId, ItemKey } from "../../domain/ids.ts";
import type { Item } from "../../domain/item.ts";
import type { PatchField } from "../../domain/patch.ts";
import { fail, ok, type Result } from "../../domain/result.ts";
import type { ItemPlan } from "../../edits/intake/item-plan.ts";
import { shownBase } from "../../edits/intake/plan-known.ts";
import type { Store } from "../../store/store.ts";
import type { DavAnswer, DavContext } from "../dav-request.ts";
import { type DavFault, faultAnswer, objectRefusal } from "../fault.ts";
import { describedItem } from "./described-item.ts";
import { type PresentItem, putBaseOf } from "./find-base.ts";
import {
  acceptItem,
  agentOf,
  heldEdit,
  type ObjectEdit,
  type ObjectPut,
  ownHeldEdits,
  plannedItem,
} from "./plan-object.ts";
import { writesWhole } from "./whole-writers.ts";

/**
 * Accepts a PUT of an existing item: finds the version that its sender edited and what the absence of a property
 * means, makes the difference an edit, and stores the octets under the name. Belongs inside `atomically`.
 */
export function acceptChange(
  context: DavContext,
  put: ObjectPut,
  at: PresentItem,
): Result<null, DavFault> {
  const { calendar, name, object, seen, isMove } = at;
  const { incoming } = put;
  const agent = agentOf(put.request);
  const edit = {
    calendar,
    incoming,
    cleared: clearedFields(context, { object, incoming, agent }),
    replaced: seen && shownText(context, seen),
  };
  const base = putBaseOf(context, { edit, at, agent });
  const accepted = acceptEdit(context, { ...edit, base });
  if (!accepted.ok) return accepted;
  const { key, described } = accepted.value;
  // Where nothing more is asked for the octets go with the move that waits.
  const moveThatWaits = isMove ? (ownHeldEdits(key, context).at(-1)?.id ?? null) : null;
  const held = accepted.value.held ?? moveThatWaits;
  storeOctets(context, { put, key, name, described, held });
  return ok(null);
}

interface AcceptedEdit {
  readonly key: ItemKey;
  /** The edit that waits for approval, and is shown to its sender alone; null for one that all are shown. */
  readonly held: EditId | null;
  /** The item as the octets describe it; null for a new one, which is what they say. */
  readonly described: Item | null;
}

/** Accepts the edit into the journal; fails with the fault to answer where it is refused. */
export function acceptEdit(context: DavContext, edit: ObjectEdit): Result<AcceptedEdit, DavFault> {
  const { incoming, base } = edit;
  const { uid } = incoming;
  const plans: ItemPlan[] = [];
  const onPlan = (plan: ItemPlan) => plans.push(plan);
  const planned = plannedItem(acceptItem(context, { edit, dryRun: false, onPlan }));
  if (!planned.ok) return planned;
  const item = planned.value;
  const key = context.store.mirror.findUid(uid)?.item;
  if (key === undefined) {
    const reason = "the UID belongs to what is shown only, and cannot be changed";
    return fail(objectRefusal("valid-calendar-object-resource", reason));
  }
  const seen = item.action === "create" ? null : (base ?? lastSeen(context, { key, incoming }));
  const patch = plans[0]?.asked ?? {};
  const isNew = item.action === "create" && context.store.view.get(key) === null;
  const described = seen && !isNew ? describedItem({ base: seen, patch, incoming }) : null;
  return ok({ key, held: heldEdit(item, context), described });
}

/** What octets without a base were compared with, whose item was deleted and is there again. */
const lastSeen = (
  { store: { view }, person }: DavContext,
  { key, incoming }: { readonly key: ItemKey; readonly incoming: IncomingItem },
): Item | null =>
  shownBase(incoming, { key, view, editor: person.id }) ?? view.get(key)?.item ?? null;

/**
 * The text that a PUT replaces as a whole, as a condition has named the present version by its strong tag. Whoever is not
 * known to have seen that may have left out what is not known there. Source: RFC 9110 9.3.4.
 */
function shownText({ calendars, zone }: DavContext, object: CalendarObject): IncomingItem | null {
  const shown = readCalendarObject(calendars.octets(object), { zone });
  return shown.ok ? shown.value : null;
}

/**
 * Fields of which the program has taken the property away. Absence says so only of programs that write items as a whole, and
 * only where the present octets are its own and held the property; else it may not know it, or has never been sent it.
 */
function clearedFields(
  { calendars, person }: DavContext,
  about: {
    readonly object: Pick<CalendarObject, "key" | "component">;
    readonly incoming: IncomingItem;
    readonly agent: string;
  },
): readonly PatchField[] {
  const { object, incoming, agent } = about;
  const kept = calendars.kept(object);
  if (kept?.actor !== person.id || kept.agent !== agent || !writesWhole(agent)) return [];
  const { component } = incoming;
  const texts = lineFields(component).map(({ property }) => property);
  return missingProperties(kept.raw, incoming, texts).flatMap((property) =>
    fieldsOfProperty(component, property),
  );
}

/**
 * Stores the octets of an edit under a name: for all, or for its sender while it waits for approval. They describe another
 * item where their sender had not seen the present one, or has left a field out: what the item says beside is laid onto
 * them, so that nobody is shown an old value.
 */
export function storeOctets(
  context: DavContext,
  stored: Omit<AcceptedEdit, "described"> & {
    readonly put: ObjectPut;
    readonly name: string;
    /** Null where the item is what the octets say. */
    readonly described: Item | null;
  },
): void {
  const { put, key, name, described, held } = stored;
  const { component, uid, raw, categories = [] } = put.incoming;
  const object = {
    key,
    component,
    name,
    uid,
    body: put.body,
    raw,
    categories,
    actor: context.person.id,
    agent: agentOf(put.request),
    ...(described && { described }),
  };
  if (held === null) context.calendars.keep(object);
  else context.calendars.hold({ edit: held, key, name, object });
}

/** The ETag of what is shown of an item now; null where that is not exactly what was sent. Source: RFC 4791 5.3.4. */
export function etagOfSent(
  { calendars }: DavContext,
  { request: { calendar, name }, body }: ObjectPut,
): string | null {
  const object = calendars.object(calendar, name);
  const isSame = object && Buffer.compare(calendars.octets(object), body) === 0;
  return isSame ? object.etag : null;
}

/** Thrown to undo what the steps of a request have stored before one of them was refused; never leaves this file. */
class RefusedStepError extends Error {
  override readonly name = "RefusedStepError";
  readonly fault: DavFault;
  constructor(fault: DavFault) {
    super(fault.reason);
    this.fault = fault;
  }
}

/** Runs the steps of a write as one, safe on the disk when it returns; a refusal leaves nothing of them behind. */
export function atomically(store: Store, steps: () => Result<DavAnswer, DavFault>): DavAnswer {
  try {
    const done = store.durably(() => {
      const result = steps();
      if (!result.ok) throw new RefusedStepError(result.failure);
      return ok(result.value);
    });
    return done.value;
  } catch (error) {
    if (error instanceof RefusedStepError) return faultAnswer(error.fault);
    throw error;
  }
}
