import { type Edit, type FieldConflict, lostPrivacy } from "../../domain/edit.ts";
import type { Item } from "../../domain/item.ts";
import {
  applyPatch,
  fieldsOf,
  type Patch,
  type PatchField,
  pick,
  valuesOf,
} from "../../domain/patch.ts";
import { patchFromPlain, patchToPlain } from "../../domain/plain-item.ts";
import { sameShown } from "../../domain/sameness.ts";
import { describeConflicts, mergeFields, type Sides } from "../../domain/three-way.ts";
import { fieldNameOf, type Names } from "../../domain/wording.ts";
import { say } from "../../texts/say.ts";
import { valueInWords } from "../field-changes.ts";
import { quote } from "../intake/plan-part.ts";
import type { Attempt } from "./attempt.ts";
import { lateValues } from "./late-writes.ts";

/** An edit merged with the service's present state. */
interface Merged {
  readonly sides: Sides;
  /** What is left to send, as the policy says; not valid while a person must decide. */
  readonly patch: Patch;
  /** Fields that both sides changed differently. */
  readonly conflicts: readonly FieldConflict[];
  /** True if the workspace keeps its values: for good, or until a person has decided. */
  readonly yields: boolean;
}

/**
 * Merges an edit with the service's present state field by field, and applies the policy to conflicts. Values set by a later
 * edit of the same editor stay: an edit that was held, or waited for a person, comes after it.
 */
export function mergeEdit(attempt: Attempt, ours: Item): Merged {
  const { edit, policy } = attempt;
  const sides: Sides = {
    base: mergeBaseOf(attempt, ours),
    ours: valuesOf(ours),
    theirs: edit.patch,
  };
  const merge = mergeFields(sides, sameShown);
  const taken = policy === "ask" ? null : policy;
  const own = attempt.store.pastEdits.ofItem(edit.item).filter((other) => isLater(other, edit));
  const replaced = merge.conflicts.flatMap((field) => {
    const by = own.find((other) => wrote(field, other, sides.ours))?.id;
    return by === undefined ? [] : [{ field, by }];
  });
  const crossed = merge.conflicts.filter((name) => !replaced.some(({ field }) => field === name));
  const conflicts = [
    ...describeConflicts(crossed, { ...sides, taken }),
    ...replaced.flatMap(({ field, by }) =>
      describeConflicts([field], { ...sides, taken: "ours" }).map((lost) => ({ ...lost, by })),
    ),
  ];
  const moved = policy === "ask" ? movedSince(edit, sides.ours, attempt.store.zone) : [];
  const isOpen = (crossed.length > 0 && taken === null) || moved.length > 0;
  const lost = conflicts.filter((conflict) => conflict.taken === "ours");
  const yields = isOpen || (lost.length > 0 && lost.length === fieldsOf(edit.patch).length);
  const won = taken === "theirs" ? pick(sides.theirs, crossed) : {};
  const open = [...conflicts, ...moved];
  return {
    sides,
    patch: { ...merge.patch, ...won, ...(sides.base.private === true && lostPrivacy(edit, ours)) },
    conflicts: isOpen ? [...open, ...stillAgreed(edit, open)] : conflicts,
    yields,
  };
}

/** All conflicts of an edit: a later one replaces an earlier one of the same field, unless a person decided that. */
export const withLater = (
  known: readonly FieldConflict[],
  later: readonly FieldConflict[],
): readonly FieldConflict[] => [
  ...known.filter(
    ({ field, below, agreed }) =>
      agreed || !later.some((one) => one.field === field && one.below?.id === below?.id),
  ),
  ...later,
];

/** Records what a request is about to replace and to overwrite, as its answer may be lost. */
export function recordReplaced(
  { edit, store }: Pick<Attempt, "edit" | "store">,
  ours: Item,
  conflicts: readonly FieldConflict[],
): void {
  const overwritten = conflicts.filter(({ taken }) => taken === "theirs");
  store.journal.replacing(edit.id, ours, withLater(edit.conflicts, overwritten));
}

