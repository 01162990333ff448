import { type Edit, type EditState, editStates } from "../../domain/edit.ts";
import { type EditId, editId, isId } from "../../domain/ids.ts";
import { pick, valuesOf } from "../../domain/patch.ts";
import { ok } from "../../domain/result.ts";
import { sameShown } from "../../domain/sameness.ts";
import { mergeFields } from "../../domain/three-way.ts";
import type { Store } from "../../store/store.ts";
import { seenBase } from "../delivery/merge-edit.ts";
import type { Acceptance, EditRequest } from "../intake/accept.ts";
import { conflictVersion, describeEdit, type EditDescription } from "./describe.ts";
import { inverseOf, type Undoer } from "./undo.ts";

/** What became of a person's decision about an edit. */
export type Decision =
  | { readonly kind: "done"; readonly edit: EditDescription }
  /** It would overwrite what somebody else has changed: `version` names what the edit shows of that now. */
  | { readonly kind: "overwrites"; readonly version: string; readonly edit: EditDescription }
  | { readonly kind: "unknown" }
  | { readonly kind: "refused"; readonly reason: string };

/** Where people hand edits in, look at the journal, and decide about what waits for them. */
export interface EditActions {
  accept(request: EditRequest): Acceptance;
  /** Newest first; null when the state is none. */
  list(filter: {
    readonly state: string | undefined;
    readonly limit: number;
  }): readonly EditDescription[] | null;
  show(id: number): EditDescription | null;
  /** Lets a held edit go. */
  approve(id: number): Decision;
  /** Takes an edit back that has not reached the service; one of which the service has made half is refused. */
  discard(id: number): Decision;
  /**
   * Tries a parked edit again. One that would overwrite what somebody else has changed goes only for a person who has seen
   * that: `seen` is the version that was shown, or "any" for who does not care. What has changed since conflicts again.
   */
  retry(id: number, seen?: string | null): Decision;
  /** Takes a confirmed edit back, by a new edit that is its inverse. */
  undo(id: number, by: Undoer): Decision;
}

interface EditActionsDeps {
  readonly store: Store;
  readonly accept: (request: EditRequest) => Acceptance;
  /** In review mode an undo waits for approval as well; `apply` when left out. */
  readonly mode?: "apply" | "review";
  /** Wakes the drain. */
  readonly onReleased: () => void;
}

export function createEditActions({
  store,
  accept,
  mode = "apply",
  onReleased,
}: EditActionsDeps): EditActions {
  const { journal } = store;
  const show = (edit: Edit) => describeEdit(edit, store);

  /** Gives a waiting edit back to the drain, unless there is nothing left that it could be sent for. */
  function release(id: number, from: EditState, act: (id: EditId) => boolean): Decision {
    const edit = isId(id) ? journal.get(editId(id)) : null;
    if (edit?.state !== from || !journal.isAboutGone(edit.id)) return decide(id, [from], act);
    const reason = `the item of edit ${id} is gone from the workspace, or is being made anew: the edit can only be discarded`;
    return { kind: "refused", reason };
  }

  function decide(
    id: number,
    allowed: readonly EditState[],
    act: (id: EditId) => boolean,
  ): Decision {
    const edit = isId(id) ? journal.get(editId(id)) : null;
    if (!edit) return { kind: "unknown" };
    if (!allowed.includes(edit.state) || !store.durably(() => act(edit.id))) {
      return {
        kind: "refused",
        reason: `edit ${id} is ${edit.state}; this can be done only while it is ${allowed.join(" or ")}`,
      };
    }
    onReleased();
    return { kind: "done", edit: show(journal.get(edit.id) ?? edit) };
  }

  function discard(id: number): Decision {
    const edit = isId(id) ? journal.get(editId(id)) : null;
    const reason = edit && whyHalfDone(edit, store);
    if (reason) return { kind: "refused", reason };
    return decide(id, ["pending", "parked", "held"], (known) => journal.discard(known));
  }

  function retry(id: EditId): boolean {
    const edit = journal.get(id);
    if (!edit?.before || edit.parkReason !== "conflict") return journal.resume(id);
    const base = seenBase(edit, store.pastEdits.ofItem(edit.item));
    const sides = { base, ours: valuesOf(edit.before), theirs: edit.patch };
    const merge = mergeFields(sides, sameShown);
    // What the person has seen of the workspace is the new base: a change after that conflicts again.
    const patch = { ...merge.patch, ...pick(edit.patch, merge.conflicts) };
    return journal.rebase(edit, { base: edit.before, patch });
  }

  const hasParkedExtras = (id: number): boolean => {
    const edit = isId(id) ? journal.get(editId(id)) : null;
    const extras = edit?.state === "confirmed" ? store.extras.ofEdit(edit.id) : [];
    return extras.some(({ state }) => state === "parked");
  };

  /** The edit itself is done; what it asked for beside its fields is tried again. */
  const resumeExtras = (id: number): Decision =>
    decide(id, ["confirmed"], (edit) => store.extras.resume(edit) > 0);

  function undo(id: number, by: Undoer): Decision {
    const edit = isId(id) ? journal.get(editId(id)) : null;
    if (!edit) return { kind: "unknown" };
    const state = mode === "review" ? "held" : "pending";
    const undone = store.durably(() => {
      const inverse = inverseOf(edit, { store, by });
      return inverse.ok ? ok(journal.append({ ...inverse.value, state })) : inverse;
    });
    if (!undone.ok) return { kind: "refused", reason: undone.failure };
    onReleased();
    return { kind: "done", edit: show(journal.get(undone.value) ?? edit) };
  }

  return {
    accept,
    list({ state, limit }) {
      const known = editStates.find((candidate) => candidate === state);
      if (state !== undefined && !known) return null;
      return journal.list({ state: known, limit }).map(show);
    },
    show(id) {
      const edit = isId(id) ? journal.get(editId(id)) : null;
      return edit && show(edit);
    },
    approve: (id) => release(id, "held", (edit) => journal.resume(edit)),
    discard,
    retry(id, seen = null) {
      const edit = isId(id) ? journal.get(editId(id)) : null;
      const version = edit && !journal.isAboutGone(edit.id) ? conflictVersion(edit) : null;
      if (edit && version !== null && seen !== version && seen !== "any") {
        return { kind: "overwrites", version, edit: show(edit) };
      }
      return hasParkedExtras(id) ? resumeExtras(id) : release(id, "parked", retry);
    },
    undo,
  };
}

/**
 * Why an edit cannot be given up any more: the service has the new item already, and nobody would finish or delete it. What
 * the service has refused to finish is a person's to tidy up.
 */
function whyHalfDone(edit: Edit, { mirror }: Store): string | null {
  const { id, item, action, sentAt, state, parkReason, before, patch } = edit;
  const isLeft = state === "pending" || (state === "parked" && parkReason !== "refused");
  const known = mirror.identity(item).serviceId;
  if (!isLeft || sentAt === null || known === null) return null;
  const how = state === "parked" ? "retry finishes it" : "it finishes by itself";
  if (action === "create" && state === "pending") {
    return `edit ${id} is half done: the service has the item already; ${how}, and the item can be deleted then`;
  }
  const isMoved = before?.kind === "event" && before.id !== known && patch.place !== undefined;
  return isMoved
    ? `edit ${id} is half done: the event is in project ${patch.place?.projectId} already and is still to be deleted in project ${before.projectId}; ${how}, and can be undone then`
    : null;
}
