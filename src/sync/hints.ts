import type { Item, ToldTodolist } from "../domain/item.ts";
import type { Sign, SignTrust } from "./sign-trust.ts";

/** A row of a source that speaks of another source; a field that the row does not have is null. */
export interface Told {
  /** Name of the source that is spoken of. */
  readonly about: string;
  readonly updatedAt: Temporal.Instant | null;
  /** What it is a sign of that `updatedAt` has moved. */
  readonly timeSign: Sign;
  readonly counts: readonly { readonly sign: Sign; readonly value: string | null }[];
}

/** Somebody's reading has made it so probable that a source has changed. */
interface Hint {
  readonly source: string;
  readonly probability: number;
}

/** What a look-up of lists tells of their tasks. */
export const toldByLists = (lists: readonly ToldTodolist[]): readonly Told[] =>
  lists.map(({ id, updatedAt, completed, remaining }) => {
    const value = completed === null && remaining === null ? null : `${completed} ${remaining}`;
    const counts = [{ sign: "list-counts", value }] as const;
    return { about: `tasks:${id}`, updatedAt, timeSign: "list-time", counts };
  });

/** What a list of tasks tells of their subtasks. `touched`: ids of those that differ otherwise than by `updatedAt`. */
export const toldByTasks = (
  items: readonly Item[],
  touched: ReadonlySet<number>,
): readonly Told[] =>
  items.flatMap((item) => {
    if (item.kind !== "task" || item.id === null || item.subtaskCount === 0) return [];
    const { id, updatedAt, subtaskCount, percent } = item;
    const timeSign = touched.has(id) ? "task-content" : "task-time";
    const counts = [
      { sign: "task-subtasks", value: String(subtaskCount) },
      { sign: "task-progress", value: String(percent) },
    ] as const;
    return { about: `subtasks:${id}`, updatedAt, timeSign, counts };
  });

/** What a row has told last of a source. */
interface LastTold {
  readonly told: Told;
  /** Signs since the source was last read, and whether each may tell of something that the reading had not shown. */
  readonly heard: ReadonlyMap<Sign, boolean>;
}

/** A reading of a source: when it was asked for, and when each change that it revealed happened; null = not known. */
interface Reading {
  readonly at: Temporal.Instant;
  readonly changes: readonly (Temporal.Instant | null)[];
}

/**
 * Turns what readings tell of other sources into hints, and learns from the next reading of each source what every sign was
 * worth: right or wrong. Pure: no clock and no chance.
 */
export class Hints {
  readonly #trust: SignTrust;
  readonly #told = new Map<string, LastTold>();
  /** When each teller was last asked, and each source that is told of. */
  readonly #askedAt = new Map<string, Temporal.Instant>();
  /** The latest change that readings of each source have revealed, by the service's clock. */
  readonly #revealed = new Map<string, Temporal.Instant>();
  /** Sources of which changes became known otherwise: that they are told of teaches nothing. */
  readonly #knownOtherwise = new Set<string>();

  constructor(trust: SignTrust) {
    this.#trust = trust;
  }

  /** A teller was read; `rows` is all that it tells. Returns what that makes probable. */
  told(
    teller: string,
    { at, rows }: { readonly at: Temporal.Instant; readonly rows: readonly Told[] },
  ): readonly Hint[] {
    const before = this.#askedAt.get(teller) ?? null;
    this.#askedAt.set(teller, at);
    return rows.flatMap((told) => {
      const last = this.#told.get(told.about);
      const moved = last ? movedSigns(last.told, told) : [];
      const isNews = moved.length > 0 && this.#isNews(told, before);
      const heard = last?.heard ?? nothing;
      const more = moved.map((sign) => [sign, isNews || heard.get(sign) === true] as const);
      this.#told.set(told.about, {
        told,
        heard: more.length === 0 ? heard : new Map([...heard, ...more]),
      });
      const probability = isNews ? Math.max(...moved.map((sign) => this.#trust.worth(sign))) : 0;
      return probability > 0 ? { source: told.about, probability } : [];
    });
  }

  /** A teller answered as before. */
  silent(teller: string, at: Temporal.Instant): void {
    this.#askedAt.set(teller, at);
  }

  /** A source was read: what was told of it has turned out right or wrong. Returns whether anything was learned. */
  read(source: string, { at, changes }: Reading): boolean {
    const last = this.#told.get(source);
    const isKnown = this.#knownOtherwise.delete(source);
    if (!last) return false;
    this.#askedAt.set(source, at);
    const known = changes.filter((change) => change !== null);
    const latest = known.toSorted((a, b) => Temporal.Instant.compare(a, b)).at(-1);
    if (latest) this.#revealed.set(source, latest);
    this.#told.set(source, { ...last, heard: nothing });
    if (isKnown) return false;
    const said = [...last.heard].filter(([, isNews]) => isNews).map(([sign]) => sign);
    for (const sign of said) this.#trust.note(sign, changes.length > 0 ? "right" : "wrong");
    return said.length > 0;
  }

  /** A change of a source became known otherwise: by an edit from here, or a page of all tasks. */
  knownOtherwise(source: string): void {
    if (this.#told.has(source)) this.#knownOtherwise.add(source);
  }

  /** A source is polled no more. */
  drop(source: string): void {
    this.#told.delete(source);
    this.#askedAt.delete(source);
    this.#revealed.delete(source);
    this.#knownOtherwise.delete(source);
  }

  /** Whether what a row tells may have happened since the source was read; where its time does not say so, no reading may lie in between. */
  #isNews({ about, updatedAt }: Told, tellerBefore: Temporal.Instant | null): boolean {
    const revealed = this.#revealed.get(about);
    if (updatedAt && revealed && Temporal.Instant.compare(updatedAt, revealed) <= 0) return false;
    const readAt = this.#askedAt.get(about);
    if (!readAt) return true;
    if (updatedAt && Temporal.Instant.compare(updatedAt, readAt) > 0) return true;
    return tellerBefore !== null && Temporal.Instant.compare(readAt, tellerBefore) <= 0;
  }
}

const nothing: ReadonlyMap<Sign, boolean> = new Map();

function movedSigns(before: Told, now: Told): readonly Sign[] {
  const hasMoved = before.updatedAt && now.updatedAt && !before.updatedAt.equals(now.updatedAt);
  const counts = now.counts.filter(({ sign, value }) => {
    const old = countIn(before, sign);
    return old !== null && value !== null && old !== value;
  });
  return [...(hasMoved ? [now.timeSign] : []), ...counts.map(({ sign }) => sign)];
}

const countIn = ({ counts }: Told, wanted: Sign): string | null =>
  counts.find(({ sign }) => sign === wanted)?.value ?? null;
