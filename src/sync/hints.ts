import type { Item, TodolistRow } from "../domain/item.ts";
import type { PollResult, PollSchedule } from "./poll-schedule.ts";
import type { SyncContext } from "./sync-context.ts";

/** A row of one source that describes another source, such as a todolist; missing fields are null. */
export interface HintRow {
  /** Name of the described source. */
  readonly about: string;
  readonly reporter: SignKind;
  readonly updatedAt: Temporal.Instant | null;
  /** What a changed `updatedAt` indicates. */
  readonly timeSign: Sign;
  readonly counts: readonly { readonly sign: Sign; readonly value: string | null }[];
}

/** A probability that a source has changed, or has not changed, until another source was polled. */
interface Hint {
  readonly source: string;
  readonly probability: number;
}

/** `changedAt`: time of the last change by the service's clock; null if the row does not say. */
interface Hinted {
  readonly changed: readonly (Hint & { readonly changedAt: Temporal.Instant | null })[];
  readonly unchanged: readonly Hint[];
}

/** Describes lists of tasks by a look-up of lists. */
export const hintRowsOfLists = (lists: readonly TodolistRow[]): readonly HintRow[] =>
  lists.map(({ id, updatedAt, completed, remaining }) => {
    const value = completed === null && remaining === null ? null : `${completed} ${remaining}`;
    const counts = [{ sign: "list-counts", value }] as const;
    return { about: `tasks:${id}`, reporter: "list-row", updatedAt, timeSign: "list-time", counts };
  });

/** Describes lists of subtasks by a list of tasks. `touched`: ids of tasks whose other fields differ too. */
export const hintRowsOfTasks = (
  items: readonly Item[],
  touched: ReadonlySet<number>,
): readonly HintRow[] =>
  items.flatMap((item) => {
    if (item.kind !== "task" || item.id === null || item.subtaskCount === 0) return [];
    const { id, updatedAt, subtaskCount, percent } = item;
    const timeSign = touched.has(id) ? "task-content" : "task-time";
    const counts = [
      { sign: "task-subtasks", value: String(subtaskCount) },
      { sign: "task-progress", value: String(percent) },
    ] as const;
    return { about: `subtasks:${id}`, reporter: "task-row", updatedAt, timeSign, counts };
  });

/** The last row that described a source. */
interface LastRow {
  /** Name of the row's source. */
  readonly by: string;
  readonly row: HintRow;
  /** When the row was first shown. */
  readonly since: Temporal.Instant;
  /** Hints since the source was last read. True if a hint may concern a change after that reading. */
  readonly given: ReadonlyMap<Sign, boolean>;
  /** When the row last gave no hint before those; null if there are none. */
  readonly silentUntil: Temporal.Instant | null;
}

/** A reading of a source: when it was requested, and when each change that it revealed happened; null = unknown. */
interface Reading {
  readonly at: Temporal.Instant;
  readonly changes: readonly (Temporal.Instant | null)[];
}

/**
 * Turns rows that describe other sources into hints, and learns from each source's next reading whether a hint was right. Pure:
 * no clock and no randomness.
 */
export class Hints {
  readonly #trust: SignTrust;
  readonly #last = new Map<string, LastRow>();
  /** Sources that the rows of a reporting source describe; the one most recently assumed unchanged comes last. */
  readonly #described = new Map<string, Set<string>>();
  /** When each described source was last read, and when each reporting source was. */
  readonly #readAt = new Map<string, Temporal.Instant>();
  readonly #reporterAt = new Map<string, Temporal.Instant>();
  /** The latest change revealed by readings of each source, by the service's clock. */
  readonly #revealed = new Map<string, Temporal.Instant>();
  /** Sources with changes known otherwise. Nothing is learned from hints about them. */
  readonly #knownOtherwise = new Set<string>();

  constructor(trust: SignTrust) {
    this.#trust = trust;
  }

