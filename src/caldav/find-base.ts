import { baseMark, readCalendarObject } from "@dayferry/ical";
import type { CalendarObject } from "../calendars/calendar-types.ts";
import type { Edit, EditState } from "../domain/edit.ts";
import type { ItemKey } from "../domain/ids.ts";
import type { Item } from "../domain/item.ts";
import { numberIn } from "../domain/object-version.ts";
import { applyPatch } from "../domain/patch.ts";
import type { ItemPlan } from "../edits/intake/item-plan.ts";
import { fileChannels } from "../edits/intake/plan-known.ts";
import type { ObjectRow } from "../store/rows/calendar-rows.ts";
import { acceptItem, type ObjectEdit, ownHeldEdits, plannedItem } from "./plan-object.ts";
import type { ObjectPut, WriteContext } from "./write-context.ts";

/** An existing item, and what a PUT of it is compared with. */
export interface PresentItem extends Pick<ObjectPut, "calendar" | "name"> {
  readonly object: Pick<CalendarObject, "key" | "component">;
  /** As the person sees it. */
  readonly present: Item;
  /** The member whose present version a condition named; null if none did. */
  readonly seen: CalendarObject | null;
  /** True if the PUT moves the item to another calendar, and so changes it in any case. */
  readonly isMove: boolean;
}

/** A PUT of an existing item before its base version is known. */
interface Comparison {
  readonly edit: Omit<ObjectEdit, "base">;
  readonly at: PresentItem;
}

/**
 * What a program saw that puts an item deleted a moment ago: it moves the item with a DELETE and a PUT, and seldom edits it
 * too. Null if the item was never shown.
 */
export function baseOfTaken(
  context: WriteContext,
  put: ObjectPut,
  { key, recreate }: { readonly key: ItemKey; readonly recreate: boolean },
): Item | null {
  const present = context.store.view.history(key, context.person.id).at(-1);
  if (!present) return null;
  const { calendar, name } = put;
  const object = { key, component: put.incoming.component };
  const at = { calendar, name, object, present, seen: null, isMove: true };
  const edit = { calendar, incoming: put.incoming, recreate };
  return putBaseOf(context, { edit, at });
}

/**
 * What a PUT is compared with: the version that its editor saw. A private object put at a new address stays private there, even
 * if the item has become public, or was recreated as public, since.
 */
export function putBaseOf(context: WriteContext, comparison: Comparison): Item {
  const base = versionSeen(context, comparison);
  const { present, isMove } = comparison.at;
  const isOpened = isMove && present.kind === "event" && !present.private;
  return isOpened && base.kind === "event" ? { ...base, private: false } : base;
}

/**
 * The version that the editor saw: the present one if a condition named it, else the one that the octets name. Programs keep
 * that name through edits of their own, so octets that were put last name an older version than they show. With that name, an
 * edit by the same program is based on these octets; by another program, on either, or on its own earlier ones.
 */
function versionSeen(context: WriteContext, comparison: Comparison): Item {
  const { store, person, agent } = context;
  const { edit, at } = comparison;
  const { base, component, sequence } = edit.incoming;
  const { key } = at.object;
  // A move keeps an older copy, whatever was refused before.
  const refusedAt = at.isMove ? null : context.recentWrites.refused.take(key, context);
  if (at.seen) return at.present;
  if (refusedAt) return store.view.shownAt(key, refusedAt, person.id) ?? at.present;
  const held = lastHeld(context, key, component);
  const last = held ?? store.objects.get({ item: key, component });
  const isOwn = last?.actor === person.id && last.agent === agent;
  if (base === null) {
    const putAt = whenPut(context, key, last);
    const shown = putAt && store.view.shownAt(key, putAt, person.id);
    if (isOwn && shown) return ownCopy(context, { comparison, shown, own: last });
    const copies = shown
      ? withOwnFiles(context, key, { copy: shown, since: putAt })
      : ([at.present] as const);
    return nearest(context, { comparison, copies });
  }
  const named = store.view.shownAs(key, { sequence: base, modifiedAt: null }, person.id);
  const everybodys =
    last && numberIn(last.raw, baseMark) === base
      ? store.view.shownAt(key, last.at, person.id)
      : null;
  // The person's programs also saw waiting edits.
  const shown =
    held && everybodys ? withOwnWords(context, { edit, shown: everybodys, own: held }) : everybodys;
  const known = named ? withOwnFiles(context, key, { copy: named, since: null }) : [];
  if (!last || !shown) {
    const [first = at.present, ...others] = known;
    return nearest(context, { comparison, copies: [first, ...others] });
  }
  if (isOwn) return ownCopy(context, { comparison, shown, own: last });
  const isLater = (sequence ?? 0) > (numberIn(last.raw, "SEQUENCE") ?? 0);
  if (isLater) return shown;
  const own = lastOwnEdit(context, key);
  const kept = own && store.view.shownAt(key, own.createdAt, person.id);
  // A restore may have forgotten the named version. The copy is not always the last octets then.
  const ownCopies = kept ? withOwnFiles(context, key, { copy: kept, since: own.createdAt }) : [];
  const copies = [shown, ...ownCopies, ...known] as const;
  return nearest(context, { comparison, copies });
}

