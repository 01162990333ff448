import type { Decider, Edit } from "../../domain/edit.ts";
import type { PersonId } from "../../domain/ids.ts";
import type { Item } from "../../domain/item.ts";
import {
  applyPatch,
  fieldsOf,
  type Patch,
  type PatchField,
  pick,
  valuesOf,
} from "../../domain/patch.ts";
import { fail, ok, type Result, unreachable } from "../../domain/result.ts";
import { changedFields } from "../../domain/sameness.ts";
import { holdFault } from "../../domain/service-times.ts";
import { assigneesToKeepVisible } from "../../domain/visibility.ts";
import type { NewEdit } from "../../store/journal/journal.ts";
import type { Store } from "../../store/store.ts";
import { say } from "../../texts/say.ts";
import { actionOf, recreated, spokenFields } from "../field-changes.ts";
import { editStateLabel } from "./state-labels.ts";

/**
 * For a field that somebody has changed since: `back` restores it, `leave` keeps the present value. A field not named conflicts
 * as usual.
 */
export type UndoChoices = Readonly<Partial<Record<PatchField, "back" | "leave">>>;

/** Who undoes an edit, and which fields. */
export interface Undoer extends Decider {
  readonly choices?: UndoChoices | undefined;
}

/**
 * The edit that reverses a confirmed edit, based on the service's answer, so that later changes conflict as usual. A deletion
 * is undone by a creation with the same identity. Fails with the reason if it cannot be undone.
 */
export function inverseOf(
  edit: Edit,
  { store, by }: { readonly store: Store; readonly by: Undoer },
): Result<Omit<NewEdit, "state">, string> {
  const refusal = stateFault(edit, store);
  if (refusal !== null) return fail(refusal);
  const { choices = {}, ...whose } = by;
  const common = { ...whose, item: edit.item, newLabels: [], undoes: edit.id };
  if (edit.action === "delete") {
    const lost = edit.before ?? edit.base;
    const fault = recreationFault(edit, lost, store);
    if (fault !== null) return fail(fault);
    const base = recreation(lost, [lost.creatorId], store);
    return ifStorable({ ...common, action: "create", base, patch: spokenFields(base) });
  }
  const { answer } = edit;
  const present = store.view.get(edit.item)?.item;
  if (!answer || !present) {
    return fail(say("undo.gone", { id: edit.id }));
  }
  if (edit.action === "create") return ok({ ...common, action: "delete", base: answer, patch: {} });
  const whole = inversePatch(edit, answer);
  if (fieldsOf(whole).length === 0) {
    return fail(say("undo.changedNothing", { id: edit.id }));
  }
  const fields = fieldsOf(whole).filter((field) => choices[field] !== "leave");
  if (fields.length === 0) return fail(say("undo.allKept"));
  const patch = pick(whole, fields);
  // The new base for fields restored over a change that the person has seen.
  const over = fields.filter((field) => choices[field] === "back");
  const base = applyPatch(answer, pick(valuesOf(present), over));
  return ifStorable({ ...common, action: actionOf(patch), base, patch });
}

/** Fails if the service would store the restored time differently. Times are in the account's zone. */
function ifStorable(inverse: Omit<NewEdit, "state">): Result<Omit<NewEdit, "state">, string> {
  const { when } = inverse.patch;
  const fault = when?.kind === "times" ? holdFault(when, when.start.timeZoneId) : null;
  return fault ? fail(say("undo.cannotStore", { problem: fault.message })) : ok(inverse);
}

/** The item to be recreated. Its creator changes, so these people are assigned to keep access to a private one. */
export function recreation(
  lost: Item,
  people: readonly (PersonId | null)[],
  { directory }: Store,
): Item {
  const item = recreated(lost);
  const list = directory.listOf(lost);
  const assigned = assigneesToKeepVisible(item, { list, creator: null, people });
  return assigned ? { ...item, assigned } : item;
}

/** What recreating cannot restore, in one sentence; null if nothing is lost. */
export function describeLoss({ before, base }: Pick<Edit, "before" | "base">): string | null {
  const lost = before ?? base;
  if (lost.kind === "event") return null;
  const parts = [
    lost.commentCount > 0 ? say("undo.comments", { count: lost.commentCount }) : null,
    lost.subtaskCount > 0 ? say("undo.subtasks", { count: lost.subtaskCount }) : null,
    lost.customFields.some(({ value }) => value.length > 0) ? say("undo.customFields") : null,
    lost.logged && lost.logged.sign > 0 ? say("undo.loggedTime") : null,
    lost.rrule === null ? null : say("undo.repetition"),
  ].filter((part) => part !== null);
  return say("undo.recreated", { what: [say("undo.history"), ...parts].join(", ") });
}

function stateFault(edit: Edit, { pastEdits }: Store): string | null {
  const { id, state } = edit;
  switch (state) {
    case "pending":
    case "held":
      return say("undo.notYet", { id });
    case "claimed":
      return say("undo.sending", { id });
    case "parked":
      return say("undo.parked", { id });
    case "discarded":
      return say("undo.discarded", { id });
    case "undone":
      return say("undo.undone", { id });
    case "confirmed": {
      const open = pastEdits.inversesOf(id).find((inverse) => inverse.state !== "discarded");
      return open
        ? say("undo.inverse", { other: open.id, id, state: editStateLabel(open.state) })
        : null;
    }
    default:
      return unreachable(state);
  }
}

function recreationFault({ id, item }: Edit, lost: Item, store: Store): string | null {
  if (store.view.get(item)) return say("undo.isBack", { id });
  if (lost.kind === "event" || lost.kind === "task") return null;
  if (lost.parentId === null) {
    return say("undo.neverArrived", { id });
  }
  return store.mirror.byId("task", lost.parentId) ? null : say("undo.noParent");
}

/** Only the fields that the edit itself changed, as they were before it. */
function inversePatch({ before, patch, newLabels }: Edit, answer: Item): Patch {
  if (!before) return {};
  const fields = fieldsOf(newLabels.length > 0 ? { labels: [], ...patch } : patch);
  return changedFields(valuesOf(answer), pick(valuesOf(before), fields));
}
