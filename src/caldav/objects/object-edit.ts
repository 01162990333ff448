import type { Calendar, CalendarObject } from "../../calendars/calendar.ts";
import type { EditId, ItemKey } from "../../domain/ids.ts";
import type { Item } from "../../domain/item.ts";
import { fieldsOf, type Patch, type PatchField, pick, sameField } from "../../domain/merge.ts";
import { fail, ok, type Result } from "../../domain/result.ts";
import { ownHeld } from "../../edits/intake/own-held.ts";
import { shownBase } from "../../edits/intake/shown-base.ts";
import { type CalendarObjectText, readCalendarObject } from "../../ics/read/calendar-object.ts";
import type { IncomingItem } from "../../ics/read/incoming.ts";
import { missingProperties, type SpeakingProperty } from "../../ics/read/missing-properties.ts";
import type { DavContext, ObjectRequest } from "../context.ts";
import { caldavFault, type DavFault, plainFault } from "../fault.ts";
import { describedItem } from "./described-item.ts";
import { heldEdit } from "./held.ts";
import { refusalFault } from "./object-faults.ts";
import { writesWhole } from "./whole-writers.ts";

/** Octets of a request as they were read. */
export interface Sent {
  readonly body: Buffer;
  readonly text: CalendarObjectText;
}

/** An edit that octets mean. `calendar`: where an item of unknown UID goes. */
export interface ObjectEdit {
  readonly calendar: Calendar;
  readonly incoming: IncomingItem;
  readonly method: "CANCEL" | null;
  /** What the sender saw; null = as the item says, or as it is now. */
  readonly base: Item | null;
  readonly cleared: readonly PatchField[];
  /** What the sender was shown and replaces as a whole; null where absence says nothing but by `cleared`. */
  readonly replaced: IncomingItem | null;
  readonly anew: boolean;
}

export interface Accepted {
  readonly key: ItemKey;
  /** The edit that waits for a person, and is shown to its sender alone; null for one that all are shown. */
  readonly held: EditId | null;
  /** The item as the octets describe it; null for a new one, which is what they say. */
  readonly says: Item | null;
}

/** Takes the edit into the journal. */
export function acceptEdit(context: DavContext, edit: ObjectEdit): Result<Accepted, DavFault> {
  const { incoming, base } = edit;
  const { uid } = incoming;
  const waiting = waitingFor(uid, context);
  const accepted = acceptItem(context, { edit, dryRun: false });
  if (accepted.kind === "refused") {
    return fail(plainFault(403, accepted.errors.map(({ message }) => message).join("; ")));
  }
  const [item] = accepted.items;
  if (!item || item.action === "refused") return fail(refusalFault(item ?? { problems: [] }));
  const key = context.store.mirror.findUid(uid)?.item;
  if (key === undefined) {
    const reason = "the UID belongs to what is shown only, and cannot be changed";
    return fail(caldavFault("valid-calendar-object-resource", reason));
  }
  const seen = base ?? (item.action === "create" ? null : lastSeen(context, { key, incoming }));
  const stored = item.editId === null ? {} : context.store.journal.get(item.editId)?.patch;
  const patch = stored && ownWords(stored, waiting);
  const isNew = item.action === "create" && context.store.view.get(key) === null;
  const says = seen && patch && !isNew ? describedItem({ base: seen, patch, incoming }) : null;
  return ok({ key, held: heldEdit(item, context), says });
}

/** What the person's programs have wished of an item before, and waits: the next edit takes it in. */
function waitingFor(uid: string, { store, person }: DavContext): Patch {
  const key = store.mirror.findUid(uid)?.item;
  const about = { store, channel: "caldav", actor: person.id } as const;
  return (key === undefined ? null : ownHeld(key, about))?.patch ?? {};
}

/** The fields of an edit of which its octets speak, without what it has taken in. */
const ownWords = (patch: Patch, waiting: Patch): Patch =>
  pick(
    patch,
    fieldsOf(patch).filter(
      (field) => waiting[field] === undefined || !sameField(field, patch, waiting),
    ),
  );

