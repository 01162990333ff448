import type { Calendar, CalendarObject } from "../../calendars/calendar-types.ts";
import { isOwnUid } from "../../domain/identity.ts";
import { fail, ok, type Result } from "../../domain/result.ts";
import { seesItem } from "../../domain/sight.ts";
import type { IncomingItem } from "../../ics/read/incoming.ts";
import type { ViewItem } from "../../store/view/view.ts";
import { saysNew } from "../conditions.ts";
import type { DavAnswer, DavContext, ObjectRequest } from "../dav-request.ts";
import { caldavFault, type DavFault } from "../fault.ts";
import {
  acceptEdit,
  agentOf,
  baseOf,
  clearedFields,
  describedItem,
  etagOfSent,
  keepOctets,
  ownHeldEdits,
  type Sent,
} from "./accept-object.ts";
import { closedFault, readOnlyFault, refusalFault, unseenFault } from "./object-faults.ts";
import { relocate } from "./relocate.ts";

interface Newcomer {
  readonly request: ObjectRequest;
  readonly sent: Sent;
}

/** Stores an object under a name, and with a UID, that the calendar does not have. */
export function createObject(
  context: DavContext,
  { request, sent }: Newcomer,
): Result<DavAnswer, DavFault> {
  const [incoming] = sent.text.incoming.items;
  if (!incoming) return fail(caldavFault("valid-calendar-data", "there is no item in it"));
  const viewed = context.store.view.findUid(incoming.uid);
  return viewed
    ? placeElsewhere(context, { request, sent, incoming, viewed })
    : create(context, { request, sent, incoming });
}

interface Incomer extends Newcomer {
  readonly incoming: IncomingItem;
}

function create(
  context: DavContext,
  { request, sent, incoming }: Incomer,
): Result<DavAnswer, DavFault> {
  const { calendar, name } = request;
  const closed = closedFault(calendar, context);
  if (closed) return fail(closed);
  const isKnown = context.store.mirror.findUid(incoming.uid) !== null;
  const accepted = acceptEdit(context, {
    calendar,
    incoming: belowWhatIsHere(context, { calendar, incoming }),
    method: null,
    base: null,
    cleared: [],
    replaced: null,
    anew: isRecreation(context, incoming.uid),
  });
  if (!accepted.ok) return accepted;
  const { key, held } = accepted.value;
  const put = { calendar, name, sent };
  if (held !== null) {
    keepOctets(context, { key, name, sent, agent: agentOf(request), says: null, held });
    context.calendars.retract(calendar, { key, name });
    return ok(created(context, put));
  }
  const brought = isKnown ? bringBack(context, { calendar, uid: incoming.uid }) : ok(null);
  if (!brought.ok) return brought;
  const shown = context.store.view.get(key)?.item ?? null;
  const made = shown && describedItem({ base: shown, patch: {}, incoming });
  const says = accepted.value.says ?? made;
  keepOctets(context, { key, name, sent, agent: agentOf(request), says, held });
  return ok(created(context, put));
}

/** What was deleted in another calendar, and is put again before the service has heard of that, is still there. */
function bringBack(
  context: DavContext,
  { calendar, uid }: { readonly calendar: Calendar; readonly uid: string },
): Result<null, DavFault> {
  const viewed = context.store.view.findUid(uid);
  const isHere = viewed === null || context.calendars.objectOfUid(calendar, uid) !== null;
  const from = isHere ? null : holderOf(context, uid);
  if (!viewed || !from) return ok(null);
  const moved = relocate(context, { from: from.calendar, to: calendar, viewed });
  return moved.ok ? ok(null) : moved;
}

/** The answer to what is there now: with its ETag where the person is shown exactly that. Source: RFC 9110 9.3.4, 10.2.2. */
function created(
  context: DavContext,
  put: Pick<ObjectRequest, "calendar" | "name"> & { readonly sent: Sent },
): DavAnswer {
  const { paths, origin } = context;
  const etag = etagOfSent(context, put);
  const location = `${origin}${paths.object(put.calendar, put.name)}`;
  return {
    status: 201,
    headers: { Location: location, ...(etag !== null && { ETag: etag }) },
  };
}

/**
 * Whether an item that was deleted, by whomever, is to be made again: a PUT that names no version asks for it. Of a UID that
 * is made here only by who could see the item, as others must not learn that there was one. Source: RFC 9110 9.3.4.
 */
function isRecreation({ store, person }: DavContext, uid: string): boolean {
  const { directory, meta, mirror, view } = store;
  if (!isOwnUid(uid, meta.installation)) return true;
  const identity = mirror.findUid(uid);
  const last = identity && view.history(identity.item).at(-1);
  if (!last) return false;
  const project = directory.project(last.projectId);
  const list = last.kind === "event" ? null : directory.todolist(last.listId);
  return seesItem(person.id, { item: last, project, list });
}

