import { type Decider, type Edit, type EditState, editStates } from "../../domain/edit.ts";
import { type EditId, editId, isId, type PersonId } from "../../domain/ids.ts";
import { fail, ok, type Result } from "../../domain/result.ts";
import { directoryFor, type Viewer } from "../../domain/visibility.ts";
import type { Store } from "../../store/store.ts";
import { say } from "../../texts/say.ts";
import { namesOf } from "../field-changes.ts";
import { choiceOf, type Picks, resolutionOf } from "./choice.ts";
import {
  describeEdit,
  describeWithStory,
  type EditDescription,
  type EditStory,
} from "./describe.ts";
import { type EditQuery, readEditQuery, strangerIn } from "./edit-query.ts";
import { previewOf, type ResolutionPreview } from "./resolution-preview.ts";
import { carryOutResolution } from "./resolve.ts";
import { editStateLabel } from "./state-labels.ts";
import { inverseOf, type Undoer } from "./undo.ts";
import { previewUndo, type UndoPreview } from "./undo-preview.ts";

/** The result of a person's decision about an edit. */
export type Decision =
  | { readonly kind: "done"; readonly edit: EditDescription }
  /** It would overwrite someone else's change: `version` identifies the state that the edit shows now. */
  | { readonly kind: "overwrites"; readonly version: string; readonly edit: EditDescription }
  /** Nothing was done; this is the effect it would have. */
  | {
      readonly kind: "preview";
      readonly preview: ResolutionPreview;
      readonly edit: EditDescription;
    }
  /** The decision is incomplete, or names something that does not exist. */
  | { readonly kind: "unclear"; readonly reason: string }
  | { readonly kind: "unknown" }
  | { readonly kind: "refused"; readonly reason: string };

/** Reads the journal, and carries out people's decisions. */
export type EditActions = ReturnType<typeof createEditActions>;

/** The result of undoing a series: `left` names edits that could not be undone. */
export type SeriesDecision =
  | {
      readonly kind: "done";
      readonly edits: readonly EditDescription[];
      readonly left: readonly { readonly edit: EditId; readonly reason: string }[];
    }
  | Extract<Decision, { kind: "unknown" | "refused" }>;

interface SearchOptions {
  readonly limit: number;
  /** Whose directory is used to look up projects; the whole one by default. */
  readonly viewer?: Viewer;
  /** The viewer's by default. */
  readonly zone?: string | undefined;
}

/** A found edit. Describing one takes 0.1 ms, so many are described in turns. */
export interface FoundEdit {
  readonly actor: PersonId | null;
  readonly item: { readonly uid: string };
  readonly describe: () => EditDescription;
}

/** A person's decision about a parked edit after seeing `version`. */
export interface PersonDecision {
  readonly version: string | null;
  readonly picks: Picks;
  readonly by: Decider;
  /** Only previews the effect. */
  readonly dryRun: boolean;
  /** The zone of the times; the account's by default. */
  readonly zone?: string | undefined;
}

interface EditActionsDeps {
  readonly store: Store;
  /** In review mode an undo waits for approval too; default `apply`. */
  readonly mode?: "apply" | "review";
  /** Wakes the delivery. */
  readonly onReleased: () => void;
}

/** A person's action, and the states in which it is allowed. */
interface Deed {
  readonly allowed: readonly EditState[];
  readonly by: Decider | undefined;
  readonly act: (id: EditId) => boolean;
}