/**
 * Fields in which a person kept the workspace's value, which has changed since. The person is asked again, as they may have
 * wanted exactly that value.
 */
function movedSince({ conflicts }: Edit, ours: Patch, zone: string): readonly FieldConflict[] {
  return conflicts.flatMap(({ field, ours: seen, theirs, taken, agreed }) => {
    if (!agreed || taken !== "ours") return [];
    const kept = patchFromPlain(Object.fromEntries([[field, seen]]), zone);
    if (sameShown(field, kept, ours)) return [];
    return [{ field, base: seen, ours: patchToPlain(ours)[field] ?? null, theirs, taken: null }];
  });
}

/** A person's decisions about fields that are not asked about now. */
const stillAgreed = (
  { conflicts }: Edit,
  asked: readonly FieldConflict[],
): readonly FieldConflict[] =>
  conflicts.filter(({ field, agreed }) => agreed && !asked.some((one) => one.field === field));

/** True if the same editor made it after this edit, and it is applied, so that its values replace this edit's. */
const isLater = (other: Edit, edit: Edit): boolean =>
  isOwn(edit, other) && other.id > edit.id && other.confirmedAt !== null;

/** True if an edit set the service's value of this field. */
function wrote(field: PatchField, other: Edit, ours: Patch): boolean {
  const { answer, patch } = other;
  return patch[field] !== undefined && answer !== null && sameShown(field, valuesOf(answer), ours);
}

/** What the editor saw of the item, as the service writes it, including what a late request of ours has set. */
export const mergeBaseOf = (
  { edit, store }: Pick<Attempt, "edit" | "store">,
  ours: Item,
): Patch => ({
  ...seenBase(edit, store.pastEdits.ofItem(edit.item)),
  ...lateValues(edit.item, ours, store),
});

/**
 * What the editor saw, as the service has it. Editors see their own pending edits before the service has answered. If the
 * answer differs (normalised text, new labels, merged people), or the edit never arrived, that is no change by someone else.
 * Neither is what the same person has set since by another edit, with any program. `others`: all edits of the item.
 */
export function seenBase(edit: Edit, others: readonly Edit[]): Patch {
  const asShown = valuesOf(edit.base);
  const earlier = others.filter(({ id }) => id < edit.id).toSorted((a, b) => a.id - b.id);
  let base = asShown;
  for (const other of earlier.toReversed()) {
    base = { ...base, ...unheardOf(edit, { other, base, others: earlier }) };
  }
  for (const other of earlier) {
    base = { ...base, ...answeredTo(edit, { other, known: [asShown, base] }) };
  }
  return base;
}

const isBefore = (a: Temporal.Instant, b: Temporal.Instant): boolean =>
  Temporal.Instant.compare(a, b) <= 0;

/**
 * Values that the item kept because the other edit, visible when this one was made, never reached the service. Leaves out
 * values that one of `others` has set, such as an edit that includes the other one.
 */
function unheardOf(
  edit: Edit,
  {
    other,
    base,
    others,
  }: { readonly other: Edit; readonly base: Patch; readonly others: readonly Edit[] },
): Patch {
  if (other.action === "create" || (other.state !== "parked" && other.state !== "discarded")) {
    return {};
  }
  const wasShown = isBefore(edit.createdAt, other.updatedAt);
  const wasBrought = (field: PatchField) =>
    others.some(
      ({ id, patch, confirmedAt, conflicts }) =>
        id > other.id &&
        confirmedAt !== null &&
        patch[field] !== undefined &&
        sameShown(field, patch, other.patch) &&
        !conflicts.some((lost) => lost.field === field && lost.taken === "ours"),
    );
  const fields = fieldsOf(other.patch).filter(
    (field) =>
      (wasShown || !isPresent(edit, field)) &&
      sameShown(field, base, other.patch) &&
      !wasBrought(field),
  );
  return pick(valuesOf(other.base), fields);
}

