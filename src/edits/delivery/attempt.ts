import type { Edit, FieldConflict } from "../../domain/edit.ts";
import { type LabelId, serviceId } from "../../domain/ids.ts";
import type { Item } from "../../domain/item.ts";
import { placedIn, placeOf } from "../../domain/patch.ts";
import type { Result } from "../../domain/result.ts";
import type { Settlement } from "../../store/journal/journal.ts";
import { isStorageFault } from "../../store/storage-health.ts";
import type { Store } from "../../store/store.ts";
import { describeFailure, type Failure } from "../../upstream/failure.ts";
import type { AttachmentRef } from "../../upstream/resources/tasks.ts";
import type { PlaceCalls } from "./find-moved.ts";
import type { ItemAddress, ItemCalls } from "./item-calls.ts";
import { again } from "./settle.ts";

/** What happens to a field that both sides have changed: a person decides, the edit wins, the workspace wins. */
export type ConflictPolicy = "ask" | "theirs" | "ours";

/**
 * How carrying out an edit ended. `answer` is null for a deletion; `conflicts` is what the policy has decided; `withdrawn`:
 * a creation that was not sent, as what it makes is deleted; `taken-back`: a deletion that was not sent, and has ended.
 */
export type Outcome =
  | {
      readonly kind: "done";
      readonly answer: Item | null;
      readonly conflicts?: readonly FieldConflict[];
    }
  | { readonly kind: "failed"; readonly failure: Failure }
  | { readonly kind: "withdrawn"; readonly by: Edit }
  | { readonly kind: "taken-back" }
  | { readonly kind: "settled"; readonly settlement: Settlement };

/** An edit on its way, with the calls on behalf of its person. */
export interface Attempt {
  readonly edit: Edit;
  readonly store: Store;
  readonly calls: ItemCalls;
  readonly places: PlaceCalls;
  readonly policy: ConflictPolicy;
  /** When it was begun. */
  readonly now: Temporal.Instant;
  readonly clock: () => Temporal.Instant;
  /** 0 up to 1, for this try. */
  readonly random: number;
  /** Finds or creates the labels that the edit needs. */
  readonly makeLabels: () => Promise<Result<readonly LabelId[], Failure>>;
  /** Uploads the files that the creation takes along. */
  readonly takeFiles: () => Promise<Result<readonly AttachmentRef[], Failure>>;
  /** Asks for the lists in which a moved item may be found, by the names of their sources. */
  readonly onMissing: (edit: Edit, sources: readonly string[]) => void;
}

/** Thrown when an edit of an item that the service does not have yet was claimed; the journal gives out none. */
class UncreatedItemError extends Error {
  override readonly name = "UncreatedItemError";
  constructor(edit: Edit) {
    super(`edit ${edit.id} is of an item that has not been created`);
  }
}

/** Where the item is, as far as the mirror knows now. */
export function addressOf({ edit, store }: Attempt): ItemAddress {
  const id = store.mirror.identity(edit.item).serviceId;
  if (id === null) throw new UncreatedItemError(edit);
  const item = store.mirror.get(edit.item)?.item ?? edit.base;
  return { item: besideTask(item, store), id: serviceId(id) };
}

/** A subtask where its task is now: what is known of the subtask may be older than a move of the task. */
function besideTask(item: Item, { mirror }: Store): Item {
  if (item.kind !== "subtask" || item.parentId === null) return item;
  const key = mirror.find("task", item.parentId);
  const task = key === null ? null : mirror.get(key);
  return task ? placedIn(item, placeOf(task.item)) : item;
}

/** Whether the service says that there is no such item. */
export const isMissing = (failure: Failure): boolean =>
  failure.kind === "refused" && (failure.status === 404 || failure.status === 410);

/** Whether its editor has taken the edit back since it was claimed, as is done with deletions of which no request has left. */
export const isTakenBack = ({ id }: Edit, { journal }: Store): boolean =>
  journal.get(id)?.state === "discarded";

/** Asks again after a pause, as it cannot be told yet what a request has done. */
export function askAgain(problem: string, { edit, now, random }: Attempt): Outcome {
  const trial = { attempts: edit.attempts, createdAt: edit.createdAt, now, random };
  return { kind: "settled", settlement: again(problem, { trial, retryAfter: null }) };
}