/** What the person's program last put with a waiting edit. */
function lastHeld(
  context: WriteContext,
  key: ItemKey,
  component: CalendarObject["component"],
): ObjectRow | null {
  const rows = ownHeldEdits(key, context).map(({ id }) => context.store.heldObjects.get(id)?.row);
  return rows.findLast((row) => row?.component === component) ?? null;
}

/**
 * The copy of the program that put the last octets: what these say, unless it is moving an older one, as a second device may.
 * It may also be based on a file that the person uploaded since.
 */
function ownCopy(
  context: WriteContext,
  about: { readonly comparison: Comparison; readonly shown: Item; readonly own: ObjectRow },
): Item {
  const { comparison, shown, own } = about;
  const { edit, at } = comparison;
  const copy = withOwnWords(context, { edit, shown, own });
  return at.isMove
    ? nearest(context, { comparison, copies: [copy] })
    : nearest(context, {
        comparison,
        copies: withOwnFiles(context, at.object.key, { copy, since: own.at }),
        isLastCopy: true,
      });
}

/** The copy, and its versions with each of the person's files since applied, oldest first. */
function withOwnFiles(
  { store, person }: WriteContext,
  key: ItemKey,
  { copy, since }: { readonly copy: Item; readonly since: Temporal.Instant | null },
): readonly [Item, ...(readonly Item[])] {
  const files = store.pastEdits
    .ofItem(key)
    .filter(
      ({ actor, channel, action, createdAt }) =>
        actor === person.id &&
        fileChannels.has(channel) &&
        action === "update" &&
        (since === null || Temporal.Instant.compare(createdAt, since) > 0),
    )
    .slice(0, mostEarlier)
    .toReversed();
  let last = copy;
  const later = files.map(({ patch }) => {
    last = applyPatch(last, patch);
    return last;
  });
  return [copy, ...later];
}

/**
 * What a program saw that kept its own octets: the version at the time of its PUT, except for what the octets say differently,
 * as they may have been old already. Repeating that changes nothing.
 */
function withOwnWords(
  context: WriteContext,
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
 * When a program put the octets that it has kept. Any other served version names itself, so octets without a name are this
 * program's last ones, or the stored ones. Null if none is known.
 */
function whenPut(
  context: WriteContext,
  key: ItemKey,
  last: ObjectRow | null,
): Temporal.Instant | null {
  const { person, agent } = context;
  const kept = last && numberIn(last.raw, baseMark) === null ? last : null;
  if (kept?.actor === person.id && kept.agent === agent) return kept.at;
  return lastOwnEdit(context, key)?.createdAt ?? kept?.at ?? null;
}

/** The last edit of an item by this program of the person. */
function lastOwnEdit(
  { store, person, agent, clock }: WriteContext,
  key: ItemKey,
): Edit | undefined {
  const now = clock();
  return store.pastEdits
    .ofItem(key)
    .filter(({ createdAt }) => Temporal.Instant.compare(createdAt, now) < 0)
    .find(
      ({ channel, actor, program }) =>
        channel === "caldav" && actor === person.id && (program ?? "") === agent,
    );
}

/** Versions compared with a program's copy, as each takes a comparison. */
const mostEarlier = 20;

/**
 * Of several versions, the one that the edit changes least, but at least one field; the first on a tie. Earlier versions count as
 * well, unless the program is known to have kept one of `copies`.
 * Restoring an old value is an edit, and taken at face value without a condition. A move seldom includes an edit.
 */
function nearest(
  context: WriteContext,
  about: {
    readonly comparison: Comparison;
    readonly copies: readonly [Item, ...(readonly Item[])];
    readonly isLastCopy?: boolean;
  },
): Item {
  const { isLastCopy = false } = about;
  const { edit, at } = about.comparison;
  const [first, ...others] = about.copies;
  if (isLastCopy && others.length === 0) return first;
  let best = { copy: first, count: countChanges(context, { ...edit, base: first }) };
  if (best.count === 0) return first;
  const earlier = isLastCopy ? [] : earlierVersions(context, at.object.key);
  for (const copy of [...others, ...earlier]) {
    if (best.count === 0) break;
    const count = countChanges(context, { ...edit, base: copy });
    const isChange = count !== null && (count > 0 || at.isMove);
    if (isChange && best.count !== null && count < best.count) best = { copy, count };
  }
  return best.copy;
}

/**
 * What the person may have seen earlier, latest first: versions, and what their edits were based on and led to, which a restore
 * does not forget.
 */
function earlierVersions({ store, person }: WriteContext, key: ItemKey): readonly Item[] {
  const versions = store.view.history(key, person.id).toReversed();
  const ofEdits = store.pastEdits
    .ofItem(key)
    .filter(({ actor, state }) => actor === person.id && settled.has(state))
    .flatMap(({ answer, base, action }) => [
      ...(answer ? [answer] : []),
      ...(action === "create" ? [] : [base]),
    ]);
  return [...versions.slice(0, mostEarlier), ...ofEdits.slice(0, mostEarlier)];
}

const settled: ReadonlySet<EditState> = new Set(["confirmed", "parked", "discarded", "undone"]);

/** Number of fields that the edit would change, by a dry run; null if it would be refused. */
function countChanges(context: WriteContext, edit: ObjectEdit): number | null {
  const planned = plannedItem(acceptItem(context, { edit, dryRun: true }));
  return planned.ok ? planned.value.changes.length : null;
}
