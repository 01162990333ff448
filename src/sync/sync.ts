import type { ProjectId } from "../domain/ids.ts";
import { sourceOf } from "../domain/source.ts";
import { createWake } from "../loop.ts";
import type { Store } from "../store/store.ts";
import { createTurns, type Turns } from "../turns.ts";
import type { Upstream } from "../upstream/client.ts";
import { AppliedPages } from "./applied-pages.ts";
import { DeletionChecks } from "./deletion-checks.ts";
import { applyScope } from "./directory-sync.ts";
import { SweepCounts, type SweepSummary, type SyncEvent } from "./event.ts";
import { FastPath, type FastPathState } from "./fast-path.ts";
import { Hints } from "./hints.ts";
import { InitialSync } from "./initial-sync.ts";
import { type Forecast, outlookOf } from "./outlook.ts";
import { type PollResult, PollSchedule } from "./poll-schedule.ts";
import { type PollEnding, Poller, type ReadItems } from "./poller.ts";
import { isLongSweep, isLookUp } from "./schedule.ts";
import type { SideOptions } from "./side-queue.ts";
import { SideReader } from "./side-reader.ts";
import { SignTrust } from "./sign-trust.ts";
import { type PolledSource, SourceList } from "./source-list.ts";
import { configuredFolders, type MirrorScope } from "./sources-in-scope.ts";
import { SubtaskPages } from "./subtask-pages.ts";
import { Sweep, type SweepOptions } from "./sweep.ts";
import { type Job, type WorkerPoolOptions, workInParallel } from "./worker-pool.ts";

interface SyncDeps {
  readonly store: Store;
  readonly upstream: Upstream;
  readonly scope: MirrorScope;
  readonly clock: () => Temporal.Instant;
  /** How old what is shown may get; look-ups are asked three times as often where they are few. */
  readonly maxAge: Temporal.Duration;
  /** The service's quota, and which part of it is used for reading. */
  readonly quota: { readonly requests: number; readonly per: Temporal.Duration };
  readonly share: number;
  /** Which side sources are mirrored, after the items; none unless given. */
  readonly side?: SideOptions;
  readonly onEvent: (event: SyncEvent) => void;
  /** Told of each reading of a list that has ended, also of one that shows nothing new. */
  readonly onPolled?: (poll: PollEnding) => void;
  /**
   * By what items are made of octets: the program and what it is told. A later start with the same one does not read again what this
   * one has read and comes as it came before; each start reads everything unless given.
   */
  readonly reader?: string | undefined;
  /** Shares out the main thread; a share of its own unless given. */
  readonly turns?: Turns;
}

