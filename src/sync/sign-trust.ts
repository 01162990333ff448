/**
 * What a source that was read may tell of another one, field by field: the look-up of lists of each list of tasks (`list-…`),
 * a list of tasks of each task's subtasks (`task-…`). `task-time`: a task's `updated_at` has moved and nothing else of it;
 * `task-content`: other fields have, too. Which of them a service moves, and when, is not promised, so that each is trusted
 * as far as it has foretold. Source: beyond-the-document.md, Values.
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

/** Whose rows speak of others: a row of a list of lists, and of a list of tasks. */
const tellers = ["list-row", "task-row"] as const;
export type SignKind = (typeof tellers)[number];

/** Of signs; and of rows, which are right when a change was told by any sign, and wrong when it was by none. */
type Outcome = "right" | "wrong";
type Outcomes = Readonly<Record<Outcome, number>>;

/**
 * How often each sign was right and wrong, and how often the rows of each teller have told of a change or not. Old outcomes fade,
 * so that a service that begins to tell otherwise is believed otherwise.
 */
export class SignTrust {
  readonly #outcomes = new Map<Sign | SignKind, Outcomes>();

  /** `kept`: the `text` of an earlier process; what cannot be read of it counts as nothing. */
  constructor(kept: string | null) {
    for (const line of kept?.split("\n") ?? []) {
      const [name, ...numbers] = line.split(" ");
      const sign = [...signs, ...tellers].find((one) => one === name);
      // Older texts go on with how often the sign was silent.
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

  /** How probable it is that a source has changed of which the sign tells so; 0 where it has hardly ever been right. */
  worth(sign: Sign): number {
    const { right, wrong } = this.#outcomesOf(sign);
    const isUseless = right + wrong >= enough && right < least * (right + wrong);
    return isUseless ? 0 : (right + doubt / 2) / (right + wrong + doubt);
  }

  /** Which part of all changes a teller's rows tell of, so how probable it is that none has happened of which they do not; rather too low. */
  coverage(teller: SignKind): number {
    const { right, wrong } = this.#outcomesOf(teller);
    return right + wrong < enough ? 0 : right / (right + wrong + doubt);
  }

  /** All that was learned, for the next process. */
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

/** Outcomes of a sign that are remembered. */
const memory = 60;
/** Outcomes without which a sign is half trusted: the prior is one of each. */
const doubt = 2;
/** A sign that was wrong so often, and right less often than this part, is not heard any more, though still judged. */
const enough = 10;
const least = 0.1;
