import { createEventLoopBudget, type EventLoopBudget } from "@dayferry/event-loop";
import type { ProjectId } from "../domain/ids.ts";
import { sourceOf } from "../domain/source.ts";
import { createWake } from "../loop.ts";
import type { Store } from "../store/store.ts";
import type { Upstream } from "../upstream/client.ts";
import { AppliedPages } from "./applied-pages.ts";
import { DeletionChecks } from "./deletion-checks.ts";
import { applyScope } from "./directory-sync.ts";
import { SweepCounts, type SweepSummary, type SyncEvent } from "./event.ts";
import { FastPath, type FastPathState } from "./fast-path.ts";
import { type Forecast, forecastOf } from "./forecast.ts";
import { Hints } from "./hints.ts";
import { InitialSync } from "./initial-sync.ts";
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
  /** Maximum age of shown data; look-ups are polled three times as often if they are few. */
  readonly maxAge: Temporal.Duration;
  /** The service's quota, and the share of it for reading. */
  readonly quota: { readonly requests: number; readonly per: Temporal.Duration };
  readonly share: number;
  /** Which side sources are mirrored, after the items; none by default. */
  readonly side?: SideOptions;
  readonly onEvent: (event: SyncEvent) => void;
  /** Called after each reading of a list, even if nothing is new. */
  readonly onPolled?: (poll: PollEnding) => void;
  /**
   * Identifies the code and settings that parse octets. A later start with the same value does not parse again what this one
   * has read, if unchanged; without it, each start parses everything.
   */
  readonly reader?: string | undefined;
  /** Shares the main thread; its own share by default. */
  readonly eventLoop?: EventLoopBudget;
}

/** Keeps the mirror up to date with the service, within the rate limit. */
export interface Sync {
  /**
   * A full sweep: every source once, in the best order; resolves when all are read or have failed. One that was recently
   * interrupted continues with what it had not read yet.
   */
  sweep(options: SweepOptions): Promise<SweepSummary>;
  /**
   * Polls forever, each time the source whose unseen changes have probably waited longest. Runs a first sync if there was
   * none, unless `goesOn`; resolves when aborted.
   */
  run(signal: AbortSignal): Promise<void>;
  /**
   * Reads comments, history, folders and files that may have changed, one after the other, at most `most` lists. Returns how
   * many it read; `run` does so by itself.
   */
  readSide(options: { readonly signal: AbortSignal; readonly most: number }): Promise<number>;
  /**
   * True if a full sweep is done: every source was read or refused since this process started or in the sweep that it
   * continued.
   */
  readonly ready: boolean;
  /** True if everything is served: a full sweep is done, or was done before this process started. */
  readonly whole: boolean;
  /**
   * True if a start needs no sweep: an earlier process has read everything, and rereading would take long. Then `run` begins
   * with what has probably changed, besides whatever is older than `maxAge`.
   */
  readonly goesOn: boolean;
  /**
   * True if every source has been read or refused by this process, or, if it `goesOn`, by the previous one within `maxAge`
   * before the start.
   */
  readonly caughtUp: boolean;
  /**
   * True if all lists of a project were read at least once, now or by an earlier process, so that its data is complete. Null:
   * whether that was so for all projects at some time, so that what is unknown since then is new.
   */
  hasRead(project: ProjectId | null): boolean;
  /**
   * The same since a backup was restored: what came after the backup is not known before. True if none was restored, and once
   * everything has been read.
   */
  hasReadSinceRestore(project: ProjectId | null): boolean;
  /** True if each missing item has been looked up, except those that wait for a person, or that nobody answers for. */
  readonly settled: boolean;
  /** State of the account-wide list of tasks. */
  readonly fastPath: FastPathState;
  /**
   * Polls all sources again, including resting ones. Returns a function that tells whether requests made since have read
   * everything, and all is settled.
   */
  rereadAll(): () => boolean;
  /** Ends the rest of failed sources, as the cause of the failures is over. */
  recover(): void;
  /** Polls a source soon: an edit was just applied there, or something unknown turned up. Unknown names are ignored. */
  hurry(sourceName: string): void;
  /** Records that somebody requested a project's feed or calendar: its lists are polled more often for a while. */
  noteReading(project: ProjectId): void;
  /** How old shown data must get with the present lists at the present rate. */
  forecast(): Forecast;
  /** A source probably has this many unseen changes; less urgent than `hurry`. */
  hint(sourceName: string, changes: number): void;
}

