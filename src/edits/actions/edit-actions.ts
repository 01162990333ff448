import { type Decider, type Edit, type EditState, editStates } from "../../domain/edit.ts";
import { type EditId, editId, isId, type PersonId } from "../../domain/ids.ts";
import { fail, ok, type Result } from "../../domain/result.ts";
import { directoryFor, type Viewer } from "../../domain/sight.ts";
import type { Store } from "../../store/store.ts";
import { namesOf } from "../field-changes.ts";
import { choiceOf, type Picks, resolutionOf } from "./choice.ts";
import { describeEdit, type EditDescription, type EditStory, tellEdit } from "./describe.ts";
import { type EditQuery, readEditQuery, strangerIn } from "./edit-query.ts";
import { previewOf, type ResolutionPreview } from "./resolution-preview.ts";
import { carryOutResolution } from "./resolve.ts";
import { inverseOf, type Undoer } from "./undo.ts";
import { previewUndo, type UndoPreview } from "./undo-preview.ts";

/** What became of a person's decision about an edit. */
export type Decision =
  | { readonly kind: "done"; readonly edit: EditDescription }
  /** It would overwrite what somebody else has changed: `version` names what the edit shows of that now. */
  | { readonly kind: "overwrites"; readonly version: string; readonly edit: EditDescription }
  /** Nothing was done: this is what would come of it. */
  | {
      readonly kind: "preview";
      readonly preview: ResolutionPreview;
      readonly edit: EditDescription;
    }
  /** What was decided leaves something open, or names what there is not. */
  | { readonly kind: "unclear"; readonly reason: string }
  | { readonly kind: "unknown" }
  | { readonly kind: "refused"; readonly reason: string };

/** Where people look at the journal, and decide about what waits for them. */
export interface EditActions {
  /** Newest first; null when the state is none. */
  list(filter: {
    readonly state: string | undefined;
    readonly limit: number;
  }): readonly EditDescription[] | null;
  /** Newest first; times are read and told in `zone`, the account's unless said. Fails with what cannot be read. */
  find(query: EditQuery, about: SearchOptions): Result<readonly FoundEdit[], string>;
  /** The same, with each described. */
  search(query: EditQuery, about: SearchOptions): Result<readonly EditDescription[], string>;
  /** One with its story. */
  show(id: number, zone?: string): EditStory | null;
  /** Lets a held edit go. */
  approve(id: number, by?: Decider): Decision;
  /** Takes an edit back that has not reached the service; one of which the service has made half is refused. */
  discard(id: number, by?: Decider): Decision;
  /**
   * Tries a parked edit again. One that would overwrite what somebody else has changed goes only for a person who has seen
   * that: `seen` is the version that was shown, and means that all of the edit is kept. What has changed since conflicts again.
   */
  retry(id: number, seen?: string | null, by?: Decider): Decision;
  /**
   * Settles what a parked edit and somebody else have both changed, as a person has chosen it, or says what would come of
   * that. It counts for the version that was seen: `overwrites` where the workspace has another one by now.
   */
  resolve(id: number, decision: PersonDecision): Decision;
  /** What an undo would put back, and what has changed since; null where there is no such edit. */
  undoPreview(id: number, zone?: string): UndoPreview | null;
  /**
   * Takes a confirmed edit back, by a new edit that is its inverse. `seen`: the version of the preview that was looked at; it
   * is refused where that is another by now. Fields can be chosen between only by whoever has looked.
   */
  undo(id: number, by: Undoer, seen?: string | null): Decision;
}

interface SearchOptions {
  readonly limit: number;
  /** By whose directory projects are looked up; the whole one unless given. */
  readonly viewer?: Viewer;
  /** The viewer's unless given. */
  readonly zone?: string | undefined;
}

/** An edit that was looked for. Describing one takes a tenth of a millisecond, so that many are described in turns. */
export interface FoundEdit {
  readonly actor: PersonId | null;
  readonly item: { readonly uid: string };
  describe(): EditDescription;
}

/** What a person has decided about a parked edit, having seen `version`. */
export interface PersonDecision {
  readonly version: string | null;
  readonly picks: Picks;
  readonly by: Decider;
  /** Only says what would come of it. */
  readonly dryRun: boolean;
  /** In which times are told; the account's unless said. */
  readonly zone?: string | undefined;
}

