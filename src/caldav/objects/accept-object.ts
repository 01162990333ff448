import type { Calendar, CalendarObject } from "../../calendars/calendar-types.ts";
import type { Edit } from "../../domain/edit.ts";
import type { EditId, ItemKey } from "../../domain/ids.ts";
import { type EventItem, type Item, type TaskItem, untitled } from "../../domain/item.ts";
import { baseMark, numberIn } from "../../domain/object-version.ts";
import { applyPatch, type Patch, type PatchField } from "../../domain/patch.ts";
import { fail, ok, type Result } from "../../domain/result.ts";
import type { When } from "../../domain/when.ts";
import type { ItemsRequest } from "../../edits/intake/accept.ts";
import type { ItemPlan } from "../../edits/intake/item-plan.ts";
import type { Acceptance, PlannedItem } from "../../edits/intake/plan-answer.ts";
import { ownOf, shownBase } from "../../edits/intake/plan-known.ts";
import { readCalendarObject } from "../../ics/read/calendar-object.ts";
import type { IncomingItem } from "../../ics/read/incoming.ts";
import { missingProperties, type SpeakingProperty } from "../../ics/read/missing-properties.ts";
import type { ObjectRow } from "../../store/rows/calendar-rows.ts";
import type { Store } from "../../store/store.ts";
import type { DavAnswer, DavContext, ObjectRequest } from "../dav-request.ts";
import { type DavFault, faultAnswer, objectRefusal, plainFault, refusalFault } from "../fault.ts";
import { writesWhole } from "./whole-writers.ts";

/** A PUT whose octets were read as one item. */
export interface ObjectPut {
  readonly request: ObjectRequest;
  /** Exactly as they came. */
  readonly body: Buffer;
  readonly incoming: IncomingItem;
}

/** An existing item, and what a PUT of it is to be compared with. */
interface PresentItem extends Pick<ObjectRequest, "calendar" | "name"> {
  readonly object: Pick<CalendarObject, "key" | "component">;
  /** As the person is shown it. */
  readonly present: Item;
  /** The member whose present version a condition has named; null where none did. */
  readonly seen: CalendarObject | null;
  /** Whether the PUT takes the item to another calendar, and so asks for a change in any case. */
  readonly isMove: boolean;
}

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
  const base = baseOf(context, { edit, at, agent });
  const accepted = acceptEdit(context, { ...edit, base });
  if (!accepted.ok) return accepted;
  const { key, described } = accepted.value;
  // Where nothing more is asked for the octets go with the move that waits.
  const moveThatWaits = isMove ? (ownHeldEdits(key, context).at(-1)?.id ?? null) : null;
  const held = accepted.value.held ?? moveThatWaits;
  storeOctets(context, { put, key, name, described, held });
  return ok(null);
}

/**
 * What a program saw that puts an item which was deleted a moment ago: it takes the item to another calendar by a DELETE and a PUT,
 * and seldom edits it as well. Null where the item was never shown.
 */
export function baseOfTaken(
  context: DavContext,
  put: ObjectPut,
  { key, recreate }: { readonly key: ItemKey; readonly recreate: boolean },
): Item | null {
  const present = context.store.view.history(key, context.person.id).at(-1);
  if (!present) return null;
  const { calendar, name } = put.request;
  const object = { key, component: put.incoming.component };
  const at = { calendar, name, object, present, seen: null, isMove: true };
  const edit = { calendar, incoming: put.incoming, recreate };
  return baseOf(context, { edit, at, agent: agentOf(put.request) });
}

