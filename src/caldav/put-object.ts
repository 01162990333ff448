import { objectRefused, type Refusal } from "@dayferry/caldav-server/backend";
import { mendOctets, propertyName, underUid, withUid } from "@dayferry/ical";
import type { CalendarObject } from "../calendars/calendar-types.ts";
import { fail, ok, type Result } from "../domain/result.ts";
import { withSequence } from "../ics/overlay/overlay.ts";
import { say } from "../texts/say.ts";
import { acceptChange, atomically } from "./accept-object.ts";
import { couldSee, createObject } from "./create-object.ts";
import { memberOfUid } from "./member-of-uid.ts";
import { ownHeldEdits } from "./plan-object.ts";
import type { ObjectPut, WriteContext } from "./write-context.ts";

/**
 * Stores an object: its changes become an edit, and the octets are kept for what the service cannot store. True if a new object
 * is there now.
 */
export function putObject(context: WriteContext, sent: ObjectPut): Result<boolean, Refusal> {
  // Other programs may not accept what was parsed leniently, and XML has no control characters.
  const octets = sent.incoming.isMended ? mendOctets(sent.octets) : sent.octets;
  const put = withRisingSequence(context, withPresentUid(context, { ...sent, octets }));
  return atomically(context.store, () => store(context, put));
}

/**
 * A creation without an answer may first appear as a separate item. Somebody who loaded that copy may put it after both were
 * merged: its UID is the item's then.
 */
function withPresentUid(context: WriteContext, put: ObjectPut): ObjectPut {
  const identity = context.store.mirror.findUid(put.incoming.uid);
  if (!identity || identity.uid === put.incoming.uid) return put;
  if (!couldSee(context, identity.item)) return put;
  const { uid } = identity;
  return { ...put, octets: withUid(put.octets, uid), incoming: underUid(put.incoming, uid) };
}

/**
 * Octets of an old copy are stored with the SEQUENCE last shown, as it must not decrease. A program that names the present
 * version has no old copy. Source: RFC 5545 3.8.7.4.
 */
function withRisingSequence(context: WriteContext, put: ObjectPut): ObjectPut {
  const { octets, incoming } = put;
  const { component } = incoming;
  const shown = shownSequence(context, put);
  if ((incoming.sequence ?? 0) >= shown) return put;
  const raw = incoming.raw.filter((line) => propertyName(line) !== "SEQUENCE");
  return {
    ...put,
    octets: withSequence({ octets, component, sequence: shown }),
    incoming: { ...incoming, raw: raw.toSpliced(1, 0, `SEQUENCE:${shown}`) },
  };
}

function shownSequence(context: WriteContext, put: ObjectPut): number {
  const { incoming, object: here } = put;
  const identity = context.store.mirror.findUid(incoming.uid);
  if (!identity) return 0;
  const isHere = here?.key === identity.item;
  if (here && put.isSeen) return isHere ? shownToOthers(context, here) : 0;
  const object = isHere ? here : memberOfUid(incoming.uid, context)?.object;
  if (object) {
    return Math.max(sequenceIn(context.calendars.octets(object)), shownToOthers(context, object));
  }
  const { item, sequence, serviceId } = identity;
  if (serviceId === null || !couldSee(context, item)) return 0;
  // The deletion has raised it.
  const shown = context.store.objects.mostShown({ item, component: incoming.component });
  return Math.max(sequence - 1, shown ?? 0);
}

/** The SEQUENCE that everyone else sees while edits of the person wait; 0 if none waits, as all see the same then. */
function shownToOthers(context: WriteContext, { key, component }: CalendarObject): number {
  if (ownHeldEdits(key, context).length === 0) return 0;
  const { mirror, objects, view } = context.store;
  if (!view.get(key)) return 0;
  return objects.mostShown({ item: key, component }) ?? mirror.identity(key).sequence;
}

const sequenceIn = (octets: Uint8Array): number =>
  Number(/^SEQUENCE:(\d+)/im.exec(Buffer.from(octets).toString())?.[1] ?? 0);

function store(context: WriteContext, put: ObjectPut): Result<boolean, Refusal> {
  const { calendar, incoming, object, isSeen } = put;
  if (object) return update(context, put, { object, isSeen });
  if (withdrawDeletion(context, incoming.uid)) return putAfterDeletion(context, put);
  const namesake = context.calendars.objectOfUid(calendar, incoming.uid);
  if (!namesake) return createObject(context, put);
  const reason = say("caldavFault.otherName");
  return fail({ kind: "uid", calendar, name: namesake.name, reason });
}

/** Withdraws the person's own waiting deletions, as the item is put again. Returns whether there were any. */
function withdrawDeletion(context: WriteContext, uid: string): boolean {
  const key = context.store.mirror.findUid(uid)?.item;
  const own = key === undefined ? [] : ownHeldEdits(key, context);
  const deletions = own.filter(({ action }) => action === "delete");
  const why = "its editor put the item again";
  for (const { id } of deletions) context.store.journal.discard(id, why);
  return deletions.length > 0;
}

/** An item that was deleted and exists again takes the object, with the new name. */
function putAfterDeletion(context: WriteContext, put: ObjectPut): Result<boolean, Refusal> {
  const { calendars } = context;
  const { calendar, name } = put;
  const object = calendars.objectOfUid(calendar, put.incoming.uid);
  if (!object) return createObject(context, put);
  if (object.name !== name) calendars.rename(object.key, name);
  const updated = update(context, put, { object, isSeen: false });
  return updated.ok ? ok(true) : updated;
}

function update(
  context: WriteContext,
  put: ObjectPut,
  { object, isSeen }: { readonly object: CalendarObject; readonly isSeen: boolean },
): Result<boolean, Refusal> {
  const { calendar, name } = put;
  const { uid, component } = put.incoming;
  if (uid !== object.uid) {
    return fail({ kind: "uid", calendar, name, reason: say("caldavFault.otherUid") });
  }
  if (component !== object.component) {
    const kinds = { present: object.component, wanted: component };
    const reason = say("caldavFault.kind", kinds);
    return fail(objectRefused("valid-calendar-object-resource", reason));
  }
  const present = context.calendars.itemOf(object).item;
  const seen = isSeen ? object : null;
  const at = { calendar, name, object, present, seen, isMove: false };
  const changed = acceptChange(context, put, at);
  return changed.ok ? ok(false) : changed;
}