  /** A reporting source was read; `rows`: those that may differ from before. Returns hints. */
  report(
    reporter: string,
    { at, rows }: { readonly at: Temporal.Instant; readonly rows: readonly HintRow[] },
  ): Hinted {
    const before = this.#reporterAt.get(reporter) ?? null;
    this.#reporterAt.set(reporter, at);
    const described = this.#described.get(reporter) ?? new Set();
    this.#described.set(reporter, described);
    for (const { about } of rows) described.add(about);
    const changed = rows.flatMap((row) => {
      const last = this.#last.get(row.about);
      const moved = last ? movedSigns(last.row, row) : [];
      const isNews = moved.length > 0 && this.#isNews(row, before);
      const given = last?.given ?? nothing;
      const more = moved.map((sign) => [sign, isNews || given.get(sign) === true] as const);
      this.#last.set(row.about, {
        by: reporter,
        row,
        since: last?.by === reporter ? last.since : at,
        given: more.length === 0 ? given : new Map([...given, ...more]),
        silentUntil: given.size === 0 && moved.length > 0 ? before : (last?.silentUntil ?? null),
      });
      const probability = isNews ? Math.max(...moved.map((sign) => this.#trust.worth(sign))) : 0;
      const { about, updatedAt: changedAt } = row;
      return probability > 0 ? { source: about, probability, changedAt } : [];
    });
    return { changed, unchanged: this.#unchanged(reporter) };
  }

  /** A reporting source was read and is unchanged. Returns hints. */
  silent(reporter: string, at: Temporal.Instant): Hinted {
    this.#reporterAt.set(reporter, at);
    return { changed: [], unchanged: this.#unchanged(reporter) };
  }

  /** A source was read, so hints about it were right or wrong. Returns whether there were any. */
  read(source: string, { at, changes }: Reading): boolean {
    const last = this.#last.get(source);
    const isKnown = this.#knownOtherwise.delete(source);
    if (!last) return false;
    const known = changes.filter((change) => change !== null);
    const latest = known.toSorted((a, b) => Temporal.Instant.compare(a, b)).at(-1);
    const said = [...last.given].filter(([, isNews]) => isNews).map(([sign]) => sign);
    const wasUnreported = this.#wasUnreported(last, known);
    this.#readAt.set(source, at);
    if (latest) this.#revealed.set(source, latest);
    this.#last.set(source, { ...last, given: nothing, silentUntil: null });
    if (isKnown) return false;
    for (const sign of said) this.#trust.note(sign, changes.length > 0 ? "right" : "wrong");
    const { reporter } = last.row;
    if (said.length > 0 && changes.length > 0) this.#trust.note(reporter, "right");
    if (wasUnreported) this.#trust.note(reporter, "wrong");
    return said.length > 0 || wasUnreported;
  }

  /** True if the row was read before and after one of these changes without showing it. */
  #wasUnreported(
    { by, since, given, silentUntil }: LastRow,
    changes: readonly Temporal.Instant[],
  ): boolean {
    const silent = given.size === 0 ? (this.#reporterAt.get(by) ?? null) : silentUntil;
    if (!silent) return false;
    return changes.some((at) => isBefore(since, at) && isBefore(at.add(clockMargin), silent));
  }

  /** Hints that sources have not changed, as their rows have not; a part at a time if there are many. */
  #unchanged(reporter: string): readonly Hint[] {
    const described = this.#described.get(reporter) ?? new Set();
    const some = [...described.values().take(mostUnchanged)];
    return some.flatMap((source) => {
      described.delete(source);
      const last = this.#last.get(source);
      if (last?.by !== reporter) return [];
      described.add(source);
      // Nothing is known if the source was read before the row was first seen, as before a start.
      const readAt = this.#readAt.get(source);
      const isCovered = readAt !== undefined && !isBefore(readAt, last.since);
      const isSilent = isCovered && last.given.size === 0;
      const probability = isSilent ? this.#trust.coverage(last.row.reporter) : 0;
      return probability > 0 ? { source, probability } : [];
    });
  }

  /** A change of a source became known otherwise: by an edit from here, or a page of all tasks. */
  knownOtherwise(source: string): void {
    if (this.#last.has(source)) this.#knownOtherwise.add(source);
  }

  /** A source is no longer polled. */
  drop(source: string): void {
    this.#last.delete(source);
    this.#described.delete(source);
    this.#readAt.delete(source);
    this.#reporterAt.delete(source);
    this.#revealed.delete(source);
    this.#knownOtherwise.delete(source);
  }

  /**
   * True if the row may show a change since the source was last read: by its time, or because the source was not read between
   * two readings of the row.
   */
  #isNews({ about, updatedAt }: HintRow, reporterBefore: Temporal.Instant | null): boolean {
    const revealed = this.#revealed.get(about);
    if (updatedAt && revealed && Temporal.Instant.compare(updatedAt, revealed) <= 0) return false;
    const readAt = this.#readAt.get(about);
    if (!readAt) return true;
    if (updatedAt && Temporal.Instant.compare(updatedAt, readAt) > 0) return true;
    return reporterBefore !== null && Temporal.Instant.compare(readAt, reporterBefore) <= 0;
  }
}

const nothing: ReadonlyMap<Sign, boolean> = new Map();

/** Keeps polls short if a list has thousands of tasks with subtasks. */
const mostUnchanged = 200;

/** The two clocks may differ by this much, and change times have whole seconds. */
const clockMargin = Temporal.Duration.from({ seconds: 5 });

const isBefore = (a: Temporal.Instant, b: Temporal.Instant): boolean =>
  Temporal.Instant.compare(a, b) < 0;

function movedSigns(before: HintRow, now: HintRow): readonly Sign[] {
  const hasMoved = before.updatedAt && now.updatedAt && !before.updatedAt.equals(now.updatedAt);
  const counts = now.counts.filter(({ sign, value }) => {
    const old = countIn(before, sign);
    return old !== null && value !== null && old !== value;
  });
  return [...(hasMoved ? [now.timeSign] : []), ...counts.map(({ sign }) => sign)];
}

const countIn = ({ counts }: HintRow, wanted: Sign): string | null =>
  counts.find(({ sign }) => sign === wanted)?.value ?? null;

/**
 * Kinds of hints that one source gives about another, by field: the look-up of lists about each list of tasks (`list-…`), a
 * list of tasks about each task's subtasks (`task-…`). `task-time`: only a task's `updated_at` has changed; `task-content`:
 * other fields too. The service does not promise which of them it changes, so each is trusted as far as it was right. Source:
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

/** Rows that describe other sources: of a look-up of lists, and of a list of tasks. */
const reporters = ["list-row", "task-row"] as const;
export type SignKind = (typeof reporters)[number];

/** For hints, and for rows, which are right if any hint announced a change, and wrong if none did. */
type Outcome = "right" | "wrong";
type Outcomes = Readonly<Record<Outcome, number>>;

/**
 * How often each hint was right and wrong, and how often the rows of each kind announced a change or missed one. Old outcomes
 * fade, so that a service that changes its behaviour is reassessed.
 */
export class SignTrust {
  readonly #outcomes = new Map<Sign | SignKind, Outcomes>();

  /** `kept`: the `text` of an earlier process; unreadable parts are ignored. */
  constructor(kept: string | null) {
    for (const line of kept?.split("\n") ?? []) {
      const [name, ...numbers] = line.split(" ");
      const sign = [...signs, ...reporters].find((one) => one === name);
      // Older texts have more numbers.
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

  /** The share of all changes that rows of this kind announce: a cautious probability that nothing changed without a hint. */
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

/** What hints are worth is stored after this many readings with new outcomes. */
const readingsPerSave = 20;
/** An announced change with at least this probability counts as seen. */
const likely = 0.5;

/** Passes changes to the schedule: of a source that was read, and of others that its rows describe. */
export class HintFollower {
  readonly #store: SyncContext["store"];
  readonly #schedule: PollSchedule;
  readonly #trust: SignTrust;
  readonly #hints: Hints;
  /** Readings that taught something since the last save. */
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
