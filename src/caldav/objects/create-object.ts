import type { IncomingItem } from "@dayferry/ical";
import type { Calendar, CalendarObject } from "../../calendars/calendar-types.ts";
import { isOwnUid } from "../../domain/identity.ts";
import type { ItemKey } from "../../domain/ids.ts";
import { placeOf } from "../../domain/patch.ts";
import { fail, ok, type Result } from "../../domain/result.ts";
import { samePlace } from "../../domain/sameness.ts";
import { seesItem } from "../../domain/visibility.ts";
import type { ViewItem } from "../../store/view/view.ts";
import { requiresAbsence } from "../conditions.ts";
import type { DavAnswer, DavContext, ObjectRequest } from "../dav-request.ts";
import { closedFault, type DavFault, readOnlyFault, unseenFault } from "../fault.ts";
import { acceptChange, acceptEdit, etagOfSent, storeOctets } from "./accept-object.ts";
import { describedItem } from "./described-item.ts";
import { baseOfTaken } from "./find-base.ts";
import type { ObjectPut } from "./plan-object.ts";
import { relocate, relocateByPut } from "./relocate.ts";

/**
 * Stores an object with a name and a UID that the calendar does not have: a new item, a deleted one, or one from another
 * calendar. Call inside `atomically`.
 */
export function createObject(context: DavContext, put: ObjectPut): Result<DavAnswer, DavFault> {
  const viewed = context.store.view.findUid(put.incoming.uid);
  return viewed ? putKnown(context, put, viewed) : create(context, put);
}

function create(context: DavContext, put: ObjectPut): Result<DavAnswer, DavFault> {
  const { incoming, request } = put;
  const { calendar, name } = request;
  const closed = closedFault(calendar, context);
  if (closed) return fail(closed);
  const identity = context.store.mirror.findUid(incoming.uid);
  const isKnown = identity !== null;
  const recreate = isRecreation(context, incoming.uid);
  const accepted = acceptEdit(context, {
    calendar,
    incoming: belowWhatIsHere(context, { calendar, incoming }),
    base: identity && baseOfTaken(context, put, { key: identity.item, recreate }),
    recreate,
  });
  if (!accepted.ok) {
    // Nothing to cancel: the request succeeds, and no object is created.
    return incoming.status === "CANCELLED" ? ok(createdNothing(context, put)) : accepted;
  }
  const { key, held } = accepted.value;
  if (held !== null) {
    storeOctets(context, { put, key, name, described: null, held });
    context.calendars.retract(calendar, { key, name });
    return ok(created(context, put));
  }
  const brought = isKnown ? bringBack(context, { calendar, uid: incoming.uid }) : ok(null);
  if (!brought.ok) return brought;
  const shown = context.store.view.get(key)?.item ?? null;
  const made = shown && describedItem({ base: shown, patch: {}, incoming });
  const described = accepted.value.described ?? made;
  storeOctets(context, { put, key, name, described, held });
  return ok(created(context, put));
}

/** An item that was deleted in another calendar and put here still exists if the deletion was not sent yet. */
function bringBack(
  context: DavContext,
  { calendar, uid }: { readonly calendar: Calendar; readonly uid: string },
): Result<unknown, DavFault> {
  const viewed = context.store.view.findUid(uid);
  const isHere = viewed === null || context.calendars.objectOfUid(calendar, uid) !== null;
  const from = isHere ? null : memberOfUid(uid, context);
  if (!viewed || !from) return ok(null);
  return relocate(context, { from: from.calendar, to: calendar, viewed });
}

const createdNothing = ({ paths, origin }: DavContext, { request }: ObjectPut): DavAnswer => ({
  status: 201,
  headers: { Location: `${origin}${paths.object(request.calendar, request.name)}` },
});

/** The answer for the present object: with its ETag if the person gets exactly that. Source: RFC 9110 9.3.4, 10.2.2. */
function created(context: DavContext, put: ObjectPut): DavAnswer {
  const { paths, origin } = context;
  const { calendar, name } = put.request;
  const etag = etagOfSent(context, put);
  const location = `${origin}${paths.object(calendar, name)}`;
  return {
    status: 201,
    headers: { Location: location, ...(etag !== null && { ETag: etag }) },
  };
}

/**
 * True if a deleted item is to be recreated, as a PUT without a version requests. For a UID made here, only by somebody who
 * could see the item, as others must not learn that it existed. Source: RFC 9110 9.3.4.
 */
function isRecreation(context: DavContext, uid: string): boolean {
  const { meta, mirror } = context.store;
  if (!isOwnUid(uid, meta.installation)) return true;
  const identity = mirror.findUid(uid);
  return identity !== null && couldSee(context, identity.item);
}

