/** Moments and lengths are seconds, rates per second. */
export interface SilenceOptions {
  /** Polls per second that are asked for at most. */
  readonly pace: number;
  /** No shorter silence is a reason to ask less. */
  readonly quietAfter: number;
  /** How unlikely a silence has to be, as the negative logarithm of its probability: people are elsewhere. */
  readonly quietSurprise: number;
  /** Or how few changes a poll at full pace has to be expected to find: less is not worth the account's quota. */
  readonly price: number;
  /** The part of the pace that is used then, evenly: the next change is not foreseen. */
  readonly quietPart: number;
}

/** What one poll revealed about the time since the previous poll of its source. */
interface Told {
  readonly from: number;
  readonly at: number;
  readonly changes: number;
  /** How unlikely it was that nothing happened, where nothing did. */
  readonly surprise: number;
}

/**
 * For how long nothing has happened anywhere, and whether that is a reason to ask less. Hours without a change are ordinary
 * where a dozen sources change a few times a day: whoever asks less then finds the next change late. So a silence counts
 * as far as the beliefs had not expected it, each source's own hours and days taken in; or where hardly anything is
 * expected any more: at night, on idle days, in a workspace that rests.
 */
export class Silence {
  readonly #options: SilenceOptions;
  /** When anything was last seen to change, or the first poll was. */
  #changedAt: number | null;
  #surprise = 0;
  /** Changes per second that are expected of all sources together. */
  #expected = 0;

  constructor(options: SilenceOptions, changedAt: number | null) {
    this.#options = options;
    this.#changedAt = changedAt;
  }

  get changedAt(): number | null {
    return this.#changedAt;
  }

  note({ from, at, changes, surprise }: Told): void {
    this.#changedAt ??= at;
    if (changes > 0) {
      this.#changedAt = at;
      this.#surprise = 0;
    } else if (at > from) {
      // What was silent before the last change anywhere is no part of this silence.
      const part = Math.min(1, Math.max(0, at - this.#changedAt) / (at - from));
      this.#surprise += part * surprise;
    }
  }

  /** Adds to the changes per second that are expected of all sources. */
  expect(more: number): void {
    this.#expected += more;
  }

  /** Seconds between two polls while that goes on; 0 at other times, when the caller's pace is all that counts. */
  spacing(now: number): number {
    const { pace, quietAfter, quietSurprise, price, quietPart } = this.#options;
    if (now - (this.#changedAt ?? now) < quietAfter) return 0;
    const isQuiet = this.#surprise >= quietSurprise || this.#expected <= price * pace;
    // A timer may come a little early.
    return isQuiet ? 0.99 / (quietPart * pace) : 0;
  }
}
