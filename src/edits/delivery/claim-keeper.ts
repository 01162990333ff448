import { isStorageFault } from "../../store/storage-health.ts";

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
