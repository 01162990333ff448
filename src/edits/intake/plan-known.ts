import { type IncomingItem, missingProperties, type When, wholeDay } from "@dayferry/ical";
import { type Channel, type Edit, visibleStates } from "../../domain/edit.ts";
import { fieldOf, fieldsOfKind, fieldsOfProperty, lineFields } from "../../domain/fields.ts";
import type { EditId, ItemKey, PersonId } from "../../domain/ids.ts";
import { type Item, type SpokenKind, spokenKind, untitled } from "../../domain/item.ts";
import {
  applyPatch,
  fieldsOf,
  type Patch,
  type PatchField,
  pick,
  valuesOf,
} from "../../domain/patch.ts";
import { changedFields, nameKey, sameStored } from "../../domain/sameness.ts";
import { type Reader, seesItem } from "../../domain/visibility.ts";
import { fieldNameOf, type Names } from "../../domain/wording.ts";
import type { Store } from "../../store/store.ts";
import type { View, ViewItem } from "../../store/view/view.ts";
import { say } from "../../texts/say.ts";
import { actionOf, changesOf, namesOf, sameWish, valueInWords } from "../field-changes.ts";
import { diffItem } from "./diff-item.ts";
import { spokenNames } from "./diff-times.ts";
import { type EditDraft, type ItemPlan, refusal, type Situation } from "./item-plan.ts";
import { uidAbove } from "./parent-of.ts";
import { type KnownNames, type Note, type PlanPart, quote } from "./plan-part.ts";

interface Known {
  readonly viewed: Pick<ViewItem, "key" | "item">;
  readonly cancelled: boolean;
  readonly situation: Situation;
  /** A deletion of the item that is withdrawn. */
  readonly withdraws?: EditId;
}

/** What a file changes in a visible item, relative to what its editor saw, or its deletion. */
export function planKnown(incoming: IncomingItem, known: Known): ItemPlan {
  const { viewed, cancelled, situation, withdraws = null } = known;
  const { key, item: present } = viewed;
  if (cancelled) {
    const edit: EditDraft = {
      action: "delete",
      item: key,
      base: baseOf(incoming, known),
      patch: {},
      newLabels: [],
      replaces: null,
    };
    return planOf(incoming, { known, edit, notes: [] });
  }
  const base = baseOf(incoming, known);
  const unset = takenAway(incoming, base, situation);
  const diff = diffItem(incoming, applyPatch(base, unset), situation.context);
  const held = ownHeld(key, situation);
  const changed = changedFields(valuesOf(present), { ...held?.patch, ...unset, ...diff.patch });
  const newLabels = labelsOnTheirWay(diff, known) ? [] : labelsOf(diff, unset, held);
  const patch: Patch =
    newLabels.length > 0
      ? { ...changed, labels: diff.patch.labels ?? held?.patch.labels ?? [] }
      : changed;
  const notes = [...diff.notes, ...parentNotes(incoming, known)];
  if (diff.refusals.length > 0) {
    return refusal(incoming, {
      reasons: diff.refusals,
      notes,
      kind: spokenKind(present),
      title: present.title,
      changes: changesOf(valuesOf(present), { patch, newLabels }),
    });
  }
  const edit: EditDraft = {
    action: actionOf(patch),
    item: key,
    // A waiting field is still compared with its value when it came in.
    base: held ? applyPatch(base, pick(held.bases, fieldsOf(held.patch))) : base,
    patch,
    newLabels,
    replaces: withdraws,
  };
  const overrides = overrideNotes(incoming, edit, present, namesOf(situation.store));
  const about = { known, edit, notes: [...notes, ...overrides] };
  const plan = { ...planOf(incoming, about), asked: { ...unset, ...diff.patch } };
  return held && plan.ending.kind !== "waits" ? { ...plan, takesIn: held.ids } : plan;
}

/** Names of labels still to be created: from this file, else from the waiting edit. */
function labelsOf(diff: PlanPart, unset: Patch, held: OwnHeld | null): readonly string[] {
  const isSpoken = diff.patch.labels !== undefined || unset.labels !== undefined;
  return isSpoken ? diff.newLabels : (held?.newLabels ?? []);
}

/** Fields to unset because the editor omitted them, where absence has a meaning. */
function takenAway(incoming: IncomingItem, base: Item, situation: Situation): Patch {
  const { cleared, replaced, context } = situation;
  const { names } = context;
  const shown = replaced.get(incoming.uid);
  return {
    ...unsetFields(base, { fields: cleared.get(incoming.uid) ?? [], names }),
    ...(shown && replacedPatch(incoming, { shown, base, names })),
  };
}