/** Brings the mirror up to date with the service, within what the gate lets through. */
export interface Sync {
  /**
   * One full sweep: every source once, in the best order; resolves when all are read or have failed. One that was cut off
   * lately, by its signal or with its process, goes on with what it had not read yet.
   */
  sweep(options: SweepOptions): Promise<SweepSummary>;
  /**
   * Polls for ever, each time the source whose unseen changes have probably waited for the most, with a first sweep where there
   * was none and `goesOn` does not spare it; resolves when aborted.
   */
  run(signal: AbortSignal): Promise<void>;
  /**
   * Reads comments, history, folders and files that may have changed, one after the other, at most `most` lists. Returns
   * how many it read; `run` does so by itself.
   */
  readSide(options: { readonly signal: AbortSignal; readonly most: number }): Promise<number>;
  /** Whether a full sweep is done: every source was read, or refused, since this process began or in the sweep it went on with. */
  readonly ready: boolean;
  /** Whether all that there is is served: a full sweep is done, or had been when this process began. */
  readonly whole: boolean;
  /**
   * Whether a start needs no sweep: all that there is had been read by an earlier process, and reading it once more would take
   * long. Then `run` begins with what has probably changed, and whatever is older than `maxAge` has its share.
   */
  readonly goesOn: boolean;
  /**
   * Whether every source has been read, or refused, by this process; where it `goesOn`, or by the one before within `maxAge`
   * before the start.
   */
  readonly caughtUp: boolean;
  /**
   * Whether the lists of a project have all been read at least once, now or by an earlier process: what is known of it is
   * whole. Null asks whether that was so of all projects at some moment: what is not known since then is new.
   */
  hasRead(project: ProjectId | null): boolean;
  /**
   * The same since a backup was restored: what has come since it was made is not known before. True where none was, and
   * once everything has been read.
   */
  hasReadSinceRestore(project: ProjectId | null): boolean;
  /** Whether each item that its list no longer shows has been asked for; what a person has to decide, or nobody answers for, aside. */
  readonly settled: boolean;
  /** How the account-wide list of tasks stands. */
  readonly fastPath: FastPathState;
  /** Polls all sources again, resting ones too. The returned function tells whether requests made since have read all, and all is settled. */
  rereadAll(): () => boolean;
  /** Ends the rest of failed sources, as what made them fail is over. */
  recover(): void;
  /** Asks for a source soon: an edit was just applied there, or something unknown turned up. Unknown names are passed over. */
  hurry(sourceName: string): void;
  /** Notes that somebody has asked for a project's feed or calendar: its lists are read more often for a while. */
  noteReading(project: ProjectId): void;
  /** How old what is shown has to get with as many lists as there are, at the present pace. */
  outlook(): Forecast;
  /** Tells that a source has probably so many changes that no poll has shown; less pressing than to hurry it. */
  hint(sourceName: string, changes: number): void;
}

/** Polls under way at once after the first burst: enough to keep the gate's pace with answers that take two seconds. */
const steadyPolls = 6;
/** After so many other polls a side source is read. */
const pollsPerSide = 5;
/** After so many lessons what signs are worth is kept for the next start. */
const lessonsPerSave = 20;
/** What is told counts as seen where it is at least so probable. */
const likely = 0.5;
const longestRestMs = 5_000;
const shortestRestMs = 20;

export function createSync(deps: SyncDeps): Sync {
  return new Syncing(deps);
}

class Syncing implements Sync {
  readonly #deps: SyncDeps;
  readonly #sources: SourceList;
  readonly #deletionChecks: DeletionChecks;
  readonly #initial: InitialSync;
  readonly #schedule: PollSchedule;
  readonly #poller: Poller;
  readonly #fastPath: FastPath;
  readonly #trust: SignTrust;
  readonly #hints: Hints;
  readonly #side: SideReader;
  readonly #sweep: Sweep;
  readonly #wake = createWake();
  readonly #sweeps = new Set<SweepCounts>();
  #isConfigured = false;
  /** Whether this process has begun a round, or gone on with one. */
  #hasBegun = false;
  #ready = false;
  /** Whether an earlier process had read each source at least once. */
  readonly #wasWhole: boolean;
  #caughtUp = false;
  /** Whether every source has been tried once, or needs not be as an earlier process has read it. */
  #isTried = false;
  /** Whether this process has gone on without a sweep of its own. */
  #isResumed = false;
  #placeIsFree = false;
  #awaitsPlace = false;
  #wasQuestion = false;
  #pollsSinceSide = 0;
  #isRunning = false;
  #lastSweep: Promise<unknown> = Promise.resolve();
  #meetsCeiling = true;
  /** Lets the side reading under way send its next request; null while it waits for none. */
  #goOnAside: Job | null = null;
  /** Readings since signs were last kept from which something was learned. */
  #lessons = 0;
  /** When the next poll may be worth it; null while that is not known. */
  #nextPollAt: Temporal.Instant | null = null;
  readonly #turns: Turns;