/**
 * A failed read while it is open how far an edit has gone: that the service does not show something says nothing about what
 * it has done, so that only a refused write waits for a person.
 */
export const untold = (failure: Failure, attempt: Attempt): Outcome =>
  isRefusal(failure)
    ? askAgain(`how far the edit has gone is not known: ${describeFailure(failure)}`, attempt)
    : { kind: "failed", failure };

/** Whether the service has said no, rather than nothing. */
export const isRefusal = ({ kind }: Failure): boolean =>
  kind === "refused" || kind === "service-refused";

/** Waits for a person, as there is nothing left to change. */
export function goneItem(failure: Failure): Outcome {
  const problem = `the item is gone from the workspace, or no longer visible: ${describeFailure(failure)}`;
  return { kind: "settled", settlement: { kind: "park", reason: "refused", problem } };
}

/**
 * What becomes of a creation whose item is to be deleted as soon as it is there: nothing is sent for either. The deletion
 * may be the first half of a move, and is waited for. Only where the service is known not to have the item. Null when the
 * item is to be made.
 */
export function cancelledCreation(
  edit: Edit,
  { store, now }: { readonly store: Store; readonly now: Temporal.Instant },
): Extract<Outcome, { readonly kind: "withdrawn" | "settled" }> | null {
  const deletion = store.journal.deletionOf(edit);
  if (!deletion) return null;
  const { id, notBefore } = deletion;
  if (notBefore === null || Temporal.Instant.compare(notBefore, now) <= 0) {
    return { kind: "withdrawn", by: deletion };
  }
  const problem = `edit ${id} deletes it: it is created only if that is taken back`;
  return { kind: "settled", settlement: { kind: "retry", notBefore, problem } };
}

/** What became of a claim, and how that is stored. */
interface ClaimEnding {
  /** Throws what the store throws. */
  readonly store: () => void;
  /** Stores that `store` has failed for another reason than the disk, which would only come again. */
  readonly giveUp: (error: unknown) => void;
}

/**
 * Claims are leases of a live worker: each belongs to a step that runs, or to an ending that is still to be stored. What the
 * disk refuses is kept here, in its order, and stored before anything else is begun, so that no claim outlives its worker and
 * no answer of the service is lost while there is no room for it.
 */
export class ClaimKeeper<Id> {
  readonly #running = new Set<Id>();
  readonly #endings = new Map<Id, ClaimEnding>();
  #notes: (() => void)[] = [];

  begin(id: Id): void {
    this.#running.add(id);
  }

  /** Stores how a claim has ended; where the disk refuses it, throws and keeps it for `catchUp`. */
  end(id: Id, ending: ClaimEnding): void {
    this.#running.delete(id);
    this.#endings.set(id, ending);
    this.#store(id, ending);
  }

  /** Stores something that a running step has learnt, after what waits already; where the disk refuses it, later. */
  keep(note: () => void): void {
    this.#notes.push(note);
    try {
      this.#storeNotes();
    } catch (error) {
      if (!isStorageFault(error)) throw error;
    }
  }

  /** Stores what was kept. Throws what the store throws as long as the disk refuses it. */
  catchUp(): void {
    this.#storeNotes();
    for (const [id, ending] of this.#endings) this.#store(id, ending);
  }

  /** Whether a claim belongs to nobody here: it was made, but never heard of, or its worker is no more. */
  isLost(id: Id): boolean {
    return !this.#running.has(id) && !this.#endings.has(id);
  }

  /** In their order, as a later one may build on an earlier. One that fails by itself would only fail again: it is thrown once. */
  #storeNotes(): void {
    for (let next = this.#notes[0]; next; next = this.#notes[0]) {
      try {
        next();
      } catch (error) {
        if (!isStorageFault(error)) this.#notes = this.#notes.slice(1);
        throw error;
      }
      this.#notes = this.#notes.slice(1);
    }
  }

  #store(id: Id, { store, giveUp }: ClaimEnding): void {
    try {
      store();
    } catch (error) {
      if (isStorageFault(error)) throw error;
      this.#endings.set(id, { store: () => giveUp(error), giveUp });
      giveUp(error);
    }
    this.#endings.delete(id);
  }
}
