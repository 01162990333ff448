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
import type { Store } from "../../store/store.ts";
import { changesOf, type FieldChange, namedPlaces } from "../changes.ts";
import { describeConflict } from "../delivery/conflict-text.ts";
import { describeEcho } from "../delivery/echo.ts";
import { describeTwins } from "../delivery/twins.ts";
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

/** An edit with its item as it is now, or as the edit itself has it when nobody is shown it. */
export function describeEdit(edit: Edit, store: Store): EditDescription {
  const shown: Item =
    store.view.get(edit.item)?.item ?? edit.answer ?? applyPatch(edit.base, edit.patch);
  const { uid } = store.mirror.identity(edit.item);
  const isNew = edit.action === "create";
  const before = isNew ? null : valuesOf(edit.base);
  return {
    id: edit.id,
    state: edit.state,
    reason: edit.parkReason,
    channel: edit.channel,
    actor: edit.actor,
    action: edit.action,
    item: { uid, kind: spokenKind(shown), id: shown.id, title: shown.title },
    changes: namedPlaces(changesOf(before, edit), {
      places: [before?.place, edit.patch.place],
      directory: store.directory,
    }),
    base: isNew ? null : toPlain(edit.base),
    patch: patchToPlain(edit.patch),
    newLabels: edit.newLabels,
    answer: edit.answer && toPlain(edit.answer),
    conflicts: edit.conflicts,
    extras: store.extras.ofEdit(edit.id).map(describeExtra),
    undoes: edit.undoes,
    attempts: edit.attempts,
    problem: problemOf(edit, store),
    notBefore: edit.notBefore,
    createdAt: edit.createdAt,
    updatedAt: edit.updatedAt,
  };
}

/** What went wrong, what it waits for, what was lost on the way, and what cannot be had; null when all is well. */
function problemOf(edit: Edit, store: Store): string | null {
  const { journal, extras } = store;
  const undone = edit.undoes !== null && edit.action === "create" ? journal.get(edit.undoes) : null;
  const isParked = edit.state === "parked" || edit.state === "discarded";
  const remarks = [
    edit.problem,
    describeWait(edit, store),
    isParked && edit.problem !== null ? null : describeConflict(edit),
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
