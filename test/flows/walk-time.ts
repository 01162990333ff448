import type { Later } from "../../src/sandbox/faults.ts";
import { type HandClock, handClock } from "../support/test-store.ts";

interface Due {
  readonly at: Temporal.Instant;
  readonly effect: () => void;
}

/** The time of a walk: it stands still but for the steps of the walk; late requests are carried out when their moment is passed. */
export class WalkTime {
  readonly #hand: HandClock;
  #due: Due[] = [];

  constructor(start: string) {
    this.#hand = handClock(start);
  }

  /** The daemon's clock, and everybody's; moving it passes over what is due. */
  readonly clock: HandClock = Object.assign(() => this.#hand(), {
    set: (instant: string) => this.#passTo(Temporal.Instant.from(instant)),
    advance: (length: Temporal.DurationLike) => this.#passTo(this.#hand().add(length)),
  });

  /** For the sandbox. What is under way is carried out also when no further fault is wanted. */
  readonly later: Later = (effect, ms) => {
    this.#due.push({ at: this.#hand().add({ milliseconds: ms }), effect });
    return () => undefined;
  };

  #passTo(moment: Temporal.Instant): void {
    for (;;) {
      const [next] = this.#due
        .filter(({ at }) => Temporal.Instant.compare(at, moment) <= 0)
        .toSorted((a, b) => Temporal.Instant.compare(a.at, b.at));
      if (!next) break;
      this.#due = this.#due.filter((due) => due !== next);
      if (Temporal.Instant.compare(next.at, this.#hand()) > 0) this.#hand.set(next.at.toString());
      next.effect();
    }
    this.#hand.set(moment.toString());
  }
}
