/**
 * Hints that one source gives about another, by field: the look-up of lists about each list of tasks (`list-…`), a list of
 * tasks about each task's subtasks (`task-…`). `task-time`: only a task's `updated_at` has changed; `task-content`: other
 * fields too. The service does not promise which of them it changes, so each is trusted as far as it was right. Source:
 * beyond-the-document.md, Values.
 */
const signs = [
  "list-time",
  "list-counts",
  "task-time",
  "task-content",
  "task-subtasks",
  "task-progress",
] as const;
export type Sign = (typeof signs)[number];

/** Rows that say something about others: a row of a list of lists, and of a list of tasks. */
const reporters = ["list-row", "task-row"] as const;
export type SignKind = (typeof reporters)[number];

/** For hints, and for rows, which are right if any hint announced a change, and wrong if none did. */
type Outcome = "right" | "wrong";
type Outcomes = Readonly<Record<Outcome, number>>;

/**
 * How often each hint was right and wrong, and how often each teller's rows announced a change or not. Old outcomes fade, so
 * that a service that changes its behaviour is reassessed.
 */
export class SignTrust {
  readonly #outcomes = new Map<Sign | SignKind, Outcomes>();

  /** `kept`: the `text` of an earlier process; unreadable parts are ignored. */
  constructor(kept: string | null) {
    for (const line of kept?.split("\n") ?? []) {
      const [name, ...numbers] = line.split(" ");
      const sign = [...signs, ...reporters].find((one) => one === name);
      // Older texts continue with how often the hint was absent.
      const [right = Number.NaN, wrong = Number.NaN] = numbers.map(Number);
      if (!sign || ![right, wrong].every((number) => number >= 0 && number <= memory)) continue;
      this.#outcomes.set(sign, { right, wrong });
    }
  }

  note(sign: Sign | SignKind, outcome: Outcome): void {
    const old = this.#outcomesOf(sign);
    const sum = old.right + old.wrong;
    const fading = Math.min(1, (memory - 1) / Math.max(1, sum));
    const faded = { right: old.right * fading, wrong: old.wrong * fading };
    this.#outcomes.set(sign, { ...faded, [outcome]: faded[outcome] + 1 });
  }

  /** The probability that a source has changed if the hint says so; 0 if it was hardly ever right. */
  worth(sign: Sign): number {
    const { right, wrong } = this.#outcomesOf(sign);
    const isUseless = right + wrong >= enough && right < least * (right + wrong);
    return isUseless ? 0 : (right + prior / 2) / (right + wrong + prior);
  }

  /**
   * The share of all changes that a teller's rows announce, which is how probable it is that nothing happened without a hint;
   * rather too low.
   */
  coverage(reporter: SignKind): number {
    const { right, wrong } = this.#outcomesOf(reporter);
    return right + wrong < enough ? 0 : right / (right + wrong + prior);
  }

  /** Everything learned, for the next process. */
  text(): string {
    const lines = [...this.#outcomes].map(
      ([sign, { right, wrong }]) => `${sign} ${right.toFixed(3)} ${wrong.toFixed(3)}`,
    );
    return lines.join("\n");
  }

  #outcomesOf(sign: Sign | SignKind): Outcomes {
    return this.#outcomes.get(sign) ?? { right: 0, wrong: 0 };
  }
}

/** Number of outcomes remembered per hint. */
const memory = 60;
/** A hint without outcomes is half trusted: the prior is one of each. */
const prior = 2;
/** A hint that was wrong this often, and right less often than this share, is ignored, but still judged. */
const enough = 10;
const least = 0.1;
