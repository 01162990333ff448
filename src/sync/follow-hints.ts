import { type HintRow, Hints, SignTrust } from "./hints.ts";
import type { PollResult, PollSchedule } from "./poll-schedule.ts";
import type { SyncContext } from "./sync-context.ts";

/** What hints are worth is stored after this many readings with new outcomes. */
const readingsPerSave = 20;
/** An announced change with at least this probability counts as seen. */
const likely = 0.5;

/** Passes to the schedule what a reading reveals of its own source, and what its rows say about other sources. */
export class HintFollower {
  readonly #store: SyncContext["store"];
  readonly #schedule: PollSchedule;
  readonly #trust: SignTrust;
  readonly #hints: Hints;
  /** Readings with new outcomes since they were last stored. */
  #unsaved = 0;

  constructor({ store, sources }: Pick<SyncContext, "store" | "sources">, schedule: PollSchedule) {
    this.#store = store;
    this.#schedule = schedule;
    this.#trust = new SignTrust(store.beliefs.signs());
    this.#hints = new Hints(this.#trust);
    sources.watch((name, entry) => {
      if (!entry) this.#hints.drop(name);
    });
  }

  /** A change of a source became known by an edit from here, or a page of all tasks. */
  knownOtherwise(source: string): void {
    this.#hints.knownOtherwise(source);
  }

  /**
   * Learns from a reading whether hints about its source were right, and hints at changes of others. An announced change of
   * another source counts as one of its own, as it is worth the same. `hintRows`: null if unchanged.
   */
  read(
    source: string,
    { at, changes, hintRows }: PollResult & { readonly hintRows: readonly HintRow[] | null },
  ): void {
    if (this.#hints.read(source, { at, changes })) this.#unsaved += 1;
    const { changed, unchanged } =
      hintRows === null
        ? this.#hints.silent(source, at)
        : this.#hints.report(source, { at, rows: hintRows });
    const seen = changed.filter(({ probability }) => probability >= likely);
    this.#schedule.read(source, {
      at,
      changes: [...changes, ...seen.map(({ changedAt }) => changedAt)],
    });
    for (const hint of changed) this.#schedule.hint(hint.source, hint.probability);
    for (const { source: about, probability: certainty } of unchanged) {
      this.#schedule.unchanged(about, { at, certainty });
    }
  }

  /** Stores now and then what was learned; everything if `isLast`. */
  save({ isLast }: { readonly isLast: boolean }): void {
    this.#schedule.save({ isLast });
    if (this.#unsaved < (isLast ? 1 : readingsPerSave)) return;
    this.#store.beliefs.putSigns(this.#trust.text());
    this.#unsaved = 0;
  }
}