/** An edit as the octets of a request express it. `calendar`: where an item of unknown UID goes. */
interface ObjectEdit {
  readonly calendar: Calendar;
  readonly incoming: IncomingItem;
  readonly method?: "CANCEL";
  /** What the sender saw; null = as the item says, or as it is now. */
  readonly base: Item | null;
  readonly cleared?: readonly PatchField[];
  /** What the sender was shown and replaces as a whole; null where absence says nothing but by `cleared`. */
  readonly replaced?: IncomingItem | null;
  /** Whether a deleted item of this UID is to be recreated. */
  readonly recreate?: boolean;
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

function acceptItem(
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

/** The plan for the one item of an edit or a move, or the fault with which it is refused. */
export function plannedItem(acceptance: Acceptance): Result<PlannedItem, DavFault> {
  if (acceptance.kind === "refused") {
    return fail(plainFault(409, acceptance.errors.map(({ message }) => message).join("; ")));
  }
  const [item] = acceptance.items;
  return !item || item.action === "refused"
    ? fail(refusalFault(item ?? { problems: [] }))
    : ok(item);
}

/** The accepted edit where it waits for approval; null where it is delivered at once, or changes nothing. */
export function heldEdit(
  { editId, problems }: Pick<PlannedItem, "editId" | "problems">,
  { mode }: Pick<DavContext, "mode">,
): EditId | null {
  const waits = problems.some(({ code }) => code === "held" || code === "waiting");
  return mode === "review" || waits ? editId : null;
}

/** Edits of an item by the person's programs that wait for approval, oldest first. */
export const ownHeldEdits = (
  key: ItemKey,
  { store, person }: Pick<DavContext, "store" | "person">,
): readonly Edit[] => ownOf(key, { store, channel: "caldav", actor: person.id });

/** A PUT of an existing item whose base version is still to be found. */
interface Comparison {
  readonly edit: Omit<ObjectEdit, "base">;
  readonly at: PresentItem;
  readonly agent: string;
}

/**
 * The version that the editor saw: the present one when a condition has named it, else the one that the octets name.
 * Programs keep that name through edits of their own, so octets that were put last bear an older one than what they show.
 * Under that name an edit by the same program is one of these octets; by another program it may be one of either, or of what that one
 * has put itself before.
 */
function baseOf(context: DavContext, comparison: Comparison): Item {
  const { store, person } = context;
  const { edit, at, agent } = comparison;
  const { base, component, sequence } = edit.incoming;
  const { key } = at.object;
  const refusedAt = context.recentWrites.refused.take(key, context);
  if (at.seen) return at.present;
  if (refusedAt) return store.view.shownAt(key, refusedAt, person.id) ?? at.present;
  const held = lastHeld(context, { key, component });
  const last = held ?? store.objects.get({ item: key, component });
  const isOwn = last?.actor === person.id && last.agent === agent;
  if (base === null) {
    const putAt = whenPut(context, { key, last });
    const shown = putAt && store.view.shownAt(key, putAt, person.id);
    if (isOwn && shown) return ownCopy(context, { comparison, shown, own: last });
    return nearest(context, { comparison, copies: [shown ?? at.present] });
  }
  const named = store.view.shownAs(key, { sequence: base, modifiedAt: null }, person.id);
  const everybodys =
    last && numberIn(last.raw, baseMark) === base
      ? store.view.shownAt(key, last.at, person.id)
      : null;
  // The person's programs were shown what waits as well.
  const shown =
    held && everybodys ? withOwnWords(context, { edit, shown: everybodys, own: held }) : everybodys;
  if (!last || !shown) return nearest(context, { comparison, copies: [named ?? at.present] });
  if (isOwn) return ownCopy(context, { comparison, shown, own: last });
  if (!named) return shown;
  const isLater = (sequence ?? 0) > (numberIn(last.raw, "SEQUENCE") ?? 0);
  if (isLater) return shown;
  const own = lastOwnEdit(context, key);
  const kept = own && store.view.shownAt(key, own.createdAt, person.id);
  return nearest(context, { comparison, copies: [shown, ...(kept ? [kept] : []), named] });
}

/** What a program of the person has put last by an edit that waits. */
function lastHeld(
  context: DavContext,
  { key, component }: { readonly key: ItemKey; readonly component: CalendarObject["component"] },
): ObjectRow | null {
  const rows = ownHeldEdits(key, context).map(({ id }) => context.store.heldObjects.get(id)?.row);
  return rows.findLast((row) => row?.component === component) ?? null;
}

/** The copy of a program that has put the last octets: what these say, unless it is moving an older one, as a second device may. */
function ownCopy(
  context: DavContext,
  about: { readonly comparison: Comparison; readonly shown: Item; readonly own: ObjectRow },
): Item {
  const { comparison, shown, own } = about;
  const { edit, at } = comparison;
  const copy = withOwnWords(context, { edit, shown, own });
  return at.isMove ? nearest(context, { comparison, copies: [copy] }) : copy;
}

/**
 * What a program saw that has kept its own octets: the version shown when it put them, but for what the octets themselves say
 * otherwise, as they may have been old already. Saying that again asks for nothing.
 */
function withOwnWords(
  context: DavContext,
  {
    edit,
    shown,
    own: { body },
  }: {
    readonly edit: Comparison["edit"];
    readonly shown: Item;
    readonly own: Pick<ObjectRow, "body">;
  },
): Item {
  const { zone } = context;
  const said = body && readCalendarObject(body, { zone });
  if (!said?.ok) return shown;
  const again = { ...edit, incoming: said.value, base: shown, cleared: [], replaced: null };
  const plans: ItemPlan[] = [];
  acceptItem(context, { edit: again, dryRun: true, onPlan: (plan) => plans.push(plan) });
  return applyPatch(shown, plans[0]?.asked ?? {});
}

/**
 * When the octets were put that a program has kept as they were. What is served of any other version names it, so that octets
 * that name none are the last of this program, or else those that are kept. Null where none is known.
 */
function whenPut(
  context: DavContext,
  { key, last }: { readonly key: ItemKey; readonly last: ObjectRow | null },
): Temporal.Instant | null {
  const { person, agent } = context;
  const kept = last && numberIn(last.raw, baseMark) === null ? last : null;
  if (kept?.actor === person.id && kept.agent === agent) return kept.at;
  return lastOwnEdit(context, key)?.createdAt ?? kept?.at ?? null;
}

/** The last edit of an item that this program of the person has made before now. */
function lastOwnEdit({ store, person, agent, clock }: DavContext, key: ItemKey): Edit | undefined {
  const now = clock();
  return store.pastEdits
    .ofItem(key)
    .filter(({ createdAt }) => Temporal.Instant.compare(createdAt, now) < 0)
    .find(
      ({ channel, actor, program }) =>
        channel === "caldav" && actor === person.id && (program ?? "") === agent,
    );
}

/** So many versions are looked at for the copy of a program: each takes a comparison. */
const mostEarlier = 20;

/**
 * Of several versions, and of earlier ones, the one that the edit changes least of, but something, and the first among equals: what is
 * put back as it was is asked for, and without a condition it is taken at its word. Who moves an item seldom edits it as well.
 */
function nearest(
  context: DavContext,
  about: {
    readonly comparison: Comparison;
    readonly copies: readonly [Item, ...(readonly Item[])];
  },
): Item {
  const { edit, at } = about.comparison;
  const [first, ...others] = about.copies;
  let best = { copy: first, count: countChanges(context, { ...edit, base: first }) };
  if (best.count === 0) return first;
  const versions = context.store.view.history(at.object.key, context.person.id);
  for (const copy of [...others, ...versions.toReversed().slice(0, mostEarlier)]) {
    if (best.count === 0) break;
    const count = countChanges(context, { ...edit, base: copy });
    const isChange = count !== null && (count > 0 || at.isMove);
    if (isChange && best.count !== null && count < best.count) best = { copy, count };
  }
  return best.copy;
}

/** How many fields the edit would change, by a dry run; null where it would be refused. */
function countChanges(context: DavContext, edit: ObjectEdit): number | null {
  const planned = plannedItem(acceptItem(context, { edit, dryRun: true }));
  return planned.ok ? planned.value.changes.length : null;
}

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

/**
 * The item as octets describe it: what their sender saw, with what they ask for, and without the fields of which they say
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
  const wanted = applyPatch(base, patch);
  const common = {
    // Where no title was given none is missing.
    title: incoming.summary === undefined && wanted.title !== untitled ? "" : wanted.title,
    description: incoming.description === undefined ? null : wanted.description,
  };
  return wanted.kind === "event"
    ? { ...describedEvent(wanted, incoming), ...common }
    : { ...describedTask(wanted, incoming), ...common };
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
    // The octets cannot name a parent task that has no id yet.
    ...(incoming.relatedTo === undefined && { kind: "task" as const, parentId: null }),
  };
}

const saysState = ({ status, completedAt, percent }: IncomingItem): boolean =>
  [status, completedAt, percent].some((said) => said !== undefined);

/** The program that sends a request. */
const agentOf = ({ headers }: Pick<ObjectRequest, "headers">): string =>
  headers["user-agent"] ?? "";

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
