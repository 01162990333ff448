/** How many windows an edit is remembered for: people who edit go on editing. */
const memory = 3;
/** An edit reads the item before it changes it. */
const requestsPerEdit = 2;

/**
 * The places of the quota that reads leave unused: none while nobody edits, as idle places cost sweeps; once somebody
 * does, as many as edits need in a window, and those of one edit more. Never more than half of the quota.
 */
export class EditReserve {
  readonly #windowMs: number;
  #startsMs: readonly number[] = [];

  constructor(windowMs: number) {
    this.#windowMs = windowMs;
  }

  /** Notes the start of an edit's request. */
  note(nowMs: number): void {
    this.#startsMs = [...this.#recent(nowMs), nowMs];
  }

  /** The most places of a share that reads may hold; `edits`: places that edits hold now. */
  mostReads(nowMs: number, { share, edits }: { readonly share: number; readonly edits: number }) {
    const recent = this.#recent(nowMs);
    const [first] = recent;
    if (first === undefined) return share;
    const windows = Math.max(1, (nowMs - first) / this.#windowMs);
    const needed = Math.max(edits, Math.ceil(recent.length / windows)) + requestsPerEdit;
    return share - Math.min(Math.floor(share / 2), needed);
  }

  #recent(nowMs: number): readonly number[] {
    return this.#startsMs.filter((at) => nowMs - at < memory * this.#windowMs);
  }
}
