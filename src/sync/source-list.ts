import { isRecent } from "../domain/backoff.ts";
import type { ListId, ProjectId, ServiceId } from "../domain/ids.ts";
import { type Source, sourceName } from "../domain/source.ts";
import type { SourceState } from "../store/rows/source-rows.ts";
import type { Store } from "../store/store.ts";
import type { Begun, PolledSource, PollOutcome } from "./polled-source.ts";

/** Called with each source that is new, has changed, or (null) was removed. */
type Watcher = (name: string, entry: PolledSource | null) => void;

/** Number of sources, and of those with each property; isDone concerns the current round. */
type Tally = Readonly<Record<keyof typeof facts | "all", number>>;

/**
 * All sources, in the order in which they became known. The store keeps the same set for the next start. It is written before a
 * poll that needs it, so that a sweep that discovers a thousand parents does not write them a thousand times.
 */
export class SourceList {
  readonly #store: Store;
  readonly #clock: () => Temporal.Instant;
  readonly #entries = new Map<string, PolledSource>();
  readonly #parentsByList = new Map<ListId, Set<ServiceId>>();
  readonly #unsaved = new Set<string>();
  readonly #watchers = new Set<Watcher>();
  readonly #byProject = new Map<ProjectId, Map<string, PolledSource>>();
  readonly #byKind = new Map<Source["kind"], Map<string, PolledSource>>();
  #tally = noneYet;
  #turn = 0;
  /** The latest turn in which something was read; 0 = none yet. */
  #lastRead = 0;
  /** The current round; null between rounds. */
  #round: number | null = null;

  constructor(store: Store, clock: () => Temporal.Instant) {
    this.#store = store;
    this.#clock = clock;
    for (const state of store.sources.all()) this.#add(state.source, { state });
  }

  /**
   * Starts a round: everything is to be read once. Continues an interrupted one instead, unless it was interrupted for longer
   * than `rest`.
   */
  beginRound(rest: Temporal.Duration): void {
    const { rounds } = this.#store;
    const last = rounds.last();
    const goesOn = last && !last.endedAt && this.#isRecent(last.begunAt, rest);
    this.#setRound((goesOn ? last : rounds.begin()).round);
  }