/**
 * Unsets what an editor has removed from an item as they saw it: only fields that can be unset and have a value. Labels that
 * calendars cannot show stay.
 */
function unsetFields(
  item: Item,
  about: { readonly fields: readonly PatchField[]; readonly names: KnownNames },
): Patch {
  const { fields, names } = about;
  const unset: Patch = Object.fromEntries(
    fieldsOfKind(item.kind)
      .filter((name) => fields.some((field) => field === name) && fieldOf(name).property)
      .map((name) => [name, fieldOf(name).blank]),
  );
  if (unset.labels && item.kind !== "event") {
    const labels = item.labels.filter((id) => !names.isNamed(id));
    return changedFields(valuesOf(item), { ...unset, labels });
  }
  return changedFields(valuesOf(item), unset);
}

/**
 * Removes what a text showed of an item and its replacement omits; the properties' defaults apply. A parent cannot be removed,
 * nor what was not shown: people without an address, labels without a name. Source: RFC 9110 9.3.4; RFC 5545 3.8.1.3 (CLASS),
 * 3.6.1 (an event without an end).
 */
function replacedPatch(
  incoming: IncomingItem,
  about: { readonly shown: IncomingItem; readonly base: Item; readonly names: KnownNames },
): Patch {
  const { shown, base, names } = about;
  if (shown.component !== incoming.component) return {};
  const isGone = (property: keyof IncomingItem) =>
    shown[property] !== undefined && incoming[property] === undefined;
  const { component } = incoming;
  const texts = lineFields(component).map(({ property }) => property);
  const gone = missingProperties(shown.raw, incoming, texts);
  // An alarm that cannot be stored replaces the existing one.
  const lost = shown.alarm && !incoming.alarm ? [...gone, "VALARM"] : gone;
  const fields = lost.flatMap((property) => fieldsOfProperty(component, property));
  const unset = unsetFields(base, { fields, names });
  return { ...unset, ...changedFields(valuesOf(base), defaultsOf(incoming, { ...about, isGone })) };
}

/** Fields that cannot be empty, and those that several properties define. */
function defaultsOf(
  incoming: IncomingItem,
  about: {
    readonly shown: IncomingItem;
    readonly base: Item;
    readonly names: KnownNames;
    readonly isGone: (property: keyof IncomingItem) => boolean;
  },
): Patch {
  const { shown, base, names, isGone } = about;
  const isEvent = base.kind === "event";
  const isSilent = !saysState(incoming) && saysState(shown);
  const when = isEvent && lacksEnd(incoming, shown) ? withoutEnd(base.when) : null;
  return {
    ...(isGone("summary") && { title: untitled }),
    ...(isEvent && isGone("classification") && { private: false }),
    ...(incoming.component === "VTODO" && isSilent && base.completed && { completed: false }),
    ...(isGone("attendees") && { assigned: withoutThose(shown, base, names) }),
    ...(when && { when }),
  };
}

const saysState = ({ status, completedAt, percent }: IncomingItem): boolean =>
  [status, completedAt, percent].some((said) => said !== undefined);

/** Removes assignees whose addresses were shown; the others were not shown. */
const withoutThose = ({ attendees = [] }: IncomingItem, base: Item, names: KnownNames) => {
  const shown = new Set(attendees.map((email) => names.personOf(email)));
  return base.assigned.filter((person) => !shown.has(person));
};

function lacksEnd(incoming: IncomingItem, shown: IncomingItem): boolean {
  const saysEnd = (item: IncomingItem): boolean => {
    const names = spokenNames(item);
    return names.has("DTEND") || names.has("DURATION");
  };
  return incoming.component === "VEVENT" && saysEnd(shown) && !saysEnd(incoming);
}

const withoutEnd = (when: When): When =>
  when.kind === "dates" ? wholeDay(when.start) : { ...when, end: null };

/** The version that the editor is known to have seen, or that the file names, else the most likely one. */
function baseOf(incoming: IncomingItem, known: Known): Item {
  const { viewed, situation } = known;
  const { bases, store } = situation;
  const seen = bases.get(incoming.uid);
  if (seen) return seen;
  const about = { key: viewed.key, view: store.view, editor: readerOf(known) };
  const named = shownBase(incoming, about);
  // A file may name no version, or one that a restore has forgotten.
  if (!named) return nearest(incoming, known, [viewed.item, ...sinceOwnEdit(known)]);
  const isMarked = incoming.base !== null;
  return isMarked ? nearest(incoming, known, [named, ...putSince(known)]) : named;
}