interface EditActionsDeps {
  readonly store: Store;
  /** In review mode an undo waits for approval as well; `apply` when left out. */
  readonly mode?: "apply" | "review";
  /** Wakes the drain. */
  readonly onReleased: () => void;
}

/** Something that a person does to an edit which stands in one of these states. */
interface Deed {
  readonly allowed: readonly EditState[];
  readonly by: Decider | undefined;
  readonly act: (id: EditId) => boolean;
}

const stateWords: Readonly<Record<EditState, string>> = {
  pending: "is on its way to the workspace",
  claimed: "is being sent to the workspace",
  confirmed: "is in the workspace",
  parked: "waits for a person",
  held: "waits for approval",
  discarded: "is discarded",
  undone: "is taken back",
};

export function createEditActions({
  store,
  mode = "apply",
  onReleased,
}: EditActionsDeps): EditActions {
  const { journal } = store;
  const show = (edit: Edit) => describeEdit(edit, store);

  /** Gives a waiting edit back to the drain, unless there is nothing left that it could be sent for. */
  function release(
    id: number,
    { from, by, act }: { readonly from: EditState } & Omit<Deed, "allowed">,
  ): Decision {
    const edit = isId(id) ? journal.get(editId(id)) : null;
    if (edit?.state !== from || !journal.isAboutGone(edit.id))
      return decide(id, { allowed: [from], by, act });
    const reason = `the item of edit ${id} is gone from the workspace, or is being made anew: the edit can only be discarded`;
    return { kind: "refused", reason };
  }

  function decide(id: number, { allowed, by, act }: Deed): Decision {
    const edit = isId(id) ? journal.get(editId(id)) : null;
    if (!edit) return { kind: "unknown" };
    const isDone = () => {
      const acted = act(edit.id);
      if (acted && by) store.editSteps.decided(edit.id, by);
      return acted;
    };
    if (!allowed.includes(edit.state) || !store.durably(isDone)) {
      return {
        kind: "refused",
        reason: `edit ${id} ${stateWords[edit.state]}: this can be done only with one that ${allowed.map((state) => stateWords[state]).join(" or ")}`,
      };
    }
    onReleased();
    return { kind: "done", edit: show(journal.get(edit.id) ?? edit) };
  }

  function discard(id: number, by?: Decider): Decision {
    const edit = isId(id) ? journal.get(editId(id)) : null;
    const reason = edit && whyHalfDone(edit, store);
    if (reason) return { kind: "refused", reason };
    const allowed = ["pending", "parked", "held"] as const;
    return decide(id, { allowed, by, act: (known) => journal.discard(known) });
  }

  function resolve(id: number, { version, picks, by, dryRun, zone }: PersonDecision): Decision {
    const edit = isId(id) ? journal.get(editId(id)) : null;
    if (!edit) return { kind: "unknown" };
    const names = namesOf(store, zone);
    const told = () => describeEdit(journal.get(edit.id) ?? edit, store, names);
    const choice = choiceOf(edit, store);
    if (!choice) {
      return {
        kind: "refused",
        reason: `edit ${id} is ${edit.state}, and nothing is to be chosen there`,
      };
    }
    if (version !== choice.version) {
      return { kind: "overwrites", version: choice.version, edit: told() };
    }
    const resolved = resolutionOf(edit, { choice, picks });
    if (!resolved.ok) return { kind: "unclear", reason: resolved.failure };
    const resolution = resolved.value;
    if (dryRun) {
      const preview = previewOf(edit, { choice, resolution, names });
      return { kind: "preview", preview, edit: told() };
    }
    if (mode === "review" && by.actor !== null && resolution.kind !== "yields") {
      return {
        kind: "refused",
        reason:
          "every edit is approved first here: what is sent over somebody else's change is for the admin to settle",
      };
    }
    const state = mode === "review" ? "held" : "pending";
    const goesOn = store.durably(() => {
      const going = carryOutResolution(edit, { resolution, picks, by, store, state });
      if (going !== null) store.editSteps.decided(edit.id, by);
      return going;
    });
    if (goesOn === null) {
      return {
        kind: "refused",
        reason: `the item of edit ${id} is gone from the workspace, or is being made anew: the edit can only be discarded`,
      };
    }
    onReleased();
    return { kind: "done", edit: describeEdit(journal.get(goesOn) ?? edit, store, names) };
  }

  const hasParkedExtras = (id: number): boolean => {
    const edit = isId(id) ? journal.get(editId(id)) : null;
    const extras = edit?.state === "confirmed" ? store.extras.ofEdit(edit.id) : [];
    return extras.some(({ state }) => state === "parked");
  };

  /** The edit itself is done; what it asked for beside its fields is tried again. */
  const resumeExtras = (id: number, by?: Decider): Decision =>
    decide(id, {
      allowed: ["confirmed"],
      by,
      act(edit) {
        const isResumed = store.extras.resume(edit) > 0;
        if (isResumed) store.editSteps.extrasReleased(edit);
        return isResumed;
      },
    });

  function undo(id: number, by: Undoer, seen: string | null = null): Decision {
    const edit = isId(id) ? journal.get(editId(id)) : null;
    if (!edit) return { kind: "unknown" };
    if (by.choices && Object.keys(by.choices).length > 0 && seen === null) {
      const reason = "fields can be chosen between only by the version of a preview";
      return { kind: "unclear", reason };
    }
    const preview = seen === null ? null : previewUndo(edit, { store, names: namesOf(store) });
    if (preview?.kind === "possible" && preview.version !== seen) {
      return { kind: "overwrites", version: preview.version, edit: show(edit) };
    }
    const state = mode === "review" ? "held" : "pending";
    const undone = store.durably(() => {
      const inverse = inverseOf(edit, { store, by });
      return inverse.ok ? ok(journal.append({ ...inverse.value, state })) : inverse;
    });
    if (!undone.ok) return { kind: "refused", reason: undone.failure };
    onReleased();
    return { kind: "done", edit: show(journal.get(undone.value) ?? edit) };
  }

  const find: EditActions["find"] = (
    query,
    { limit, viewer, zone = viewer?.zone ?? store.zone },
  ) => {
    const directory = viewer ? directoryFor(store.directory, viewer) : store.directory;
    const filter = readEditQuery(query, { directory, zone });
    if (!filter.ok) return filter;
    const names = namesOf(store, zone);
    const found = store.editSearch.find(filter.value, limit);
    // Edits outlast their project, but only for an admin is one that is gone another thing than one that is closed.
    const isTold = found.length === 0 || viewer?.kind === "person";
    const stranger = isTold ? strangerIn(filter.value, directory) : null;
    if (stranger !== null) return fail(stranger);
    return ok(
      found.map((edit) => ({
        actor: edit.actor,
        item: { uid: store.mirror.identity(edit.item).uid },
        describe: () => describeEdit(edit, store, names),
      })),
    );
  };

  return {
    list({ state, limit }) {
      const known = editStates.find((candidate) => candidate === state);
      if (state !== undefined && !known) return null;
      const names = namesOf(store);
      return journal.list({ state: known, limit }).map((edit) => describeEdit(edit, store, names));
    },
    find,
    search(query, about) {
      const found = find(query, about);
      return found.ok ? ok(found.value.map((edit) => edit.describe())) : found;
    },
    show(id, zone = store.zone) {
      const edit = isId(id) ? journal.get(editId(id)) : null;
      return edit && tellEdit(edit, store, namesOf(store, zone));
    },
    approve: (id, by) => release(id, { from: "held", by, act: (edit) => journal.resume(edit) }),
    discard,
    retry(id, seen = null, by?: Decider) {
      const edit = isId(id) ? journal.get(editId(id)) : null;
      const choice = edit && !journal.isAboutGone(edit.id) ? choiceOf(edit, store) : null;
      if (choice && choice.kind !== "revival") {
        const picks = { keep: "mine", fields: {} } as const;
        const version = choice.crossed.length === 0 ? choice.version : seen;
        const decider = by ?? { channel: "dashboard", actor: null };
        return resolve(id, { version, picks, by: decider, dryRun: false });
      }
      return hasParkedExtras(id)
        ? resumeExtras(id, by)
        : release(id, { from: "parked", by, act: (known) => journal.resume(known) });
    },
    resolve,
    undoPreview(id, zone = store.zone) {
      const edit = isId(id) ? journal.get(editId(id)) : null;
      return edit && previewUndo(edit, { store, names: namesOf(store, zone) });
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
