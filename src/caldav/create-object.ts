import { additionRefused, changeRefused, type Refusal } from "@dayferry/caldav-server/backend";
import type { Calendar } from "../calendars/calendar-types.ts";
import { isOwnUid } from "../domain/identity.ts";
import type { ItemKey } from "../domain/ids.ts";
import { placeOf } from "../domain/patch.ts";
import { fail, ok, type Result } from "../domain/result.ts";
import { samePlace } from "../domain/sameness.ts";
import { seesItem } from "../domain/visibility.ts";
import type { ViewItem } from "../store/view/view.ts";
import { acceptChange, acceptEdit, storeOctets } from "./accept-object.ts";
import { describedItem } from "./described-item.ts";
import { baseOfTaken } from "./find-base.ts";
import { type Located, memberOfUid } from "./member-of-uid.ts";
import { unseen } from "./plan-object.ts";
import { relocate, relocateByPut } from "./relocate.ts";
import type { ObjectPut, WriteContext } from "./write-context.ts";

/**
 * Stores an object with a name and a UID that the calendar does not have: a new item, a deleted one, or one from another
 * calendar. True if a new object is there now. Call inside `atomically`.
 */
export function createObject(context: WriteContext, put: ObjectPut): Result<boolean, Refusal> {
  const viewed = context.store.view.findUid(put.incoming.uid);
  return viewed ? putKnown(context, put, viewed) : create(context, put);
}

function create(context: WriteContext, put: ObjectPut): Result<boolean, Refusal> {
  const { incoming, calendar, name } = put;
  const closed = additionRefused(calendar);
  if (closed) return fail(closed);
  const identity = context.store.mirror.findUid(incoming.uid);
  const isKnown = identity !== null;
  const recreate = isRecreation(context, incoming.uid);
  const accepted = acceptEdit(context, {
    calendar,
    incoming,
    base: identity && baseOfTaken(context, put, { key: identity.item, recreate }),
    recreate,
  });
  if (!accepted.ok) {
    // Nothing to cancel: the request succeeds, and no object is created.
    return incoming.status === "CANCELLED" ? ok(true) : accepted;
  }
  const { key, held } = accepted.value;
  if (held !== null) {
    storeOctets(context, { put, key, name, described: null, held });
    context.calendars.retract(calendar, { key, name });
    return ok(true);
  }
  const brought = isKnown ? bringBack(context, calendar, incoming.uid) : ok(null);
  if (!brought.ok) return brought;
  const shown = context.store.view.get(key)?.item ?? null;
  const made = shown && describedItem({ base: shown, patch: {}, incoming });
  const described = accepted.value.described ?? made;
  storeOctets(context, { put, key, name, described, held });
  return ok(true);
}

/** An item that was deleted in another calendar and put here still exists if the deletion was not sent yet. */
function bringBack(
  context: WriteContext,
  calendar: Calendar,
  uid: string,
): Result<unknown, Refusal> {
  const viewed = context.store.view.findUid(uid);
  const isHere = viewed === null || context.calendars.objectOfUid(calendar, uid) !== null;
  const from = isHere ? null : memberOfUid(uid, context);
  if (!viewed || !from) return ok(null);
  return relocate(context, { from: from.calendar, to: calendar, viewed });
}

/**
 * True if a deleted item is to be recreated, as a PUT without a version requests. For a UID made here, only by somebody who
 * could see the item, as others must not learn that it existed. Source: RFC 9110 9.3.4.
 */
function isRecreation(context: WriteContext, uid: string): boolean {
  const { meta, mirror } = context.store;
  if (!isOwnUid(uid, meta.installation)) return true;
  const identity = mirror.findUid(uid);
  return identity !== null && couldSee(context, identity.item);
}

/** True if the person sees an item, or saw it before it was deleted. */
export function couldSee({ store, person }: WriteContext, key: ItemKey): boolean {
  const { directory, view } = store;
  const last = view.history(key, person.id).at(-1);
  if (!last) return false;
  const project = directory.project(last.projectId);
  const list = directory.listOf(last);
  return seesItem(person.id, { item: last, project, list });
}

/**
 * The UID belongs to an item in another calendar: the first half of a move by a program without MOVE, followed by a DELETE
 * there; or a program has kept an address from which somebody moved the item.
 */
function putKnown(
  context: WriteContext,
  put: ObjectPut,
  viewed: ViewItem,
): Result<boolean, Refusal> {
  const { calendars } = context;
  const { calendar, name } = put;
  const from = memberOfUid(viewed.uid, context);
  if (!from) return fail(hidden(put));
  const { key } = viewed;
  const isLeft = calendars.formerMember(calendar, name)?.key === key;
  if (isLeft && !put.isNew && !isOwnMove(context, viewed)) {
    return changeElsewhere(context, put, { viewed, from });
  }
  const moved = relocateByPut(context, { from: from.calendar, to: calendar, viewed, name });
  if (!moved.ok) return moved;
  const changed = change(context, put, { viewed, calendar, name });
  return changed.ok ? ok(true) : changed;
}

/** True if this person's program moved the item to its present place. Its PUT at the former address then moves it back. */
function isOwnMove({ store, person, agent }: WriteContext, { key, item }: ViewItem): boolean {
  const [last] = store.pastEdits
    .ofItem(key)
    .flatMap(({ actor, program, patch: { place } }) => (place ? [{ actor, program, place }] : []));
  const isOwn = last?.actor === person.id && (last.program ?? "") === agent;
  return isOwn && samePlace(last.place, placeOf(item));
}

/** The answer for an unknown UID, in the same steps, so that hidden items cannot be detected. */
const hidden = ({ calendar }: ObjectPut): Refusal => additionRefused(calendar) ?? unseen();

/** The item is changed in its present place; a second one would be an unwanted copy. */
function changeElsewhere(
  context: WriteContext,
  put: ObjectPut,
  { viewed, from }: { readonly viewed: ViewItem; readonly from: Located },
): Result<boolean, Refusal> {
  const { calendar, object } = from;
  const { name } = object;
  const denied = changeRefused(calendar, { privilege: "write-content", name });
  if (denied) return fail(denied);
  const changed = change(context, put, { viewed, calendar, name });
  if (!changed.ok) return changed;
  const { calendar: asked, name: askedName } = put;
  context.recentWrites.putElsewhere.note(viewed.key, context, { calendar: asked, name: askedName });
  return ok(false);
}

function change(
  context: WriteContext,
  put: ObjectPut,
  { viewed, ...at }: Pick<ObjectPut, "calendar" | "name"> & { readonly viewed: ViewItem },
): Result<null, Refusal> {
  const { key } = viewed;
  const object = { key, component: put.incoming.component };
  const present = context.store.view.get(key)?.item ?? viewed.item;
  return acceptChange(context, put, { ...at, object, present, seen: null, isMove: true });
}