/**
 * Whose permissions apply to versions: the editor's, who may see the result. The admin may submit a file for somebody who no
 * longer has access.
 */
function readerOf({ viewed: { item }, situation: { actor, store } }: Known): Reader {
  const { directory } = store;
  const project = directory.project(item.projectId);
  const list = directory.listOf(item);
  return actor !== null && seesItem(actor, { item, project, list }) ? actor : null;
}

/** The version of which the file changes the fewest fields, but at least one; the first on a tie. */
function nearest(
  incoming: IncomingItem,
  { situation }: Known,
  [first, ...others]: readonly [Item, ...(readonly Item[])],
): Item {
  const changesOfBase = (base: Item) =>
    fieldsOf(diffItem(incoming, base, situation.context).patch).length;
  let best = { base: first, changes: changesOfBase(first) };
  if (best.changes < 2) return first;
  for (const base of others) {
    const changes = changesOfBase(base);
    if (changes > 0 && changes < best.changes) best = { base, changes };
  }
  return best.base;
}

/**
 * Versions since the last edit by the editor's same program, latest first, as a file without a version may be a copy of any.
 * The sender of inbox files is unknown.
 */
function sinceOwnEdit(known: Known): readonly Item[] {
  const { viewed, situation } = known;
  const { store, actor, channel, program } = situation;
  const isOwn = (edit: Edit): boolean =>
    edit.actor === actor && edit.channel === channel && edit.program === program;
  const own = channel === "inbox" ? undefined : store.pastEdits.ofItem(viewed.key).find(isOwn);
  // Its version was published in the same moment, or soon after.
  const since = own?.createdAt.add({ seconds: 1 });
  return store.view.history(viewed.key, readerOf(known), since).toReversed();
}

/**
 * Versions of the item in earlier files, oldest first. A program continues from what it has put or submitted, which still names
 * the version before it. On a tie the oldest counts, so that later changes conflict and are not overwritten.
 */
function putSince(known: Known): readonly Item[] {
  const { store, actor } = known.situation;
  const { key } = known.viewed;
  const said = ({ channel, actor: by, action, createdAt, base, patch }: Edit) => {
    if (channel === "caldav") return store.view.shownAt(key, createdAt, readerOf(known));
    const isOwnFile = fileChannels.has(channel) && by === actor && action !== "delete";
    return isOwnFile ? applyPatch(base, patch) : null;
  };
  return store.pastEdits
    .ofItem(key)
    .toReversed()
    .flatMap((edit) => said(edit) ?? []);
}

/** Channels of files, which are not returned as submitted. */
export const fileChannels: ReadonlySet<Channel> = new Set(["upload", "cli", "inbox"]);

/** True if a pending edit gives the item the same labels. New ones are not in the view before they have an id. */
function labelsOnTheirWay(diff: PlanPart, { viewed, situation }: Known): boolean {
  if (diff.newLabels.length === 0) return false;
  if (changedFields(valuesOf(viewed.item), { labels: diff.patch.labels ?? [] }).labels)
    return false;
  const underWay = situation.store.pastEdits
    .ofItem(viewed.key)
    .filter(({ state }) => visibleStates.includes(state))
    .flatMap(({ newLabels }) => newLabels.map(nameKey));
  return diff.newLabels.every((name) => underWay.includes(nameKey(name)));
}

function planOf(
  incoming: IncomingItem,
  about: { readonly known: Known; readonly edit: EditDraft; readonly notes: readonly Note[] },
): ItemPlan {
  const { known, edit, notes } = about;
  const { item } = known.viewed;
  const kind: SpokenKind = spokenKind(item);
  const common = { incoming, kind, title: edit.patch.title ?? item.title, refusals: [], notes };
  const changes = changesOf(valuesOf(item), edit);
  if (edit.action !== "delete" && changes.length === 0 && edit.replaces === null) {
    return { ...common, changes, ending: { kind: "unchanged" } };
  }
  // An edit that withdraws a deletion cannot wait, as the item would be deleted meanwhile.
  const held = edit.replaces === null ? sameHeld(edit, known) : null;
  if (!held) return { ...common, changes, ending: { kind: "edit", edit } };
  const message = say("intake.sameWaits", { edit: String(held) });
  return {
    ...common,
    changes,
    notes: [...notes, { line: incoming.line, code: "waiting", message }],
    ending: { kind: "waits", action: edit.action, editId: held },
  };
}