  constructor(deps: SyncDeps) {
    const report = (event: SyncEvent) => this.#report(event);
    this.#deps = deps;
    this.#sources = new SourceList(deps.store, deps.clock);
    this.#deletionChecks = new DeletionChecks({ ...deps, sources: this.#sources, report });
    this.#initial = new InitialSync(deps.store, this.#sources);
    const isToldOf = ({ everRead, refusedIn }: PolledSource) => everRead || refusedIn !== null;
    this.#wasWhole = this.#initial.hasReadAll && this.#sources.all().every(isToldOf);
    this.#schedule = new PollSchedule({
      ...deps,
      sources: this.#sources,
      pace: () => this.#pace(),
      clockLead: () => deps.upstream.clockLead(),
    });
    this.#trust = new SignTrust(deps.store.beliefs.signs());
    this.#hints = new Hints(this.#trust);
    this.#sources.watch((name, entry) => {
      if (!entry) this.#hints.drop(name);
    });
    const turns = deps.turns ?? createTurns();
    this.#turns = turns;
    this.#poller = new Poller({
      ...deps,
      turns,
      pace: () => this.#pace(),
      sources: this.#sources,
      deletionChecks: this.#deletionChecks,
      report,
      onTasks: (items, contents) => this.#side.queue.follow(items, contents),
      onRead: (source, { told, put, shown, ...revealed }) => {
        this.#schedule.noteDates(source, { put, shown });
        this.#fastPath.noteRead(source, { at: revealed.at, put });
        this.#follow(source, { ...revealed, told });
      },
    });
    const { projects } = deps.scope;
    const ofProjects = projects === "discover" ? null : projects.map(({ id }) => id);
    const pageDeps = {
      ...deps,
      applied: new AppliedPages({ ...deps, projects: ofProjects }),
      sources: this.#sources,
      schedule: this.#schedule,
      projects: ofProjects,
      report,
    };
    this.#fastPath = new FastPath({
      ...pageDeps,
      onShown: ({ put, same, contents }) => {
        for (const item of put) this.#hints.knownOtherwise(sourceOf(item));
        this.#poller.askForNames(put);
        this.#side.queue.follow([...put, ...same], contents);
      },
    });
    this.#sweep = new Sweep({
      sources: this.#sources,
      deletionChecks: this.#deletionChecks,
      initial: this.#initial,
      pages: new SubtaskPages({
        ...pageDeps,
        turns,
        onTaken: (items) => this.#poller.askForNames(items),
      }),
      gate: deps.upstream.gate,
      clock: deps.clock,
      poll: (name, signal) => this.#poll(name, signal),
      work: (work) => this.#work(work),
    });
    this.#side = new SideReader({
      ...deps,
      options: deps.side ?? { comments: false, history: false, files: false },
      projects: () =>
        this.#sources
          .ofKind("events")
          .flatMap(({ source }) => (source.kind === "events" ? [source.projectId] : [])),
      foldersOf: (project) => configuredFolders(deps.scope, project),
      turn: (signal) => this.#sideTurn(signal),
      report,
    });
  }

  get ready(): boolean {
    return this.#ready;
  }

  get whole(): boolean {
    return this.#ready || this.#wasWhole;
  }

  get goesOn(): boolean {
    const { requests, per } = this.#deps.quota;
    const rate = requests / per.total("seconds");
    return this.#wasWhole && isLongSweep(this.#sources.tally.all, rate);
  }

  get caughtUp(): boolean {
    return this.#caughtUp;
  }

  hasRead(project: ProjectId | null): boolean {
    return project === null ? this.#initial.hasReadAll : this.#initial.hasRead(project);
  }

  hasReadSinceRestore(project: ProjectId | null): boolean {
    if (!this.#deps.store.rounds.isReconciling()) return true;
    return project !== null && this.#sources.isTold(project);
  }

  get settled(): boolean {
    return this.#deletionChecks.settled;
  }

  get fastPath(): FastPathState {
    return this.#fastPath.state;
  }

  rereadAll(): () => boolean {
    const isRead = this.#sources.rereadAll();
    this.#schedule.rereadAll();
    this.#fastPath.rereadAll();
    this.#wake.notify();
    return () => isRead() && this.settled;
  }

  recover(): void {
    this.#sources.recover();
    this.#wake.notify();
  }

  noteReading(project: ProjectId): void {
    this.#schedule.noteReading(project);
  }

  hurry(sourceName: string): void {
    this.#schedule.noteEdit(sourceName);
    this.#hints.knownOtherwise(sourceName);
    this.#sources.hurry(sourceName);
    this.#wake.notify();
  }

  outlook(): Forecast {
    const { share, maxAge } = this.#deps;
    return outlookOf({ sources: this.#polled(), pace: this.#pace(), share, maxAge });
  }

  hint(sourceName: string, changes: number): void {
    this.#schedule.hint(sourceName, changes);
    this.#wake.notify();
  }

  /** One after the other: what another one has read already may have changed since. */
  sweep(options: SweepOptions): Promise<SweepSummary> {
    const swept = this.#lastSweep.then(() => this.#sweepOnce(options));
    this.#lastSweep = swept.catch(() => undefined);
    return swept;
  }

  async #sweepOnce(options: SweepOptions): Promise<SweepSummary> {
    const { upstream } = this.#deps;
    const { signal } = options;
    const sentBefore = upstream.gate.state().sent;
    const counts = new SweepCounts();
    this.#sweeps.add(counts);
    try {
      this.#applyConfiguration();
      this.#beginRound();
      await this.#followEarlier(signal);
      await this.#sweep.run(options);
      const { braked } = this.#deletionChecks.settle();
      this.#sources.save();
      this.#updateReady();
      if (!signal.aborted) this.#sources.endRound();
      return counts.summary({
        held: braked,
        requests: upstream.gate.state().sent - sentBefore,
        isPolled: (source) => this.#sources.get(source) !== null,
      });
    } finally {
      this.#sweeps.delete(counts);
    }
  }

  async readSide({
    signal,
    most,
  }: {
    readonly signal: AbortSignal;
    readonly most: number;
  }): Promise<number> {
    for (let read = 0; ; read += 1) {
      const job = signal.aborted || read >= most ? null : this.#side.next(signal);
      if (!job) return read;
      await job();
    }
  }

  async run(signal: AbortSignal): Promise<void> {
    this.#applyConfiguration();
    const isFirst = !this.#hasBegun;
    if (isFirst) {
      this.#beginRound();
      if (this.goesOn) this.#goOn();
    } else if (!this.#ready) this.#sources.resumeRound();
    // A sweep that ran into a fault has left its round open.
    else this.#sources.endRound();
    this.#spread();
    this.#isRunning = true;
    try {
      if (isFirst) await this.#followEarlier(signal);
      while (!signal.aborted) {
        const next = (room: number) => this.#nextInRun(signal, this.#limit() - room);
        await this.#work({ signal, next, rest: () => this.#restMs() });
        await this.#wake.wait(this.#restMs(), signal);
      }
    } finally {
      this.#isRunning = false;
      this.#keepBeliefs(true);
    }
  }

  /** Puts into the store what the configuration alone says, once. */
  #applyConfiguration(): void {
    if (this.#isConfigured) return;
    this.#isConfigured = true;
    const { store, scope } = this.#deps;
    store.together(() => applyScope(store, scope));
    this.#poller.updateScope();
    this.#initial.noteAll();
  }

  #beginRound(): void {
    this.#hasBegun = true;
    this.#sources.beginRound(this.#deps.maxAge);
  }

  /** What an earlier process has read in this round was not yet followed by its side sources. */
  async #followEarlier(signal: AbortSignal): Promise<void> {
    const { store } = this.#deps;
    for (const entry of this.#sources.ofKind("tasks")) {
      if (!this.#sources.isDone(entry)) continue;
      for (const rows of store.mirror.inParts(entry.name)) {
        if (signal.aborted) return;
        this.#side.queue.follow(rows.map(({ item }) => item));
        await this.#turns.share();
      }
    }
  }

  #goOn(): void {
    this.#isResumed = true;
    this.#isTried = true;
    this.#sources.resume(this.#deps.maxAge);
    this.#schedule.resume();
    this.#updateReady();
  }

  /**
   * The next thing to ask for, chosen as late as can be: once each source was tried, only when nothing else waits to be
   * sent. DeletionChecks take no more than every second place, and side sources, which wait until all items have been read once,
   * one of `pollsPerSide` and one. `underWay`: how many things were asked for and are not answered.
   */
  #nextInRun(signal: AbortSignal, underWay: number): readonly Job[] {
    if (this.#isTried && !this.#hasPlace(signal)) return [];
    const question = this.#wasQuestion ? null : this.#question(signal);
    this.#wasQuestion = question !== null;
    const job =
      question ??
      this.#sideInTurn(signal) ??
      this.#nextPoll(signal, underWay) ??
      this.#question(signal) ??
      this.#sideRead(signal);
    if (job) this.#placeIsFree = false;
    return job ? [job] : [];
  }

  /** Whether what is chosen now would leave at once; otherwise the loop is woken when it would. */
  #hasPlace(signal: AbortSignal): boolean {
    if (this.#placeIsFree || this.#awaitsPlace) return this.#placeIsFree;
    this.#awaitsPlace = true;
    void this.#deps.upstream.gate.whenReadFits(signal).then(() => {
      this.#awaitsPlace = false;
      this.#placeIsFree = true;
      this.#wake.notify();
    });
    return false;
  }

  #question(signal: AbortSignal): Job | null {
    const [key] = this.#deletionChecks.next(1, null);
    if (key === undefined) return null;
    return async () => {
      await this.#deletionChecks.ask(key, signal);
      this.#settle();
    };
  }

  #sideInTurn(signal: AbortSignal): Job | null {
    return this.#pollsSinceSide < pollsPerSide ? null : this.#sideRead(signal);
  }

  #sideRead(signal: AbortSignal): Job | null {
    const job = this.#goOnAside ?? (this.#ready ? this.#side.next(signal) : null);
    this.#goOnAside = null;
    if (job) this.#pollsSinceSide = 0;
    return job;
  }

  /** Outside of `run` nobody else wants the places. */
  #sideTurn(signal: AbortSignal): Promise<void> {
    if (!this.#isRunning || signal.aborted) return Promise.resolve();
    const { promise, resolve } = Promise.withResolvers<void>();
    const go = (): void => {
      signal.removeEventListener("abort", go);
      resolve();
    };
    signal.addEventListener("abort", go);
    this.#goOnAside = () => {
      go();
      return promise;
    };
    this.#wake.notify();
    return promise;
  }

  /** Until each source was tried many are under way, but what was read is not read again by many: that would keep the others waiting. */
  #nextPoll(signal: AbortSignal, underWay: number): Job | null {
    const poll = this.#schedule.next({ isFirstOnly: !this.#isTried && underWay >= steadyPolls });
    this.#nextPollAt = poll.kind === "wait" ? poll.until : null;
    if (poll.kind === "wait") return null;
    this.#pollsSinceSide += 1;
    return async () => {
      if (poll.kind === "source") await this.#poll(poll.name, signal);
      else await poll.run(signal);
      if (this.#caughtUp || this.#isResumed) this.#fastPath.step();
      this.#settle();
    };
  }

  /** Requests per second that reading may use at present: less than configured after 429s. */
  #pace(): number {
    const { quota, share, upstream } = this.#deps;
    const state = upstream.gate.state();
    // After 429s the gate allows itself less for a while.
    const part = (share * state.share) / state.quota;
    return (part * quota.requests) / quota.per.total("seconds");
  }

  async #poll(name: string, signal: AbortSignal): Promise<void> {
    const source = this.#sources.get(name)?.source;
    await this.#poller.poll(name, signal);
    this.#deletionChecks.polled(name);
    if (source) this.#initial.note(source);
    this.#updateReady();
    if (source && isLookUp(source.kind)) this.#tellCeiling();
    this.#keepBeliefs(false);
  }

  /** How many requests it takes to see all that may have changed. */
  #polled(): number {
    const { tally } = this.#sources;
    const state = this.#fastPath.state;
    if (state.kind !== "used") return tally.all;
    const { pages } = state;
    return tally.all - this.#sources.countOf("tasks") - this.#sources.countOf("subtasks") + pages;
  }

  /** Until all was read it is not known how much there is. */
  #tellCeiling(): void {
    if (!this.#isTried) return;
    const outlook = this.outlook();
    if (outlook.isMet === this.#meetsCeiling) return;
    this.#meetsCeiling = outlook.isMet;
    this.#report({ kind: "ceiling", ...outlook });
  }

  /**
   * Learns from a reading what its source was told to be, and hints at what it tells of others. A change of another source that it
   * tells of counts as one of its own: it is worth the same to see.
   */
  #follow(source: string, { at, changes, told }: PollResult & Pick<ReadItems, "told">): void {
    if (this.#hints.read(source, { at, changes })) this.#lessons += 1;
    const { changed, unchanged } =
      told === null ? this.#hints.silent(source, at) : this.#hints.told(source, { at, rows: told });
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

  /** What was learned may be lost; what is read may not be. */
  #keepBeliefs(isLast: boolean): void {
    try {
      this.#schedule.save({ isLast });
      if (this.#lessons < (isLast ? 1 : lessonsPerSave)) return;
      this.#deps.store.beliefs.putSigns(this.#trust.text());
      this.#lessons = 0;
    } catch (error) {
      this.#report({ kind: "fault", source: "beliefs", error });
    }
  }

  #updateReady(): void {
    if (this.#caughtUp && this.#ready) return;
    const { all, current, read, tried, told, shown } = this.#sources.tally;
    // Where nothing at all can be read, as under a wrong key, everything is refused and nothing is ready.
    this.#caughtUp ||= current === all && read > 0;
    if (!this.#isTried && tried === all) {
      this.#isTried = true;
      this.#spread();
      this.#tellCeiling();
    }
    if (this.#ready) return;
    this.#ready = told === all && shown > 0;
    if (this.#ready) this.#deps.store.rounds.reconciled();
    if (this.#ready && this.#sweeps.size === 0) this.#sources.endRound();
  }

  /** Says how requests are to be spread: a sweep ends soon, afterwards bursts would find changes later. */
  #spread(): void {
    const { all, tried } = this.#sources.tally;
    const isSteady = this.#isTried && this.#sweeps.size === 0;
    this.#deps.upstream.gate.setPace(
      isSteady ? { kind: "steady" } : { kind: "sweep", reads: all - tried },
    );
  }

  /** Buries what is settled; the sources that have to be read before more can be are hurried. */
  #settle(): void {
    for (const name of this.#deletionChecks.settleNews().read) {
      if (!this.#sources.get(name)?.underWay) this.#sources.hurry(name);
    }
  }

  #work(work: Pick<WorkerPoolOptions, "next" | "signal" | "rest">): Promise<void> {
    const turns = this.#turns;
    return workInParallel({ ...work, turns, limit: () => this.#limit(), wake: this.#wake });
  }

  #limit(): number {
    return this.#isTried ? steadyPolls : Math.max(2, this.#deps.upstream.gate.state().quota);
  }

  /** Milliseconds until something may be asked for, with a ceiling: questions and brakes change without a notification. */
  #restMs(): number {
    if (!this.#nextPollAt) return longestRestMs;
    const ms = this.#nextPollAt.epochMilliseconds - this.#deps.clock().epochMilliseconds;
    return Math.min(longestRestMs, Math.max(shortestRestMs, ms));
  }

  #report(event: SyncEvent): void {
    for (const counts of this.#sweeps) counts.note(event);
    const quiet =
      event.kind === "polled" && event.changes.length + event.missing + event.heldBack === 0;
    if (!quiet) this.#deps.onEvent(event);
  }
}

export type { SweepProgress, SweepSummary, SyncEvent } from "./event.ts";
export type { MirrorScope as Scope } from "./sources-in-scope.ts";