/** Concurrent polls after the first burst: enough for the rate limit with answers that take two seconds. */
const steadyPolls = 6;
/** A side source is read after this many other polls. */
const pollsPerSide = 5;
/** What hints are worth is stored after this many outcomes. */
const lessonsPerSave = 20;
/** An announced change with at least this probability counts as seen. */
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
  /** True if this process has started or continued a round. */
  #hasBegun = false;
  #ready = false;
  /** True if an earlier process had read each source at least once. */
  readonly #wasWhole: boolean;
  #caughtUp = false;
  /** True if every source has been tried once, or need not be as an earlier process has read it. */
  #isTried = false;
  /** True if this process has continued without a sweep of its own. */
  #isResumed = false;
  #placeIsFree = false;
  #awaitsPlace = false;
  #wasQuestion = false;
  #pollsSinceSide = 0;
  #isRunning = false;
  #lastSweep: Promise<unknown> = Promise.resolve();
  #meetsCeiling = true;
  /** Lets the running side reading send its next request; null if it does not wait. */
  #goOnAside: Job | null = null;
  /** Readings with new outcomes since they were last stored. */
  #lessons = 0;
  /** When the next poll may be worthwhile; null if unknown. */
  #nextPollAt: Temporal.Instant | null = null;
  readonly #eventLoop: EventLoopBudget;

  constructor(deps: SyncDeps) {
    const report = (event: SyncEvent) => this.#report(event);
    this.#deps = deps;
    this.#sources = new SourceList(deps.store, deps.clock);
    this.#deletionChecks = new DeletionChecks({ ...deps, sources: this.#sources, report });
    this.#initial = new InitialSync(deps.store, this.#sources);
    const isAnswered = ({ everRead, refusedIn }: PolledSource) => everRead || refusedIn !== null;
    this.#wasWhole = this.#initial.hasReadAll && this.#sources.all().every(isAnswered);
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
    const eventLoop = deps.eventLoop ?? createEventLoopBudget();
    this.#eventLoop = eventLoop;
    this.#poller = new Poller({
      ...deps,
      eventLoop,
      pace: () => this.#pace(),
      sources: this.#sources,
      deletionChecks: this.#deletionChecks,
      report,
      onTasks: (items, contents) => this.#side.queue.follow(items, contents),
      onRead: (source, { hintRows, put, shown, ...revealed }) => {
        this.#schedule.noteDates(source, { put, shown });
        this.#fastPath.noteRead(source, { at: revealed.at, put });
        this.#follow(source, { ...revealed, hintRows });
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
        eventLoop,
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
    return project !== null && this.#sources.isAnswered(project);
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

  forecast(): Forecast {
    const { share, maxAge } = this.#deps;
    return forecastOf({ sources: this.#polled(), pace: this.#pace(), share, maxAge });
  }

  hint(sourceName: string, changes: number): void {
    this.#schedule.hint(sourceName, changes);
    this.#wake.notify();
  }

  /** One after the other, as what another sweep has read may have changed since. */
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
    // A sweep with an unexpected error leaves its round open.
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

  /** Stores what the configuration alone says, once. */
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

  /** Side sources of what an earlier process has read in this round were not queued yet. */
  async #followEarlier(signal: AbortSignal): Promise<void> {
    const { store } = this.#deps;
    for (const entry of this.#sources.ofKind("tasks")) {
      if (!this.#sources.isDone(entry)) continue;
      for (const rows of store.mirror.inParts(entry.name)) {
        if (signal.aborted) return;
        this.#side.queue.follow(rows.map(({ item }) => item));
        await this.#eventLoop.share();
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
   * The next request, chosen as late as possible: once each source was tried, only when nothing else waits to be sent. Deletion
   * checks take at most every second place. Side sources wait until all items were read once, and take one of `pollsPerSide` +
   * 1. `underWay`: number of requests without an answer.
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

  /** True if a request chosen now would be sent at once; otherwise the loop is woken when it would. */
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

  /** Outside of `run`, nobody else needs the places. */
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

  /**
   * Until each source was tried, many polls run at once, but only a few of sources read already, which would delay the others.
   */
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

  /** Requests per second for reading: fewer than configured after 429s. */
  #pace(): number {
    const { quota, share, upstream } = this.#deps;
    const state = upstream.gate.state();
    // After 429s the rate limiter allows less for a while.
    const part = (share * state.share) / state.quota;
    return (part * quota.requests) / quota.per.total("seconds");
  }

  async #poll(name: string, signal: AbortSignal): Promise<void> {
    const source = this.#sources.get(name)?.source;
    await this.#poller.poll(name, signal);
    this.#deletionChecks.polled(name);
    if (source) this.#initial.note(source);
    this.#updateReady();
    if (source && isLookUp(source.kind)) this.#reportCeiling();
    this.#keepBeliefs(false);
  }

  /** How many requests it takes to see all possible changes. */
  #polled(): number {
    const { tally } = this.#sources;
    const state = this.#fastPath.state;
    if (state.kind !== "used") return tally.all;
    const { pages } = state;
    return tally.all - this.#sources.countOf("tasks") - this.#sources.countOf("subtasks") + pages;
  }

  /** Until everything was read, the amount is unknown. */
  #reportCeiling(): void {
    if (!this.#isTried) return;
    const forecast = this.forecast();
    if (forecast.isMet === this.#meetsCeiling) return;
    this.#meetsCeiling = forecast.isMet;
    this.#report({ kind: "ceiling", ...forecast });
  }

  /**
   * Learns from a reading whether hints about its source were right, and hints at changes of others. An announced change of
   * another source counts as one of its own, as it is worth the same.
   */
  #follow(
    source: string,
    { at, changes, hintRows }: PollResult & Pick<ReadItems, "hintRows">,
  ): void {
    if (this.#hints.read(source, { at, changes })) this.#lessons += 1;
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

  /** What was learned may be lost; what was read may not. */
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
    const { all, current, read, tried, answered, shown } = this.#sources.tally;
    // If nothing at all can be read, as with a wrong key, everything is refused and nothing is ready.
    this.#caughtUp ||= current === all && read > 0;
    if (!this.#isTried && tried === all) {
      this.#isTried = true;
      this.#spread();
      this.#reportCeiling();
    }
    if (this.#ready) return;
    this.#ready = answered === all && shown > 0;
    if (this.#ready) this.#deps.store.rounds.reconciled();
    if (this.#ready && this.#sweeps.size === 0) this.#sources.endRound();
  }

  /** Sets how requests are spread: a sweep ends soon; afterwards bursts would find changes later. */
  #spread(): void {
    const { all, tried } = this.#sources.tally;
    const isSteady = this.#isTried && this.#sweeps.size === 0;
    this.#deps.upstream.gate.setPace(
      isSteady ? { kind: "steady" } : { kind: "sweep", reads: all - tried },
    );
  }

  /** Buries confirmed items, and hurries sources that must be read before more can be. */
  #settle(): void {
    for (const name of this.#deletionChecks.settleNews().read) {
      if (!this.#sources.get(name)?.underWay) this.#sources.hurry(name);
    }
  }

  #work(work: Pick<WorkerPoolOptions, "next" | "signal" | "rest">): Promise<void> {
    const eventLoop = this.#eventLoop;
    return workInParallel({ ...work, eventLoop, limit: () => this.#limit(), wake: this.#wake });
  }

  #limit(): number {
    return this.#isTried ? steadyPolls : Math.max(2, this.#deps.upstream.gate.state().quota);
  }

  /** Milliseconds until something may be requested, with a maximum, as questions and brakes change without a notification. */
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
