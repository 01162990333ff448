import type { Calendar, CalendarObject } from "../../calendars/calendar-types.ts";
import type { Edit } from "../../domain/edit.ts";
import type { EditId, ItemKey } from "../../domain/ids.ts";
import { type EventItem, type Item, type TaskItem, untitled } from "../../domain/item.ts";
import { applyPatch, fieldsOf, type Patch, type PatchField, pick } from "../../domain/patch.ts";
import { fail, ok, type Result } from "../../domain/result.ts";
import { sameStored } from "../../domain/sameness.ts";
import type { When } from "../../domain/when.ts";
import type { PlannedItem } from "../../edits/intake/accept.ts";
import { ownHeld, ownOf, shownBase } from "../../edits/intake/plan-known.ts";

import { baseMark } from "../../ics/base-mark.ts";
import { type CalendarObjectText, readCalendarObject } from "../../ics/read/calendar-object.ts";
import type { IncomingItem } from "../../ics/read/incoming.ts";
import { missingProperties, type SpeakingProperty } from "../../ics/read/missing-properties.ts";
import type { DavContext, ObjectRequest } from "../dav-request.ts";
import { caldavFault, type DavFault, plainFault } from "../fault.ts";
import { refusalFault } from "./object-faults.ts";

/** Octets of a request as they were read. */
export interface Sent {
  readonly body: Buffer;
  readonly text: CalendarObjectText;
}

/** An edit that octets mean. `calendar`: where an item of unknown UID goes. */
interface ObjectEdit {
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

interface Accepted {
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
      (field) => waiting[field] === undefined || !sameStored(field, patch, waiting),
    ),
  );

/** What octets without a base were compared with, whose item was deleted and is there again. */
const lastSeen = (
  { store: { view } }: DavContext,
  { key, incoming }: { readonly key: ItemKey; readonly incoming: IncomingItem },
): Item | null => shownBase(incoming, { key, view }) ?? view.get(key)?.item ?? null;