/** The answered values of the fields that the editor knew as the other edit set them. */
function answeredTo(
  edit: Edit,
  { other, known }: { readonly other: Edit; readonly known: readonly [Patch, Patch] },
): Patch {
  const { answer, action, newLabels, conflicts, confirmedAt } = other;
  if (!answer || !confirmedAt) return {};
  const wished = action === "create" ? valuesOf(applyPatch(other.base, other.patch)) : other.patch;
  const spoken = newLabels.length > 0 ? { labels: known[0].labels ?? [], ...wished } : wished;
  const replaced = valuesOf(other.base);
  const lost = new Set(conflicts.map(({ field, taken }) => taken === "ours" && field));
  const wasOpen = isBefore(edit.createdAt, confirmedAt);
  const fields = fieldsOf(spoken).filter((field) => {
    const isKnown = (value: Patch) => known.some((base) => sameShown(field, base, value));
    const sawIt = wasOpen && isKnown(spoken);
    // A person who makes a second edit of the same old copy knows the first one, as does one whose first edit was held.
    const isSecond = isOwn(edit, other) && (wasOpen || !isPresent(edit, field));
    const isOld = action !== "create" && isSecond && isKnown(replaced);
    return !lost.has(field) && (sawIt || isOld);
  });
  return pick(valuesOf(answer), fields);
}

/** True if the editor saw the field as everyone did when the edit came in, so that earlier edits were known to them. */
const isPresent = ({ base, shown }: Edit, field: keyof Patch): boolean =>
  shown === null || sameShown(field, valuesOf(base), valuesOf(shown));

/**
 * True if the same person made both edits. A subscribed calendar may repeat that person's old changes, so its edits only match
 * each other.
 */
function isOwn(a: Pick<Edit, "actor" | "channel">, b: Pick<Edit, "actor" | "channel">): boolean {
  if (a.actor === null || a.actor !== b.actor) return false;
  return a.channel === b.channel || ![a.channel, b.channel].includes("subscription");
}

/** What both sides changed and the result, in one sentence with names and in the account's zone; null without conflicts. */
export function describeConflict(
  { action, conflicts }: Pick<Edit, "action" | "conflicts">,
  names: Names,
): string | null {
  const [first] = conflicts;
  if (!first) return null;
  return action === "delete"
    ? aboutDeletion(conflicts, first.taken, names)
    : conflicts.map((conflict) => aboutField(conflict, names)).join("; ");
}

function aboutField(conflict: FieldConflict, names: Names): string {
  const { field, base, ours, theirs, taken, by } = conflict;
  const said = (value: unknown) => shown({ field, value }, names);
  const about = {
    field: fieldNameOf(field),
    was: said(base),
    is: said(ours),
    mine: said(theirs),
  };
  if (taken === "ours" && by !== undefined) {
    return say("conflict.replacedByOwn", { ...about, by });
  }
  if (taken === "theirs") return say("conflict.overwrote", about);
  return say(taken === "ours" ? "conflict.dropped" : "conflict.both", about);
}

function aboutDeletion(
  conflicts: readonly FieldConflict[],
  taken: FieldConflict["taken"],
  names: Names,
): string {
  const news = conflicts
    .map(({ field, base, ours, below }) => {
      const said = (value: unknown) => shown({ field, value }, names);
      const name = fieldNameOf(field);
      return say("conflict.changedTo", {
        field: below ? say("conflict.ofSubtask", { field: name, title: quote(below.title) }) : name,
        is: said(ours),
        was: said(base),
      });
    })
    .join(", ");
  if (taken === "theirs") return say("conflict.deletedAnyway", { news });
  return say(taken === "ours" ? "conflict.notDeleted" : "conflict.deleteChanged", { news });
}

function shown(value: Parameters<typeof valueInWords>[0], names: Names): string {
  const words = valueInWords(value, names);
  const isText = typeof value.value === "string" && /^(?:title|description)$/.test(value.field);
  return isText ? quote(words) : words;
}
