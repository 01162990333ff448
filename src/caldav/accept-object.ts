import { objectRefused, type Refusal } from "@dayferry/caldav-server/backend";
import { type IncomingItem, missingProperties, readCalendarObject } from "@dayferry/ical";
import type { CalendarObject } from "../calendars/calendar-types.ts";
import { fieldsOfProperty, lineFields } from "../domain/fields.ts";
import type { EditId, ItemKey } from "../domain/ids.ts";
import type { Item } from "../domain/item.ts";
import type { PatchField } from "../domain/patch.ts";
import { fail, ok, type Result } from "../domain/result.ts";
import type { ItemPlan } from "../edits/intake/item-plan.ts";
import { shownBase } from "../edits/intake/plan-known.ts";
import type { Store } from "../store/store.ts";
import { say } from "../texts/say.ts";
import { describedItem } from "./described-item.ts";
import { type PresentItem, putBaseOf } from "./find-base.ts";
import { putBelow } from "./member-of-uid.ts";
import { acceptItem, heldEdit, type ObjectEdit, ownHeldEdits, plannedItem } from "./plan-object.ts";
import { writesWhole } from "./whole-writers.ts";
import type { ObjectPut, WriteContext } from "./write-context.ts";

/**
 * Accepts a PUT of an existing item: finds the version that its sender edited and what the absence of a property means, makes
 * the difference an edit, and stores the octets under the name. Call inside `atomically`.
 */
export function acceptChange(
  context: WriteContext,
  put: ObjectPut,
  at: PresentItem,
): Result<null, Refusal> {
  const { calendar, name, object, seen, isMove } = at;
  const { incoming } = put;
  const edit = {
    calendar,
    incoming,
    cleared: clearedFields(context, { object, incoming }),
    replaced: seen && shownText(context, seen),
  };
  const base = putBaseOf(context, { edit, at });
  const accepted = acceptEdit(context, { ...edit, base });
  if (!accepted.ok) return accepted;
  const { key, described } = accepted.value;
  // Without further changes, the octets belong to the waiting move.
  const moveThatWaits = isMove ? (ownHeldEdits(key, context).at(-1)?.id ?? null) : null;
  const held = accepted.value.held ?? moveThatWaits;
  storeOctets(context, { put, key, name, described, held });
  return ok(null);
}

interface AcceptedEdit {
  readonly key: ItemKey;
  /** The held edit, which only its sender sees applied; null for one that everyone sees. */
  readonly held: EditId | null;
  /** The item as in the octets; null for a new one, which equals them. */
  readonly described: Item | null;
}

/** Accepts the edit into the journal; fails with the answer if it is refused. */
export function acceptEdit(
  context: WriteContext,
  { calendar, ...asked }: ObjectEdit,
): Result<AcceptedEdit, Refusal> {
  const incoming = putBelow(context, { calendar, incoming: asked.incoming });
  const edit = { ...asked, calendar, incoming };
  const { base } = edit;
  const { uid } = incoming;
  const plans: ItemPlan[] = [];
  const onPlan = (plan: ItemPlan) => plans.push(plan);
  const planned = plannedItem(acceptItem(context, { edit, dryRun: false, onPlan }));
  if (!planned.ok) return planned;
  const item = planned.value;
  const key = context.store.mirror.findUid(uid)?.item;
  if (key === undefined) {
    const reason = say("caldavFault.readOnlyUid");
    return fail(objectRefused("valid-calendar-object-resource", reason));
  }
  const seen = item.action === "create" ? null : (base ?? lastSeen(context, key, incoming));
  const patch = plans[0]?.asked ?? {};
  const isNew = item.action === "create" && context.store.view.get(key) === null;
  const described = seen && !isNew ? describedItem({ base: seen, patch, incoming }) : null;
  return ok({ key, held: heldEdit(item, context), described });
}

/** What octets without a base were compared with, if their item was deleted and exists again. */
const lastSeen = (
  { store: { view }, person }: WriteContext,
  key: ItemKey,
  incoming: IncomingItem,
): Item | null =>
  shownBase(incoming, { key, view, editor: person.id }) ?? view.get(key)?.item ?? null;

/**
 * The text that a PUT replaces as a whole, if a condition named the present version by its strong tag. Otherwise the sender may
 * have omitted what it does not know. Source: RFC 9110 9.3.4.
 */
function shownText({ calendars, zone }: WriteContext, object: CalendarObject): IncomingItem | null {
  const shown = readCalendarObject(calendars.octets(object), { zone });
  return shown.ok ? shown.value : null;
}

/**
 * Fields whose property the program has removed. Absence only means that for programs that write whole items, and if the
 * present octets are their own and had the property; otherwise the program may not know it.
 */
function clearedFields(
  { calendars, person, agent }: WriteContext,
  about: {
    readonly object: Pick<CalendarObject, "key" | "component">;
    readonly incoming: IncomingItem;
  },
): readonly PatchField[] {
  const { object, incoming } = about;
  const kept = calendars.kept(object);
  if (kept?.actor !== person.id || kept.agent !== agent || !writesWhole(agent)) return [];
  const { component } = incoming;
  const texts = lineFields(component).map(({ property }) => property);
  return missingProperties(kept.raw, incoming, texts).flatMap((property) =>
    fieldsOfProperty(component, property),
  );
}

/**
 * Stores the octets of an edit under a name: for everyone, or for the sender while it waits for approval. If the sender had not
 * seen the present item, or omitted a field, the rest of the item is applied to the octets, so that nobody gets an old value.
 */
export function storeOctets(
  context: WriteContext,
  stored: Omit<AcceptedEdit, "described"> & {
    readonly put: ObjectPut;
    readonly name: string;
    /** Null if the item equals the octets. */
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
    body: put.octets,
    raw,
    categories,
    actor: context.person.id,
    agent: context.agent,
    ...(described && { described }),
  };
  if (held === null) context.calendars.keep(object);
  else context.calendars.hold({ edit: held, key, name, object });
}

/** Thrown to roll back a request's steps after one was refused; never leaves this file. */
class RefusedStepError extends Error {
  override readonly name = "RefusedStepError";
  readonly refusal: Refusal;
  constructor(refusal: Refusal) {
    super(refusal.reason);
    this.refusal = refusal;
  }
}

/** Runs the steps of a write in one transaction, on disk when it returns. A refusal rolls everything back. */
export function atomically<Value>(
  store: Store,
  steps: () => Result<Value, Refusal>,
): Result<Value, Refusal> {
  try {
    return store.durably(() => {
      const result = steps();
      if (!result.ok) throw new RefusedStepError(result.failure);
      return result;
    });
  } catch (error) {
    if (error instanceof RefusedStepError) return fail(error.refusal);
    throw error;
  }
}