  endRound(): void {
    if (this.#round === null) return;
    this.#store.rounds.end();
    this.#setRound(null);
  }

  /** Continues the last round, as some sources could not be read. */
  resumeRound(): void {
    this.#store.rounds.resume();
    this.#setRound(this.#store.rounds.last()?.round ?? null);
  }

  /** Counts what an earlier process has read within `maxAge` as read. */
  resume(maxAge: Temporal.Duration): void {
    const now = this.#clock();
    for (const entry of this.all()) {
      const { readBefore } = entry;
      if (readBefore && isRecent(readBefore, { length: maxAge, now })) {
        this.#set({ ...entry, assumedFresh: "earlier" });
      }
    }
  }

  /** Records that a list nobody has read was taken completely from pages of all tasks, requested at `at`. */
  took(name: string, at: Temporal.Instant): void {
    const known = this.get(name);
    if (!known) return;
    const isKnown = { everRead: true, assumedFresh: "pages", attemptedAt: at } as const;
    this.#set({ ...known, ...isKnown, round: this.#round ?? known.round });
  }

  /** Records that all lists of tasks and subtasks are fresh, as pages of all tasks show the same. */
  assumeFresh(): void {
    for (const entry of [...this.ofKind("tasks"), ...this.ofKind("subtasks")]) {
      if (entry.everRead && !entry.settled) this.#set({ ...entry, assumedFresh: "pages" });
    }
  }

  /** True if a source was read or refused in the current round, also by an earlier process. */
  isDone({ round }: Pick<PolledSource, "round">): boolean {
    return this.#round !== null && round === this.#round;
  }

  /** The number of the latest attempt; later attempts have higher ones. */
  get turn(): number {
    return this.#turn;
  }

  all(): readonly PolledSource[] {
    return [...this.#entries.values()];
  }

  get(name: string): PolledSource | null {
    return this.#entries.get(name) ?? null;
  }

  ofKind(kind: Source["kind"]): readonly PolledSource[] {
    return [...(this.#byKind.get(kind)?.values() ?? [])];
  }

  /** A project's look-up of lists, its events and its lists. */
  ofProject(project: ProjectId): readonly PolledSource[] {
    return [...(this.#byProject.get(project)?.values() ?? [])];
  }

  /** True if the source was read in this process, also by the last poll. */
  isReadable(name: string): boolean {
    const entry = this.get(name);
    return entry?.read === true && entry.failures === 0;
  }

  /** True if all lists of a project, with their subtasks, were read or refused in this process or the current round. */
  isAnswered(project: ProjectId): boolean {
    const isAnswered = (entry: PolledSource | null) =>
      entry === null || facts.answered(entry, this.isDone(entry));
    return this.ofProject(project).every((entry) => {
      const parents = entry.source.kind === "tasks" ? this.parentsIn(entry.source.listId) : [];
      return (
        isAnswered(entry) && parents.every((parent) => isAnswered(this.get(`subtasks:${parent}`)))
      );
    });
  }

  /** The polled projects. */
  projects(): readonly ProjectId[] {
    return this.ofKind("events").flatMap(({ source }) =>
      source.kind === "events" ? [source.projectId] : [],
    );
  }

  countOf(kind: Source["kind"]): number {
    return this.#byKind.get(kind)?.size ?? 0;
  }

  get tally(): Tally {
    return this.#tally;
  }

  /** Calls `watcher` with each source now and after each change. Returns a function that stops this. */
  watch(watcher: Watcher): () => void {
    for (const entry of this.#entries.values()) watcher(entry.name, entry);
    this.#watchers.add(watcher);
    return () => void this.#watchers.delete(watcher);
  }

  /** Makes these the only sources besides subtasks, which stay while their list does. */
  settleScope(present: readonly Source[]): void {
    const names = new Set(present.map(sourceName));
    for (const entry of this.all()) {
      if (entry.kind !== "subtasks" && !names.has(entry.name)) this.drop(entry.name);
    }
    for (const source of present) this.put(source, null);
    for (const { name, source } of this.ofKind("subtasks")) {
      if (source.kind === "subtasks" && !names.has(`tasks:${source.listId}`)) this.drop(name);
    }
  }

  /** Makes these the only lists of a project; subtasks stay while their list does. */
  settleLists(project: ProjectId, lists: readonly Source[]): void {
    const names = new Set(lists.map(sourceName));
    for (const { name, source } of this.ofProject(project)) {
      if (source.kind !== "tasks" || names.has(name)) continue;
      this.drop(name);
      for (const parent of this.parentsIn(source.listId)) this.drop(`subtasks:${parent}`);
    }
    for (const list of lists) this.put(list, null);
  }

  /** Adds a source, or moves it to another place, where it was not tried yet. */
  put(source: Source, days: number | null): void {
    const known = this.get(sourceName(source));
    if (!known) {
      this.#add(source, { days });
      this.#unsaved.add(sourceName(source));
      return;
    }
    if (samePath(known.source, source)) {
      if (known.days !== days) this.#set({ ...known, days });
      return;
    }
    this.#unlink(known);
    this.#set({ ...known, ...untried, source, days });
    this.#link(source);
    this.#unsaved.add(known.name);
  }

  drop(name: string): void {
    const known = this.get(name);
    if (!known) return;
    this.#unlink(known);
    this.#entries.delete(name);
    this.#byKind.get(known.kind)?.delete(name);
    if (isMain(known.source)) this.#byProject.get(known.source.projectId)?.delete(name);
    this.#count(known, null);
    this.#unsaved.add(name);
    for (const watcher of this.#watchers) watcher(name, null);
  }

  /** Parents in a list whose subtasks are polled. */
  parentsIn(list: ListId): readonly ServiceId[] {
    return [...(this.#parentsByList.get(list) ?? [])];
  }

  /** Requests a source ahead of its turn, even if it is being read, as that reading may be too early. */
  hurry(name: string): void {
    const known = this.get(name);
    if (known) this.#set({ ...known, hurried: true, notBefore: null });
  }

  /**
   * Ends every rest. Returns a function that tells whether all present sources have answered since or are gone. If all of them
   * refuse, they do not count as read.
   */
  rereadAll(): () => boolean {
    const start = this.#turn;
    const names = this.all().map(({ name }) => name);
    for (const { name, notBefore } of this.all()) if (notBefore) this.hurry(name);
    return () => {
      const now = names.flatMap((name) => this.get(name) ?? []);
      const isAnswered = now.every(({ answered }) => answered > start);
      return isAnswered && now.some(({ failures }) => failures === 0);
    };
  }

  /** Ends the rest of failed sources, but not of refused ones, as the cause of the failures is over. */
  recover(): void {
    for (const entry of this.all()) {
      const { failures, answered, ended, notBefore } = entry;
      if (failures > 0 && answered < ended && notBefore) this.#set({ ...entry, notBefore: null });
    }
  }

  begin(name: string): Begun {
    const known = this.get(name);
    if (!known) throw new UnknownSourceError(name);
    this.#turn += 1;
    const begun = {
      ...known,
      turn: this.#turn,
      attemptedAt: this.#clock(),
      underWay: true,
      hurried: false,
      pollHurried: known.hurried,
      inRound: this.#round,
    };
    this.#set(begun);
    return begun;
  }

  /** Ends a poll; an aborted one (null) counts as never started. */
  end(begun: Begun, outcome: PollOutcome | null): void {
    const now = this.get(begun.name);
    if (!now) return;
    const rested = { ...now, underWay: false, pollHurried: false };
    if (!outcome) {
      this.#set(rested);
      return;
    }
    const isRead = outcome.kind === "read";
    const isSettled = outcome.kind !== "failed";
    if (isRead) this.#lastRead = Math.max(this.#lastRead, begun.turn);
    this.#set({
      ...rested,
      ...(isSettled && { settled: true, answered: begun.turn, round: begun.inRound ?? now.round }),
      ...(isRead && { read: true, everRead: true, refusalConfirmed: false, refusedIn: null }),
      ...(outcome.kind === "refused" && this.#refused(now)),
      ended: begun.turn,
      failures: isRead ? 0 : now.failures + 1,
      notBefore: now.hurried ? null : outcome.notBefore,
    });
  }

  /** Writes changes of the set since the last call. After a rollback they are written again. */
  save(): void {
    if (this.#unsaved.size === 0) return;
    const names = [...this.#unsaved];
    const { isOpen } = this.#store.transaction();
    this.#store.together(() => {
      this.#store.sources.drop(names.filter((name) => !this.#entries.has(name)));
      this.#store.sources.put(names.flatMap((name) => this.get(name)?.source ?? []));
    });
    if (!isOpen) this.#unsaved.clear();
  }

  /** A single refusal may be a mistake of the service. Refusals while no source at all is answered prove nothing. */
  #refused({
    refusalConfirmed,
    refusedIn,
  }: PolledSource): Pick<PolledSource, "refusalConfirmed" | "refusedIn"> {
    return {
      refusalConfirmed: refusalConfirmed || (refusedIn !== null && this.#lastRead > refusedIn),
      refusedIn: refusedIn ?? this.#turn,
    };
  }

  #isRecent(begunAt: Temporal.Instant, rest: Temporal.Duration): boolean {
    const now = this.#clock();
    const attempts = this.all().flatMap(({ attemptedAt }) => attemptedAt ?? []);
    return [begunAt, ...attempts].some((at) => isRecent(at, { length: rest, now }));
  }

  #add(
    source: Source,
    { state, days = null }: { readonly state?: SourceState; readonly days?: number | null },
  ): void {
    this.#set({
      ...untried,
      name: sourceName(source),
      kind: source.kind,
      source,
      attemptedAt: state?.attemptedAt ?? null,
      underWay: false,
      hurried: false,
      pollHurried: false,
      days,
      failures: 0,
      read: false,
      settled: false,
      everRead: Boolean(state?.succeededAt),
      readBefore: state?.succeededAt && state.failures === 0 ? state.attemptedAt : null,
      refusedIn: state?.refusedAt ? 0 : null,
      round: state?.round ?? null,
    });
    this.#link(source);
  }

  #set(entry: PolledSource): void {
    const { name, kind } = entry;
    const before = this.get(name);
    const alike = this.#byKind.get(kind) ?? new Map<string, PolledSource>();
    this.#byKind.set(kind, alike.set(name, entry));
    this.#entries.set(name, entry);
    this.#place(before, entry);
    this.#count(before, entry);
    for (const watcher of this.#watchers) watcher(name, entry);
  }

  #place(before: PolledSource | null, entry: PolledSource): void {
    const { name, source } = entry;
    if (before && isMain(before.source)) {
      this.#byProject.get(before.source.projectId)?.delete(name);
    }
    if (!isMain(source)) return;
    const own = this.#byProject.get(source.projectId) ?? new Map<string, PolledSource>();
    this.#byProject.set(source.projectId, own.set(name, entry));
  }

  #count(before: PolledSource | null, now: PolledSource | null): void {
    const holds = (entry: PolledSource | null, fact: keyof typeof facts) =>
      Number(entry !== null && facts[fact](entry, this.isDone(entry)));
    const all = this.#tally.all + Number(now !== null) - Number(before !== null);
    const tally: Record<keyof Tally, number> = { ...this.#tally, all };
    const counted = ["current", "read", "tried", "answered", "shown"] as const;
    for (const fact of counted) tally[fact] += holds(now, fact) - holds(before, fact);
    this.#tally = tally;
  }

  #setRound(round: number | null): void {
    this.#round = round;
    this.#tally = noneYet;
    for (const entry of this.#entries.values()) this.#count(null, entry);
  }

  #link(source: Source): void {
    if (source.kind !== "subtasks") return;
    const parents = this.#parentsByList.get(source.listId) ?? new Set();
    this.#parentsByList.set(source.listId, parents.add(source.taskId));
  }

  #unlink({ source }: PolledSource): void {
    if (source.kind === "subtasks") this.#parentsByList.get(source.listId)?.delete(source.taskId);
  }
}

type MainSource = Extract<Source, { readonly kind: "todolists" | "events" | "tasks" }>;

/** True if a project counts as complete only once the source was read. */
export const isMain = (source: Source): source is MainSource =>
  source.kind === "todolists" || source.kind === "events" || source.kind === "tasks";

/**
 * Properties that are counted. `current`: read or refused by this process, or assumedFresh; `read`: the same without refusals.
 * `tried`: a poll of it has ended, `answered`: read or refused, `shown`: read; the last three in this process or in the round
 * that it continued.
 */
const facts = {
  current: ({ settled, assumedFresh }: PolledSource) => settled || assumedFresh !== null,
  read: ({ read, assumedFresh }: PolledSource) => read || assumedFresh !== null,
  tried: ({ ended, assumedFresh }: PolledSource, isDone: boolean) =>
    ended > 0 || isDone || assumedFresh === "pages",
  answered: ({ settled, assumedFresh }: PolledSource, isDone: boolean) =>
    settled || isDone || assumedFresh === "pages",
  shown: ({ read, turn, refusedIn }: PolledSource, isDone: boolean) =>
    read || (isDone && turn === 0 && refusedIn === null),
} as const;

const noneYet: Tally = { all: 0, current: 0, read: 0, tried: 0, answered: 0, shown: 0 };

/** What is known of a source in a place where it was not tried yet. */
const untried = {
  turn: 0,
  ended: 0,
  answered: 0,
  notBefore: null,
  round: null,
  assumedFresh: null,
  readBefore: null,
  refusalConfirmed: false,
  refusedIn: null,
} as const;

/** Thrown if a source is to be polled that no longer exists: the choice was based on an older list. */
class UnknownSourceError extends Error {
  override readonly name = "UnknownSourceError";
  constructor(source: string) {
    super(`the source ${source} cannot be polled: it is not in the source list`);
  }
}

/** True if two sources with the same name have the same URL path. */
export function samePath(a: Source, b: Source): boolean {
  const project = "projectId" in a && "projectId" in b ? a.projectId === b.projectId : true;
  const list = "listId" in a && "listId" in b ? a.listId === b.listId : true;
  return project && list;
}
