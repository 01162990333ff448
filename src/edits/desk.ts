import { type EditId, editId, isId } from "../domain/ids.ts";
import { type Edit, type EditState, editStates } from "../domain/journal.ts";
import type { Store } from "../store/store.ts";
import type { Acceptance, EditRequest } from "./accept.ts";
import { describeEdit, type EditDescription } from "./describe.ts";

/** What became of a person's decision about an edit. */
type Decision =
  | { readonly kind: "done"; readonly edit: EditDescription }
  | { readonly kind: "unknown" }
  | { readonly kind: "refused"; readonly reason: string };

/** Where people hand edits in, look at the journal, and decide about what waits for them. */
export interface Desk {
  accept(request: EditRequest): Acceptance;
  /** Newest first; null when the state is none. */
  list(filter: {
    readonly state: string | undefined;
    readonly limit: number;
  }): readonly EditDescription[] | null;
  show(id: number): EditDescription | null;
  /** Lets a held edit go. */
  approve(id: number): Decision;
  /** Takes an edit back that has not reached the service. */
  discard(id: number): Decision;
  /** Tries a parked edit again. */
  retry(id: number): Decision;
}

export interface DeskDeps {
  readonly store: Store;
  readonly accept: (request: EditRequest) => Acceptance;
  /** Wakes the drain. */
  readonly onReleased: () => void;
}

export function createDesk({ store, accept, onReleased }: DeskDeps): Desk {
  const { journal } = store;
  const show = (edit: Edit) => describeEdit(edit, store);

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
    approve: (id) => decide(id, ["held"], (edit) => journal.resume(edit)),
    discard: (id) => decide(id, ["pending", "parked", "held"], (edit) => journal.discard(edit)),
    retry: (id) => decide(id, ["parked"], (edit) => journal.resume(edit)),
  };
}
