import { fingerprint } from "../../domain/fingerprint.ts";
import type { EditId, PersonId, ServiceId } from "../../domain/ids.ts";
import { type Item, type SpokenKind, spokenKind } from "../../domain/item.ts";
import type {
  Channel,
  Edit,
  EditAction,
  EditState,
  FieldConflict,
  ParkReason,
} from "../../domain/journal.ts";
import { applyPatch, valuesOf } from "../../domain/merge.ts";
import { type PlainItem, type PlainPatch, patchToPlain, toPlain } from "../../domain/plain-item.ts";
import type { Names } from "../../ics/text/field-words.ts";
import type { Store } from "../../store/store.ts";
import { changesOf, type FieldChange, namedPlaces } from "../changes.ts";
import { describeConflict } from "../delivery/conflict-text.ts";
import { describeEcho } from "../delivery/echo.ts";
import { describeTwins } from "../delivery/twins.ts";
import { type ChangeInWords, changesInWords, nameOf, namesOf, valueInWords } from "../in-words.ts";
import { describeWait } from "./describe-wait.ts";
import { describeExtra, type ExtraDescription, extraProblem } from "./extras-text.ts";
import { describeLoss } from "./undo.ts";

/** One edit as people and programs are shown it; turns into JSON as it is. */
export interface EditDescription {
  readonly id: EditId;
  readonly state: EditState;
  /** Why it is parked; null when it is not. */
  readonly reason: ParkReason | null;
  readonly channel: Channel;
  readonly actor: PersonId | null;
  readonly action: EditAction;
  readonly item: {
    readonly uid: string;
    readonly kind: SpokenKind;
    readonly id: ServiceId | null;
    readonly title: string;
  };
  readonly changes: readonly FieldChange[];
  /** What the editor last saw; null for a creation. */
  readonly base: PlainItem | null;
  readonly patch: PlainPatch;
  /** Labels that are to be created first. */
  readonly newLabels: readonly string[];
  readonly answer: PlainItem | null;
  /** Fields that somebody else had changed as well, with every value and the side that was followed. */
  readonly conflicts: readonly FieldConflict[];
  /** Changes and conflicts for people, in their order. */
  readonly words: {
    readonly changes: readonly ChangeInWords[];
    readonly conflicts: readonly ConflictInWords[];
  };
  /**
   * Of an edit that waits because somebody else has changed the same: names what is shown here, and has to be given to send
   * the edit all the same. Null where nobody's change would be overwritten.
   */
  readonly conflictVersion: string | null;
  /** What it asks for beside its fields: comments, files, and properties that are kept here. */
  readonly extras: readonly ExtraDescription[];
  /** The edit of which this one is the inverse. */
  readonly undoes: EditId | null;
  readonly attempts: number;
  readonly problem: string | null;
  readonly notBefore: Temporal.Instant | null;
  readonly createdAt: Temporal.Instant;
  readonly updatedAt: Temporal.Instant;
}

/** A conflict for people: before, what the workspace has now, and what the edit wishes. */
export interface ConflictInWords {
  readonly name: string;
  readonly before: string;
  readonly workspace: string;
  readonly edit: string;
}

/** An edit with its item as it is now, under the title that it had, or was to get, at that time. */
export function describeEdit(edit: Edit, store: Store): EditDescription {
  const shown: Item =
    store.view.get(edit.item)?.item ?? edit.answer ?? applyPatch(edit.base, edit.patch);
  const { uid } = store.mirror.identity(edit.item);
  const isNew = edit.action === "create";
  const before = isNew ? null : valuesOf(edit.base);
  const names = namesOf(store);
  const changes = namedPlaces(changesOf(before, edit), {
    places: [before?.place, edit.patch.place],
    directory: store.directory,
  });
  return {
    id: edit.id,
    state: edit.state,
    reason: edit.parkReason,
    channel: edit.channel,
    actor: edit.actor,
    action: edit.action,
    item: {
      uid,
      kind: spokenKind(shown),
      id: shown.id,
      title: applyPatch(edit.base, edit.patch).title,
    },
    changes,
    base: isNew ? null : toPlain(edit.base),
    patch: patchToPlain(edit.patch),
    newLabels: edit.newLabels,
    answer: edit.answer && toPlain(edit.answer),
    conflicts: edit.conflicts,
    words: {
      changes: changesInWords(changes, names),
      conflicts: edit.conflicts.map((conflict) => conflictInWords(conflict, names)),
    },
    conflictVersion: conflictVersion(edit),
    extras: store.extras.ofEdit(edit.id).map(describeExtra),
    undoes: edit.undoes,
    attempts: edit.attempts,
    problem: problemOf(edit, { store, names }),
    notBefore: edit.notBefore,
    createdAt: edit.createdAt,
    updatedAt: edit.updatedAt,
  };
}

/** Names what an open conflict shows of the workspace; null where an edit has none. */
export function conflictVersion({ id, parkReason, before, conflicts }: Edit): string | null {
  const isOpen = parkReason === "conflict" && conflicts.some(({ taken }) => taken === null);
  if (!isOpen || !before) return null;
  return fingerprint(JSON.stringify([id, toPlain(before)])).slice(0, 12);
}

function conflictInWords(
  { field, base, ours, theirs }: FieldConflict,
  names: Names,
): ConflictInWords {
  const said = (value: unknown) => valueInWords({ field, value }, names);
  return { name: nameOf(field), before: said(base), workspace: said(ours), edit: said(theirs) };
}

/** What went wrong, what it waits for, what was lost on the way, and what cannot be had; null when all is well. */
function problemOf(
  edit: Edit,
  { store, names }: { readonly store: Store; readonly names: Names },
): string | null {
  const { journal, extras } = store;
  const undone = edit.undoes !== null && edit.action === "create" ? journal.get(edit.undoes) : null;
  const isParked = edit.state === "parked" || edit.state === "discarded";
  const isClash = conflictVersion(edit) !== null;
  const remarks = [
    // What was written down when it was parked is said anew, by the names of now.
    isClash ? null : edit.problem,
    describeWait(edit, store),
    isParked && edit.problem !== null && !isClash ? null : describeConflict(edit, names),
    edit.answer && describeEcho(edit, edit.answer),
    describeTwins(edit, store),
    describeRestoration(edit),
    undone && describeLoss(undone),
    ...extras.ofEdit(edit.id).map(extraProblem),
  ].filter((remark) => remark !== null);
  return remarks.length > 0 ? remarks.join("; ") : null;
}

function describeRestoration({ restores, state, action }: Edit): string | null {
  if (!restores) return null;
  const word = state === "confirmed" ? "was" : "is";
  const request = `a request of edit ${restores.by} that got no answer was carried out late`;
  return action === "delete"
    ? `${request}, after the edit was given up; what it made ${word} deleted`
    : `${request}, over this; it ${word} put back`;
}
