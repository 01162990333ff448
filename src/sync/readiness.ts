import { isLongSweep } from "./schedule.ts";
import type { SourceList } from "./source-list.ts";

interface ReadinessDeps {
  readonly sources: SourceList;
  /** True if an earlier process had read each source at least once. */
  readonly wasWhole: boolean;
  /** Called once every source was tried, or need not be. */
  readonly onTried: () => void;
  /** Called once a full sweep is done. */
  readonly onReady: () => void;
}

/** How complete the mirror is, judging by the source list. Each property becomes true once, and stays so. */
export class Readiness {
  readonly #deps: ReadinessDeps;
  #ready = false;
  #caughtUp = false;
  #isTried = false;
  #isResumed = false;

  constructor(deps: ReadinessDeps) {
    this.#deps = deps;
  }

  /** True if every source was read or refused, since this process started or in the sweep that it continued. */
  get ready(): boolean {
    return this.#ready;
  }

  /** True if everything is served: a full sweep is done, or was done before this process started. */
  get whole(): boolean {
    return this.#ready || this.#deps.wasWhole;
  }

  /** True if all data is current: read or refused by this process, or assumed fresh. */
  get caughtUp(): boolean {
    return this.#caughtUp;
  }

  /** True if every source was tried once, or need not be, as an earlier process has read it. */
  get isTried(): boolean {
    return this.#isTried;
  }

  /** True if this process has continued without a sweep of its own. */
  get isResumed(): boolean {
    return this.#isResumed;
  }

  /** True if a start needs no sweep, as everything was read before, and rereading takes long at `rate` requests per second. */
  goesOn(rate: number): boolean {
    return this.#deps.wasWhole && isLongSweep(this.#deps.sources.tally.all, rate);
  }

  /** Continues without a sweep. */
  resume(): void {
    this.#isResumed = true;
    this.#isTried = true;
  }

  /** Call after each poll and each change of the source list. */
  update(): void {
    if (this.#caughtUp && this.#ready) return;
    const { all, current, read, tried, answered, shown } = this.#deps.sources.tally;
    // If nothing at all can be read, as with a wrong key, everything is refused and nothing is ready.
    this.#caughtUp ||= current === all && read > 0;
    if (!this.#isTried && tried === all) {
      this.#isTried = true;
      this.#deps.onTried();
    }
    if (this.#ready) return;
    this.#ready = answered === all && shown > 0;
    if (this.#ready) this.#deps.onReady();
  }
}