/** True if the person sees an item, or saw it before it was deleted. */
export function couldSee({ store, person }: DavContext, key: ItemKey): boolean {
  const { directory, view } = store;
  const last = view.history(key, person.id).at(-1);
  if (!last) return false;
  const project = directory.project(last.projectId);
  const list = last.kind === "event" ? null : directory.todolist(last.listId);
  return seesItem(person.id, { item: last, project, list });
}

/**
 * A task that the person cannot see must not get subtasks, nor may the answer reveal it. A task of another list has its
 * subtasks there, so the to-do becomes a task where it was put.
 */
function belowWhatIsHere(
  context: DavContext,
  { calendar, incoming }: { readonly calendar: Calendar; readonly incoming: IncomingItem },
): IncomingItem {
  const { relatedTo } = incoming;
  const above = relatedTo === undefined ? null : context.store.view.findUid(relatedTo)?.item;
  if (relatedTo === undefined || !above) return incoming;
  const isFar = above.kind !== "event" && above.listId !== calendar.listId;
  return isFar || !memberOfUid(relatedTo, context)
    ? { ...incoming, relatedTo: undefined }
    : incoming;
}

/**
 * The UID belongs to an item in another calendar: the first half of a move by a program without MOVE, followed by a DELETE
 * there; or a program has kept an address from which somebody moved the item.
 */
function putKnown(
  context: DavContext,
  put: ObjectPut,
  viewed: ViewItem,
): Result<DavAnswer, DavFault> {
  const { calendars } = context;
  const { calendar, name, headers } = put.request;
  const from = memberOfUid(viewed.uid, context);
  if (!from) return fail(hiddenFault(context, put));
  const { key } = viewed;
  const isLeft = calendars.formerMember(calendar, name)?.key === key;
  if (isLeft && !requiresAbsence(headers) && !isOwnMove(context, viewed)) {
    return changeElsewhere(context, put, { viewed, from });
  }
  const moved = relocateByPut(context, { from: from.calendar, to: calendar, viewed, name });
  if (!moved.ok) return moved;
  const changed = change(context, put, { viewed, calendar, name });
  return changed.ok ? ok(created(context, put)) : changed;
}

/** True if this person's program moved the item to its present place. Its PUT at the former address then moves it back. */
function isOwnMove({ store, person, agent }: DavContext, { key, item }: ViewItem): boolean {
  const [last] = store.pastEdits
    .ofItem(key)
    .flatMap(({ actor, program, patch: { place } }) => (place ? [{ actor, program, place }] : []));
  const isOwn = last?.actor === person.id && (last.program ?? "") === agent;
  return isOwn && samePlace(last.place, placeOf(item));
}

/** The answer for an unknown UID, in the same steps, so that hidden items cannot be detected. */
const hiddenFault = (context: DavContext, { request }: ObjectPut): DavFault =>
  closedFault(request.calendar, context) ?? unseenFault();

/** The item is changed in its present place; a second one would be an unwanted copy. */
function changeElsewhere(
  context: DavContext,
  put: ObjectPut,
  { viewed, from }: { readonly viewed: ViewItem; readonly from: Located },
): Result<DavAnswer, DavFault> {
  const { calendar, object } = from;
  const { name } = object;
  const href = context.paths.object(calendar, name);
  const denied = readOnlyFault(calendar, { privilege: "write-content", href });
  if (denied) return fail(denied);
  const changed = change(context, put, { viewed, calendar, name });
  if (!changed.ok) return changed;
  const { request } = put;
  context.recentWrites.putElsewhere.note(viewed.key, context, {
    calendar: request.calendar,
    name: request.name,
  });
  return ok({ status: 204 });
}

function change(
  context: DavContext,
  put: ObjectPut,
  { viewed, ...at }: Pick<ObjectRequest, "calendar" | "name"> & { readonly viewed: ViewItem },
): Result<null, DavFault> {
  const { key } = viewed;
  const object = { key, component: put.incoming.component };
  const present = context.store.view.get(key)?.item ?? viewed.item;
  return acceptChange(context, put, { ...at, object, present, seen: null, isMove: true });
}

/** A member, and the calendar in which the person sees it. */
interface Located {
  readonly calendar: Calendar;
  readonly object: CalendarObject;
}

/** Where the person sees the item of a UID, with `assigned` last; null if nowhere. */
export function memberOfUid(
  uid: string,
  { calendars, person }: Pick<DavContext, "calendars" | "person">,
): Located | null {
  const all = calendars.list(person.id);
  const own = all.filter(({ kind }) => kind === "events" || kind === "tasks");
  for (const calendar of [...own, ...all.filter(({ kind }) => kind === "assigned")]) {
    const object = calendars.objectOfUid(calendar, uid);
    if (object) return { calendar, object };
  }
  return null;
}