/** A waiting edit with the same changes, so that a file sent twice does not wait twice. */
function sameHeld(edit: EditDraft, { viewed, situation }: Known): EditId | null {
  const same = situation.store.journal
    .heldOf(viewed.key)
    .find((held) => held.action === edit.action && sameWish(held, edit) && isMine(held, situation));
  return same?.id ?? null;
}

/** A calendar program sees its own edits applied, but not others'. */
export const isMine = (
  held: Edit,
  { channel, actor }: Pick<Situation, "channel" | "actor">,
): boolean => channel !== "caldav" || (held.channel === channel && held.actor === actor);

/** Fields that someone else has changed since the editor looked, and that the edit changes too. */
function overrideNotes(
  incoming: IncomingItem,
  { base: seen, patch }: EditDraft,
  now: Item,
  names: Names,
): readonly Note[] {
  const [base, present] = [valuesOf(seen), valuesOf(now)];
  const crossed = fieldsOf(patch).filter((field) => !sameStored(field, base, present));
  return changesOf(present, { patch, newLabels: [] })
    .filter(({ field }) => crossed.includes(field))
    .map(({ field, from }) => {
      const value = quote(valueInWords({ field, value: from }, names));
      const message = say("intake.changedMeanwhile", { field: fieldNameOf(field), now: value });
      return { line: incoming.line, code: "changed-meanwhile", message };
    });
}

/** The parent cannot be changed, as the service does not move subtasks. */
function parentNotes(incoming: IncomingItem, { viewed, situation }: Known): readonly Note[] {
  const { item } = viewed;
  if (incoming.relatedTo === undefined || item.kind === "event") return [];
  const uid = uidAbove(viewed, situation.store);
  if (uid === incoming.relatedTo) return [];
  const message = say("intake.parentFixed");
  return [{ line: incoming.line, code: "not-stored", message }];
}

/**
 * The version that the editor of a file saw; null if the file names none that is known. The feed's own mark counts first, as
 * programs raise SEQUENCE when they edit. Without it, SEQUENCE and LAST-MODIFIED must name the same version, if both are given.
 */
export function shownBase(
  { base, sequence, lastModified }: IncomingItem,
  { key, view, editor }: { readonly key: ItemKey; readonly view: View; readonly editor: Reader },
): Item | null {
  const marked =
    base === null ? null : view.shownAs(key, { sequence: base, modifiedAt: null }, editor);
  return marked ?? view.shownAs(key, { sequence, modifiedAt: lastModified }, editor);
}

/** One editor's changes of an item by calendar programs that wait for approval, combined. */
interface OwnHeld {
  readonly ids: readonly EditId[];
  readonly patch: Patch;
  readonly newLabels: readonly string[];
  /** The fields of the patch when the first of the changes came in. */
  readonly bases: Patch;
}

/**
 * An editor's waiting changes, which they see applied. A later change of that editor builds on them and includes them, so that
 * one edit waits with everything. Null if nothing waits.
 */
export function ownHeld(
  item: ItemKey,
  of: { readonly store: Store; readonly channel: Channel; readonly actor: PersonId | null },
): OwnHeld | null {
  const waiting = ownOf(item, of).filter(
    ({ action }) => action !== "create" && action !== "delete",
  );
  if (waiting.length === 0) return null;
  const bases = waiting.map(({ base, patch }) => pick(valuesOf(base), fieldsOf(patch)));
  return {
    ids: waiting.map(({ id }) => id),
    patch: Object.assign({}, ...waiting.map(({ patch }) => patch)),
    newLabels: waiting.at(-1)?.newLabels ?? [],
    bases: Object.assign({}, ...bases.toReversed()),
  };
}

/** One editor's waiting edits of an item by calendar programs, oldest first. */
export const ownOf = (
  item: ItemKey,
  { store, channel, actor }: Parameters<typeof ownHeld>[1],
): readonly Edit[] =>
  channel !== "caldav" || actor === null
    ? []
    : store.journal
        .heldOf(item)
        .filter((edit) => edit.channel === channel && edit.actor === actor)
        .toReversed();