/** What the edit would change, with nothing stored; null where it would be refused. */
function changesOf(context: DavContext, edit: ObjectEdit): number | null {
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

/** The edit as which a wish was accepted that waits for a person; null where it goes on at once, or nothing was wished. */
export function heldEdit(
  { editId, problems }: Pick<PlannedItem, "editId" | "problems">,
  { mode }: Pick<DavContext, "mode">,
): EditId | null {
  const waits = problems.some(({ code }) => code === "held" || code === "waiting");
  return mode === "review" || waits ? editId : null;
}

/** What the person's programs have asked for of an item and waits, oldest first. */
export const ownHeldEdits = (
  key: ItemKey,
  { store, person }: Pick<DavContext, "store" | "person">,
): readonly Edit[] => ownOf(key, { store, channel: "caldav", actor: person.id });

/**
 * The item as octets describe it: what their sender saw, with what they wish, and without the fields of which they say
 * nothing. A field that stays all the same is laid onto the octets, so that nobody takes it for unset.
 */
export function describedItem({
  base,
  patch,
  incoming,
}: {
  readonly base: Item;
  readonly patch: Patch;
  readonly incoming: IncomingItem;
}): Item {
  const wished = applyPatch(base, patch);
  const common = {
    // Where no title was given none is missing.
    title: incoming.summary === undefined && wished.title !== untitled ? "" : wished.title,
    description: incoming.description === undefined ? null : wished.description,
  };
  return wished.kind === "event"
    ? { ...describedEvent(wished, incoming), ...common }
    : { ...describedTask(wished, incoming), ...common };
}

/** An event cannot be without a day; where octets name none, its own day differs from this one. */
const noDay: When = {
  kind: "dates",
  start: Temporal.PlainDate.from("0001-01-01"),
  end: Temporal.PlainDate.from("0001-01-02"),
};

function describedEvent(item: EventItem, incoming: IncomingItem): EventItem {
  const isPrivate = incoming.classification !== undefined && item.private;
  if (incoming.component === "VTODO") {
    // The to-do of a milestone is one without saying so, and has no alarm.
    const isDone = saysState(incoming) && item.completed;
    const when = incoming.due === undefined ? noDay : item.when;
    return { ...item, private: isPrivate, completed: isDone, when };
  }
  const { when } = item;
  const isOpen = when.kind === "times" && incoming.when?.kind === "times" && !incoming.when.end;
  return {
    ...item,
    private: isPrivate,
    when: isOpen ? { ...when, end: null } : when,
    milestone: incoming.categories !== undefined && item.milestone,
    reminder: incoming.alarm === null ? null : item.reminder,
  };
}

function describedTask(item: TaskItem, incoming: IncomingItem): TaskItem {
  const state = saysState(incoming) ? {} : { completed: false, completedAt: null, percent: 0 };
  return {
    ...item,
    ...state,
    labels: incoming.categories === undefined ? [] : item.labels,
    startOn: incoming.start === undefined ? null : item.startOn,
    dueOn: incoming.due === undefined ? null : item.dueOn,
    // A task above it that has no id yet is not named by one.
    ...(incoming.relatedTo === undefined && { kind: "task" as const, parentId: null }),
  };
}

const saysState = ({ status, completedAt, percent }: IncomingItem): boolean =>
  [status, completedAt, percent].some((said) => said !== undefined);

/** An edit of an item that is there, of which it is not said yet what its sender saw. */
interface UnbasedEdit extends Omit<ObjectEdit, "base"> {
  readonly key: ItemKey;
  readonly present: Item;
  /** Whether a condition has named the present version. */
  readonly isSeen: boolean;
  /** Whether it takes the item to another place, and so wishes something in any case. */
  readonly isMove: boolean;
  readonly agent: string;
}

/**
 * The version that the editor saw: the present one when a condition has named it, else the one that the octets name.
 * Programs keep that name through edits of their own, so octets that were put last bear an older one than what they show.
 * Under that name an edit by the same program is one of these octets; by another program it may be one of either.
 */
export function baseOf(context: DavContext, edit: UnbasedEdit): Item {
  const { store, person } = context;
  const { key, present, incoming, isSeen, agent } = edit;
  const { base, component } = incoming;
  if (isSeen || base === null) return present;
  const named = store.view.shownAs(key, { sequence: base, modifiedAt: null });
  const last = store.objects.get({ item: key, component });
  const shown =
    last && numberIn(last.raw, baseMark) === base ? store.view.shownAt(key, last.at) : null;
  if (!last || !shown) return named ?? present;
  const isOwn = last.actor === person.id && last.agent === agent;
  if (isOwn || !named) return shown;
  const isLater = (incoming.sequence ?? 0) > (numberIn(last.raw, "SEQUENCE") ?? 0);
  return isLater ? shown : nearer(context, { edit, shown, named });
}

/**
 * Of two versions the one that the edit changes less of, but something: what is put back as it was is a wish, and without a
 * condition it is taken at its word.
 */
function nearer(
  context: DavContext,
  about: { readonly edit: UnbasedEdit; readonly shown: Item; readonly named: Item },
): Item {
  const { edit, shown, named } = about;
  const toNamed = changesOf(context, { ...edit, base: named });
  const toShown = changesOf(context, { ...edit, base: shown });
  if (toNamed === null || toShown === null) return shown;
  const isWish = toNamed > 0 || edit.isMove;
  return isWish && toNamed < toShown ? named : shown;
}

function numberIn(raw: string, name: string): number | null {
  const value = new RegExp(`^${name}:(\\d+)\\s*$`, "m").exec(raw)?.[1];
  return value === undefined ? null : Number(value);
}

/** Parts of the User-Agent of Apple's programs, Thunderbird, DAVx5, tasks.org, Evolution, KDE, Outlook's plug-in, vdirsyncer. */
const wholeWriters =
  /\b(?:dataaccessd|remindd|calaccessd|CalendarAgent|Thunderbird|Betterbird|DAVx5|DAVdroid|org\.tasks|Evolution|KIO|KDE|CalDavSynchronizer|vdirsyncer)\b/i;

/**
 * Whether a program by its User-Agent is known to write an item as a whole each time, so that a property which it wrote before
 * and now leaves out was taken away by its user. Scripts and libraries may leave out whatever does not matter to them.
 */
const writesWhole = (agent: string): boolean => wholeWriters.test(agent);