/** What octets without a base were compared with, whose item was deleted and is there again. */
const lastSeen = (
  { store: { view } }: DavContext,
  { key, incoming }: { readonly key: ItemKey; readonly incoming: IncomingItem },
): Item | null => shownBase(incoming, { key, view }) ?? view.get(key)?.item ?? null;

/** What the edit would change, with nothing stored; null where it would be refused. */
export function changesOf(context: DavContext, edit: ObjectEdit): number | null {
  const planned = acceptItem(context, { edit, dryRun: true });
  const item = planned.kind === "refused" ? undefined : planned.items[0];
  return !item || item.action === "refused" ? null : item.changes.length;
}

function acceptItem(
  { acceptItems, person }: DavContext,
  { edit, dryRun }: { readonly edit: ObjectEdit; readonly dryRun: boolean },
) {
  const { calendar, incoming, method, base, cleared, replaced, anew } = edit;
  const { uid } = incoming;
  return acceptItems({
    calendar: { method, items: [incoming], ignored: [] },
    bases: base ? new Map([[uid, base]]) : new Map(),
    cleared: new Map([[uid, cleared]]),
    replaced: replaced ? new Map([[uid, replaced]]) : new Map(),
    ...(calendar.kind === "milestones" && { newAs: "milestone" }),
    anew,
    channel: "caldav",
    actor: person.id,
    projectId: calendar.projectId,
    listId: calendar.listId,
    dryRun,
  });
}

/**
 * Keeps the octets of an edit under a name: for all, or for its sender while it waits for a person. They describe another item where their sender had not seen the
 * present one, or has left a field out: what the item says beside is laid onto them, so that nobody is shown an old value.
 */
export function keepOctets(
  context: DavContext,
  kept: {
    readonly key: ItemKey;
    readonly name: string;
    readonly sent: Sent;
    readonly agent: string;
    readonly says: Item | null;
    readonly held: EditId | null;
  },
): void {
  const { key, name, sent, agent, says, held } = kept;
  const { component, uid, raw } = sent.text;
  const object = {
    key,
    component,
    name,
    uid,
    body: sent.body,
    raw,
    actor: context.person.id,
    agent,
    ...(says && { says }),
  };
  if (held === null) context.calendars.keep(object);
  else context.calendars.hold({ edit: held, key, name, object });
}

/** The ETag of what is shown of an item now; null where that is not exactly what was sent. Source: RFC 4791 5.3.4. */
export function etagOfSent(
  { calendars }: DavContext,
  { calendar, name, sent }: Pick<ObjectRequest, "calendar" | "name"> & { readonly sent: Sent },
): string | null {
  const object = calendars.object(calendar, name);
  const isSame = object && Buffer.compare(calendars.octets(object), sent.body) === 0;
  return isSame ? object.etag : null;
}

/** The program that sends a request. */
export const agentOf = ({ headers }: Pick<ObjectRequest, "headers">): string =>
  headers["user-agent"] ?? "";

/**
 * The text that a PUT replaces as a whole, as a condition has named the present version by its strong tag. Whoever is not
 * known to have seen that may have left out what is not known there. Source: RFC 9110 9.3.4.
 */
export function replacedText(
  { calendars, zone }: DavContext,
  { object, isSeen }: { readonly object: CalendarObject; readonly isSeen: boolean },
): IncomingItem | null {
  const shown = isSeen ? readCalendarObject(calendars.octets(object), { zone }) : null;
  return shown?.ok ? (shown.value.incoming.items[0] ?? null) : null;
}

/**
 * Fields of which the program has taken the property away. Absence says so only of programs that write items as a whole, and
 * only where the present octets are its own and held the property; else it may not know it, or has never been sent it.
 */
export function clearedFields(
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
  return missingProperties(kept.raw, incoming).flatMap((name) => clearedBy(name, incoming));
}

function clearedBy(property: SpeakingProperty, { component }: IncomingItem): readonly PatchField[] {
  switch (property) {
    case "DESCRIPTION":
      return ["description"];
    case "DUE":
      return ["dueOn"];
    case "DTSTART":
      return ["startOn"];
    case "CATEGORIES":
      return component === "VEVENT" ? ["milestone"] : ["labels"];
    case "VALARM":
      return ["reminder"];
  }
}
