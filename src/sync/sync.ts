import { createEventLoopBudget, type EventLoopBudget } from "@dayferry/event-loop";
import type { ProjectId } from "../domain/ids.ts";
import { isLookUp, sourceOf } from "../domain/source.ts";
import { createWake } from "../loop.ts";
import { AppliedPages } from "./all-tasks.ts";
import { RequestChooser, steadyPolls } from "./choose-request.ts";
import { DeletionChecks } from "./deletion-checks.ts";
import { applyScope } from "./directory-sync.ts";
import { SweepCounts, type SweepSummary, type SyncEvent } from "./event.ts";
import { FastPath, type FastPathState } from "./fast-path.ts";
import { type Forecast, forecastOf } from "./forecast.ts";
import { HintFollower } from "./hints.ts";
import { InitialSync, Readiness } from "./initial-sync.ts";
import { PollSchedule } from "./poll-schedule.ts";
import type { PolledSource } from "./polled-source.ts";
import { type PollEnding, Poller } from "./poller.ts";
import type { SideOptions } from "./side-queue.ts";
import { SideReader } from "./side-reader.ts";
import { SourceList } from "./source-list.ts";
import { SubtaskPages } from "./subtask-pages.ts";
import { Sweep, type SweepOptions } from "./sweep.ts";
import type { SyncContext } from "./sync-context.ts";
import { type WorkerPoolOptions, workInParallel } from "./worker-pool.ts";

interface SyncDeps
  extends Pick<SyncContext, "store" | "upstream" | "scope" | "clock" | "maxAge" | "reader"> {
  /** The service's quota, and the share of it for reading. */
  readonly quota: { readonly requests: number; readonly per: Temporal.Duration };
  readonly share: number;
  /** Which side sources are mirrored, after the items; none by default. */
  readonly side?: SideOptions;
  readonly onEvent: (event: SyncEvent) => void;
  /** Called after each reading of a list, even if nothing is new. */
  readonly onPolled?: (poll: PollEnding) => void;
  /** Shares the main thread; its own share by default. */
  readonly eventLoop?: EventLoopBudget;
}

/** Keeps the mirror up to date with the service, within the rate limit. */
export class Sync {
  readonly #deps: SyncDeps;
  readonly #context: SyncContext;
  readonly #sources: SourceList;
  readonly #deletionChecks: DeletionChecks;
  readonly #initial: InitialSync;
  readonly #schedule: PollSchedule;
  readonly #poller: Poller;
  readonly #fastPath: FastPath;
  readonly #hints: HintFollower;
  readonly #side: SideReader;
  readonly #sweep: Sweep;
  readonly #readiness: Readiness;
  readonly #requests: RequestChooser;
  readonly #wake = createWake();
  readonly #sweeps = new Set<SweepCounts>();
  #isConfigured = false;
  /** True if this process has started or continued a round. */
  #hasBegun = false;
  #lastSweep: Promise<unknown> = Promise.resolve();
  #meetsCeiling = true;