/**
 * A task that the person is not shown is no place to hang a to-do below, nor may the answer tell of it. A task of another
 * list has its subtasks there: the to-do becomes a task where it was put, as it has to be at the address that is answered.
 */
function belowWhatIsHere(
  context: DavContext,
  { calendar, incoming }: { readonly calendar: Calendar; readonly incoming: IncomingItem },
): IncomingItem {
  const { relatedTo } = incoming;
  const above = relatedTo === undefined ? null : context.store.view.findUid(relatedTo)?.item;
  if (relatedTo === undefined || !above) return incoming;
  const isFar = above.kind !== "event" && above.listId !== calendar.listId;
  return isFar || !holderOf(context, relatedTo) ? { ...incoming, relatedTo: undefined } : incoming;
}

/**
 * The UID is that of an item in another calendar: the first half of a move, as programs without MOVE make it, whose second
 * half is a DELETE there; or a program has kept an address from which somebody else has moved the item since.
 */
function placeElsewhere(
  context: DavContext,
  about: Incomer & { readonly viewed: ViewItem },
): Result<DavAnswer, DavFault> {
  const { request, viewed } = about;
  const { calendar, name } = request;
  const from = holderOf(context, viewed.uid);
  if (!from) return fail(hiddenFault(context, about));
  const isLeft = context.calendars.formerly(calendar, name)?.key === viewed.key;
  if (isLeft && !saysNew(request.headers)) return followItem(context, { ...about, from });
  const moved = relocate(context, { from: from.calendar, to: calendar, viewed });
  if (!moved.ok) return moved;
  if (moved.value !== null) {
    const { key } = viewed;
    context.calendars.hold({ edit: moved.value, key, name, object: null });
    context.calendars.retract(calendar, { key, name });
  }
  const edited = edit(context, { ...about, calendar, name });
  return edited.ok ? ok(created(context, { calendar, name, sent: about.sent })) : edited;
}

/** What is answered for a UID that nothing has, step by step, so that nobody learns that there is something hidden. */
function hiddenFault(context: DavContext, { request, incoming }: Incomer): DavFault {
  const closed = closedFault(request.calendar, context);
  if (closed) return closed;
  return incoming.problems.length > 0 ? refusalFault(incoming) : unseenFault();
}

/** The item is changed where it is now; a second one would be a copy that nobody wants. */
function followItem(
  context: DavContext,
  about: Incomer & { readonly viewed: ViewItem; readonly from: Holder },
): Result<DavAnswer, DavFault> {
  const { calendar, object } = about.from;
  const href = context.paths.object(calendar, object.name);
  const barred = readOnlyFault(calendar, { privilege: "write-content", href });
  if (barred) return fail(barred);
  const edited = edit(context, { ...about, calendar, name: object.name });
  return edited.ok ? ok({ status: 204 }) : edited;
}

interface Holder {
  readonly calendar: Calendar;
  readonly object: CalendarObject;
}

function edit(
  context: DavContext,
  about: Incomer & {
    readonly viewed: ViewItem;
    readonly calendar: Calendar;
    readonly name: string;
  },
): Result<null, DavFault> {
  const { request, sent, incoming, viewed, calendar, name } = about;
  const { key } = viewed;
  const { component } = sent.text;
  const agent = agentOf(request);
  const present = context.store.view.get(key)?.item ?? viewed.item;
  const wish = {
    calendar,
    incoming,
    method: null,
    cleared: clearedFields(context, { object: { key, component }, incoming, agent }),
    replaced: null,
    anew: false,
  };
  const base = baseOf(context, { ...wish, key, present, isSeen: false, isMove: true, agent });
  const accepted = acceptEdit(context, { ...wish, base });
  if (!accepted.ok) return accepted;
  const { says } = accepted.value;
  // Where nothing more is wished the octets go with the move that waits.
  const held = accepted.value.held ?? ownHeldEdits(key, context).at(-1)?.id ?? null;
  keepOctets(context, { key, name, sent, agent, says, held });
  return ok(null);
}

/** The calendar in which the person is shown the item of a UID, `assigned` last of all; null when it is in none. */
function holderOf(
  { calendars, person }: Pick<DavContext, "calendars" | "person">,
  uid: string,
): { readonly calendar: Calendar; readonly object: CalendarObject } | null {
  const all = calendars.list(person.id);
  const own = all.filter(({ kind }) => kind === "events" || kind === "tasks");
  for (const calendar of [...own, ...all.filter(({ kind }) => kind === "assigned")]) {
    const object = calendars.objectOfUid(calendar, uid);
    if (object) return { calendar, object };
  }
  return null;
}