export function createEditActions({ store, mode = "apply", onReleased }: EditActionsDeps) {
  const { journal } = store;
  const show = (edit: Edit) => describeEdit(edit, store);
  const editOf = (id: number) => (isId(id) ? journal.get(editId(id)) : null);

  /** Puts a waiting edit back into the queue, unless nothing is left to send. */
  function release(
    id: number,
    { from, by, act }: { readonly from: EditState } & Omit<Deed, "allowed">,
  ): Decision {
    const edit = editOf(id);
    if (edit?.state !== from || !journal.isAboutGone(edit.id))
      return decide(id, { allowed: [from], by, act });
    return { kind: "refused", reason: say("decision.gone", { id: String(id) }) };
  }

  function decide(id: number, { allowed, by, act }: Deed): Decision {
    const edit = editOf(id);
    if (!edit) return { kind: "unknown" };
    const isDone = () => {
      const acted = act(edit.id);
      if (acted && by) store.editSteps.decided(edit.id, by);
      return acted;
    };
    if (!allowed.includes(edit.state) || !store.durably(isDone)) {
      const states = {
        state: editStateLabel(edit.state),
        allowed: allowed.map((state) => editStateLabel(state)).join(", "),
      };
      return { kind: "refused", reason: say("decision.wrongState", { id: String(id), ...states }) };
    }
    onReleased();
    return { kind: "done", edit: show(journal.get(edit.id) ?? edit) };
  }

  /** Discards an edit that has not reached the service. One that is half applied is refused. */
  function discard(id: number, by?: Decider): Decision {
    const edit = editOf(id);
    const reason = edit && whyHalfDone(edit, store);
    if (reason) return { kind: "refused", reason };
    const allowed = ["pending", "parked", "held"] as const;
    return decide(id, { allowed, by, act: (known) => journal.discard(known) });
  }

  /**
   * Resolves a conflict as a person has chosen, or previews the effect. Applies to the version that was seen: `overwrites` if
   * the workspace has changed since.
   */
  function resolve(id: number, { version, picks, by, dryRun, zone }: PersonDecision): Decision {
    const edit = editOf(id);
    if (!edit) return { kind: "unknown" };
    const names = namesOf(store, zone);
    const described = () => describeEdit(journal.get(edit.id) ?? edit, store, names);
    const choice = choiceOf(edit, store);
    if (!choice) {
      const about = { id: String(id), state: editStateLabel(edit.state) };
      return { kind: "refused", reason: say("decision.noConflict", about) };
    }
    if (version !== choice.version) {
      return { kind: "overwrites", version: choice.version, edit: described() };
    }
    const resolved = resolutionOf(edit, choice, picks);
    if (!resolved.ok) return { kind: "unclear", reason: resolved.failure };
    const resolution = resolved.value;
    if (dryRun) {
      const preview = previewOf(edit, { choice, resolution, names });
      return { kind: "preview", preview, edit: described() };
    }
    if (mode === "review" && by.actor !== null && resolution.kind !== "yields") {
      return { kind: "refused", reason: say("decision.onlyAdmin") };
    }
    const state = mode === "review" ? "held" : "pending";
    const goesOn = store.durably(() => {
      const going = carryOutResolution(edit, { resolution, picks, by, store, state });
      if (going !== null) store.editSteps.decided(edit.id, by);
      return going;
    });
    if (goesOn === null) {
      return { kind: "refused", reason: say("decision.gone", { id: String(id) }) };
    }
    onReleased();
    return { kind: "done", edit: describeEdit(journal.get(goesOn) ?? edit, store, names) };
  }

  const hasParkedExtras = (id: number): boolean => {
    const edit = editOf(id);
    const extras = edit?.state === "confirmed" ? store.extras.ofEdit(edit.id) : [];
    return extras.some(({ state }) => state === "parked");
  };

  /** The edit itself is done; its comments and files are retried. */
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

  /**
   * Undoes a confirmed edit with a new edit that reverses it. `seen`: the version of the preview; refused if that has changed.
   * Choosing fields requires it.
   */
  function undo(id: number, by: Undoer, seen: string | null = null): Decision {
    const edit = editOf(id);
    if (!edit) return { kind: "unknown" };
    if (by.choices && Object.keys(by.choices).length > 0 && seen === null) {
      return { kind: "unclear", reason: say("decision.needsVersion") };
    }
    const preview = seen === null ? null : previewUndo(edit, store, namesOf(store));
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

  /** Undoes all edits made from the same repeating item, and drops those that have not reached the service. */
  function undoSeries(id: number, by: Decider): SeriesDecision {
    const first = editOf(id);
    if (!first) return { kind: "unknown" };
    const series = journal.madeTogether(first.id).flatMap((one) => journal.get(one) ?? []);
    if (series.length === 0) {
      return { kind: "refused", reason: say("decision.noSeries", { id: String(id) }) };
    }
    const open = series.filter(({ state }) => state !== "discarded" && state !== "undone");
    const decisions = store.durably(() =>
      open.map(({ id: edit, state }) => {
        const isSent = state === "confirmed" || state === "claimed";
        return { edit, decision: isSent ? undo(edit, by) : discard(edit, by) };
      }),
    );
    return {
      kind: "done",
      edits: decisions.flatMap(({ decision }) => (decision.kind === "done" ? [decision.edit] : [])),
      left: decisions.flatMap(({ edit, decision }) =>
        decision.kind === "refused" ? [{ edit, reason: decision.reason }] : [],
      ),
    };
  }

  /** Newest first; times are read and shown in `zone`, the account's by default. Fails with what is invalid. */
  function find(
    query: EditQuery,
    { limit, viewer, zone = viewer?.zone ?? store.zone }: SearchOptions,
  ): Result<readonly FoundEdit[], string> {
    const directory = viewer ? directoryFor(store.directory, viewer) : store.directory;
    const filter = readEditQuery(query, { directory, zone });
    if (!filter.ok) return filter;
    const names = namesOf(store, zone);
    const found = store.editSearch.find(filter.value, limit);
    // Edits outlive their project. Only an admin may learn whether it is gone or just inaccessible.
    const mayExplain = found.length === 0 || viewer?.kind === "person";
    const stranger = mayExplain ? strangerIn(filter.value, directory) : null;
    if (stranger !== null) return fail(stranger);
    return ok(
      found.map((edit) => ({
        actor: edit.actor,
        item: { uid: store.mirror.identity(edit.item).uid },
        describe: () => describeEdit(edit, store, names),
      })),
    );
  }

  return {
    /** Newest first; null if there is no such state. */
    list({ state, limit }: { readonly state: string | undefined; readonly limit: number }) {
      const known = editStates.find((candidate) => candidate === state);
      if (state !== undefined && !known) return null;
      const names = namesOf(store);
      return journal.list({ state: known, limit }).map((edit) => describeEdit(edit, store, names));
    },
    find,
    /** Like `find`, each with its description. */
    search(query: EditQuery, about: SearchOptions) {
      const found = find(query, about);
      return found.ok ? ok(found.value.map((edit) => edit.describe())) : found;
    },
    /** An edit with its history. */
    show(id: number, zone = store.zone): EditStory | null {
      const edit = editOf(id);
      return edit && describeWithStory(edit, store, namesOf(store, zone));
    },
    /** Approves a held edit. */
    approve: (id: number, by?: Decider) =>
      release(id, { from: "held", by, act: (edit) => journal.resume(edit) }),
    discard,
    /**
     * Retries a parked edit. If that would overwrite someone else's change, the person must have seen it: `seen` is the version
     * that was shown, and the whole edit is applied. Later changes conflict again.
     */
    retry(id: number, seen: string | null = null, by?: Decider): Decision {
      const edit = editOf(id);
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
    /** What an undo would restore, and what has changed since; null if there is no such edit. */
    undoPreview(id: number, zone = store.zone): UndoPreview | null {
      const edit = editOf(id);
      return edit && previewUndo(edit, store, namesOf(store, zone));
    },
    undo,
    undoSeries,
  };
}

/**
 * Why an edit can no longer be discarded: the service has the new item already, and nothing would finish or delete it. What the
 * service refused to finish must be cleaned up by a person.
 */
function whyHalfDone(edit: Edit, { mirror }: Store): string | null {
  const { id, item, action, sentAt, state, parkReason, before, patch } = edit;
  const isLeft = state === "pending" || (state === "parked" && parkReason !== "refused");
  const known = mirror.identity(item).serviceId;
  if (!isLeft || sentAt === null || known === null) return null;
  if (action === "create" && state === "pending") {
    return say("decision.halfCreated", { id: String(id) });
  }
  if (before?.kind !== "event" || before.id === known || !patch.place) return null;
  return say(state === "parked" ? "decision.halfMovedRetry" : "decision.halfMoved", {
    id: String(id),
    from: String(before.projectId),
    to: String(patch.place.projectId),
  });
}