  constructor(deps: SyncDeps) {
    const { store, upstream, clock } = deps;
    const sources = new SourceList(store, clock);
    const context = {
      ...deps,
      sources,
      eventLoop: deps.eventLoop ?? createEventLoopBudget(),
      pace: () => this.#pace(),
      report: (event: SyncEvent) => this.#report(event),
    };
    this.#deps = deps;
    this.#context = context;
    this.#sources = sources;
    this.#deletionChecks = new DeletionChecks(context);
    this.#initial = new InitialSync(store, sources);
    const isAnswered = ({ everRead, refusedIn }: PolledSource) => everRead || refusedIn !== null;
    this.#readiness = new Readiness({
      sources,
      wasWhole: this.#initial.hasReadAll && sources.all().every(isAnswered),
      onTried: () => {
        this.#spread();
        this.#reportCeiling();
      },
      onReady: () => {
        store.rounds.reconciled();
        if (this.#sweeps.size === 0) sources.endRound();
      },
    });
    this.#schedule = new PollSchedule({ ...context, clockLead: () => upstream.clockLead() });
    this.#hints = new HintFollower(context, this.#schedule);
    this.#poller = new Poller({
      ...context,
      deletionChecks: this.#deletionChecks,
      onTasks: (items, contents) => this.#side.queue.follow(items, contents),
      onRead: (source, { put, shown, ...revealed }) => {
        this.#schedule.noteDates(source, { put, shown });
        this.#fastPath.noteRead(source, { at: revealed.at, put });
        this.#hints.read(source, revealed);
      },
    });
    const pageDeps = { ...context, applied: new AppliedPages(context), schedule: this.#schedule };
    this.#fastPath = new FastPath({
      ...pageDeps,
      onShown: ({ put, same, contents }) => {
        for (const item of put) this.#hints.knownOtherwise(sourceOf(item));
        this.#poller.askForNames(put);
        this.#side.queue.follow([...put, ...same], contents);
      },
    });
    this.#sweep = new Sweep({
      ...context,
      deletionChecks: this.#deletionChecks,
      initial: this.#initial,
      pages: new SubtaskPages({
        ...pageDeps,
        onTaken: (items) => this.#poller.askForNames(items),
      }),
      poll: (name, signal) => this.#poll(name, signal),
      work: (work) => this.#work(work),
    });
    this.#side = new SideReader({
      ...context,
      options: deps.side ?? { comments: false, history: false, files: false },
      turn: (signal) => this.#requests.sideTurn(signal),
    });
    this.#requests = new RequestChooser({
      ...context,
      schedule: this.#schedule,
      deletionChecks: this.#deletionChecks,
      side: this.#side,
      readiness: this.#readiness,
      wake: this.#wake,
      poll: (name, signal) => this.#poll(name, signal),
      onDone: (what) => {
        const { caughtUp, isResumed } = this.#readiness;
        if (what === "poll" && (caughtUp || isResumed)) this.#fastPath.step();
        this.#settle();
      },
    });
  }

  /**
   * True if a full sweep is done: every source was read or refused since this process started or in the sweep that it
   * continued.
   */
  get ready(): boolean {
    return this.#readiness.ready;
  }

  /** True if everything is served: a full sweep is done, or was done before this process started. */
  get whole(): boolean {
    return this.#readiness.whole;
  }

  /**
   * True if a start needs no sweep: an earlier process has read everything, and rereading would take long. Then `run` begins
   * with what has probably changed, besides whatever is older than `maxAge`.
   */
  get goesOn(): boolean {
    const { requests, per } = this.#deps.quota;
    return this.#readiness.goesOn(requests / per.total("seconds"));
  }

  /**
   * True if every source has been read or refused by this process, or, if it `goesOn`, by the previous one within `maxAge`
   * before the start.
   */
  get caughtUp(): boolean {
    return this.#readiness.caughtUp;
  }

  /**
   * True if all lists of a project were read at least once, now or by an earlier process, so that its data is complete. Null:
   * whether that was so for all projects at some time, so that what is unknown since then is new.
   */
  hasRead(project: ProjectId | null): boolean {
    return project === null ? this.#initial.hasReadAll : this.#initial.hasRead(project);
  }

  /**
   * Like `hasRead`, since a backup was restored, as changes after the backup are unknown before that. True if none was
   * restored, and once everything has been read.
   */
  hasReadSinceRestore(project: ProjectId | null): boolean {
    if (!this.#deps.store.rounds.isReconciling()) return true;
    return project !== null && this.#sources.isAnswered(project);
  }

  /** True if each missing item has been looked up, except those that wait for a person, or that could not be requested. */
  get settled(): boolean {
    return this.#deletionChecks.settled;
  }

  /** State of the account-wide list of tasks. */
  get fastPath(): FastPathState {
    return this.#fastPath.state;
  }

  /**
   * Polls all sources again, including resting ones. Returns a function that tells whether requests made since have read
   * everything, and all is settled.
   */
  rereadAll(): () => boolean {
    const isRead = this.#sources.rereadAll();
    this.#schedule.rereadAll();
    this.#fastPath.rereadAll();
    this.#wake.notify();
    return () => isRead() && this.settled;
  }

  /** Ends the rest of failed sources, as the cause of the failures is over. */
  recover(): void {
    this.#sources.recover();
    this.#wake.notify();
  }

  /** Records that somebody requested a project's feed or calendar: its lists are polled more often for a while. */
  noteReading(project: ProjectId): void {
    this.#schedule.noteReading(project);
  }

  /** Polls a source soon: an edit was just applied there, or something unknown turned up. Unknown names are ignored. */
  hurry(sourceName: string): void {
    this.#schedule.noteEdit(sourceName);
    this.#hints.knownOtherwise(sourceName);
    this.#sources.hurry(sourceName);
    this.#wake.notify();
  }

  /** A source probably has this many unseen changes; less urgent than `hurry`. */
  hint(sourceName: string, changes: number): void {
    this.#schedule.hint(sourceName, changes);
    this.#wake.notify();
  }

  /** How old shown data gets with the present lists at the present rate. */
  forecast(): Forecast {
    const { share, maxAge } = this.#deps;
    return forecastOf({ sources: this.#polled(), pace: this.#pace(), share, maxAge });
  }

  /**
   * A full sweep: every source once, in the best order; resolves when all are read or have failed. One that was recently
   * interrupted continues with what it had not read yet. Sweeps run one after the other, as what another has read may have
   * changed since.
   */
  sweep(options: SweepOptions): Promise<SweepSummary> {
    const swept = this.#lastSweep.then(() => this.#sweepOnce(options));
    this.#lastSweep = swept.catch(() => undefined);
    return swept;
  }

  /**
   * Reads comments, history, folders and files that may have changed, one after the other, at most `most` lists. Returns how
   * many it read; `run` does so by itself.
   */
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

  /**
   * Polls forever, each time the source whose unseen changes have probably waited longest. Runs a first sync if there was
   * none, unless `goesOn`; resolves when aborted.
   */
  async run(signal: AbortSignal): Promise<void> {
    this.#applyConfiguration();
    const isFirst = !this.#hasBegun;
    if (isFirst) {
      this.#beginRound();
      if (this.goesOn) this.#goOn();
    } else if (!this.ready) this.#sources.resumeRound();
    // A sweep with an unexpected error leaves its round open.
    else this.#sources.endRound();
    this.#spread();
    const requests = this.#requests;
    requests.setRunning(true);
    try {
      if (isFirst) await this.#followEarlier(signal);
      while (!signal.aborted) {
        const next = (room: number) => requests.next(signal, this.#limit() - room);
        await this.#work({ signal, next, rest: () => requests.restMs() });
        await this.#wake.wait(requests.restMs(), signal);
      }
    } finally {
      requests.setRunning(false);
      this.#keepBeliefs(true);
    }
  }

  async #sweepOnce(options: SweepOptions): Promise<SweepSummary> {
    const { gate } = this.#deps.upstream;
    const { signal } = options;
    const sentBefore = gate.state().sent;
    const counts = new SweepCounts();
    this.#sweeps.add(counts);
    try {
      this.#applyConfiguration();
      this.#beginRound();
      await this.#followEarlier(signal);
      await this.#sweep.run(options);
      const { braked } = this.#deletionChecks.settle();
      this.#sources.save();
      this.#readiness.update();
      if (!signal.aborted) this.#sources.endRound();
      return counts.summary({
        held: braked,
        requests: gate.state().sent - sentBefore,
        isPolled: (source) => this.#sources.get(source) !== null,
      });
    } finally {
      this.#sweeps.delete(counts);
    }
  }

  /** Stores configured projects, lists and people, once. */
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

  #goOn(): void {
    this.#readiness.resume();
    this.#sources.resume(this.#deps.maxAge);
    this.#schedule.resume();
    this.#readiness.update();
  }

  /** Side sources of what an earlier process has read in this round were not queued yet. */
  async #followEarlier(signal: AbortSignal): Promise<void> {
    const { store, eventLoop } = this.#context;
    for (const entry of this.#sources.ofKind("tasks")) {
      if (!this.#sources.isDone(entry)) continue;
      for (const rows of store.mirror.inParts(entry.name)) {
        if (signal.aborted) return;
        this.#side.queue.follow(rows.map(({ item }) => item));
        await eventLoop.share();
      }
    }
  }

  async #poll(name: string, signal: AbortSignal): Promise<void> {
    const source = this.#sources.get(name)?.source;
    await this.#poller.poll(name, signal);
    this.#deletionChecks.polled(name);
    if (source) this.#initial.note(source);
    this.#readiness.update();
    if (source && isLookUp(source.kind)) this.#reportCeiling();
    this.#keepBeliefs(false);
  }

  /** Buries confirmed items, and hurries sources that must be read before more can be. */
  #settle(): void {
    for (const name of this.#deletionChecks.settleNews().read) {
      if (!this.#sources.get(name)?.underWay) this.#sources.hurry(name);
    }
  }

  /** An error must not end the sync, as what was learned may be lost. */
  #keepBeliefs(isLast: boolean): void {
    try {
      this.#hints.save({ isLast });
    } catch (error) {
      this.#report({ kind: "fault", source: "beliefs", error });
    }
  }

  /** Requests per second for reading. After 429s the rate limiter allows less for a while. */
  #pace(): number {
    const { quota, share, upstream } = this.#deps;
    const state = upstream.gate.state();
    const part = (share * state.share) / state.quota;
    return (part * quota.requests) / quota.per.total("seconds");
  }

  /** Sets how requests are spread: a sweep ends soon; afterwards bursts would find changes later. */
  #spread(): void {
    const { all, tried } = this.#sources.tally;
    const isSteady = this.#readiness.isTried && this.#sweeps.size === 0;
    this.#deps.upstream.gate.setPace(
      isSteady ? { kind: "steady" } : { kind: "sweep", reads: all - tried },
    );
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
    if (!this.#readiness.isTried) return;
    const forecast = this.forecast();
    if (forecast.isMet === this.#meetsCeiling) return;
    this.#meetsCeiling = forecast.isMet;
    this.#report({ kind: "ceiling", ...forecast });
  }

  #work(work: Pick<WorkerPoolOptions, "next" | "signal" | "rest">): Promise<void> {
    const { eventLoop } = this.#context;
    return workInParallel({ ...work, eventLoop, limit: () => this.#limit(), wake: this.#wake });
  }

  #limit(): number {
    const { isTried } = this.#readiness;
    return isTried ? steadyPolls : Math.max(2, this.#deps.upstream.gate.state().quota);
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
