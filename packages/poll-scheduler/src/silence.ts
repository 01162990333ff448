/** Times and durations are in seconds, rates per second. */
export interface SilenceOptions {
  /** Maximum polls per second. */
  readonly pace: number;
  /** A shorter silence is no reason to poll less. */
  readonly quietAfter: number;
  /** How improbable a silence must be, as the negative logarithm of its probability, to conclude that people are away. */
  readonly quietSurprise: number;
  /** Alternatively, how few changes a poll at full pace must be expected to find to be not worth the account's quota. */
  readonly price: number;
  /** Fraction of the pace used then, evenly: the next change is not predicted. */
  readonly quietPart: number;
}

/** What one poll revealed about the time since the previous poll of its source. */
interface PollFinding {
  readonly from: number;
  readonly at: number;
  readonly changes: number;
  /** How improbable it was that nothing happened, if nothing did. */
  readonly surprise: number;
}

/**
 * How long nothing has happened anywhere, and whether that is a reason to poll less. Hours without a change are ordinary if a
 * dozen sources change a few times a day: polling less then finds the next change late. So a silence counts as far as the
 * beliefs did not expect it, including each source's own hours and days, or if hardly anything is expected any more: at night,
 * on days off, in an inactive workspace.
 */
export class Silence {
  readonly #options: SilenceOptions;
  /** When anything was last seen to change, or the first poll. */
  #changedAt: number | null;
  #surprise = 0;
  /** Expected changes per second of all sources together. */
  #expected = 0;

  constructor(options: SilenceOptions, changedAt: number | null) {
    this.#options = options;
    this.#changedAt = changedAt;
  }

  get changedAt(): number | null {
    return this.#changedAt;
  }

  note({ from, at, changes, surprise }: PollFinding): void {
    this.#changedAt ??= at;
    if (changes > 0) {
      this.#changedAt = at;
      this.#surprise = 0;
    } else if (at > from) {
      // Silence before the last change anywhere does not count.
      const part = Math.min(1, Math.max(0, at - this.#changedAt) / (at - from));
      this.#surprise += part * surprise;
    }
  }

  /** Adds to the expected changes per second of all sources. */
  expect(more: number): void {
    this.#expected += more;
  }

  /** Seconds between two polls during a silence; 0 otherwise, when only the caller's pace counts. */
  spacing(now: number): number {
    const { pace, quietAfter, quietSurprise, price, quietPart } = this.#options;
    if (now - (this.#changedAt ?? now) < quietAfter) return 0;
    const isQuiet = this.#surprise >= quietSurprise || this.#expected <= price * pace;
    // A timer may fire slightly early.
    return isQuiet ? 0.99 / (quietPart * pace) : 0;
  }
}
