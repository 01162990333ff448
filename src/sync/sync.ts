import type { ItemKey, ProjectId } from "../domain/ids.ts";
import { sourceOf } from "../domain/source.ts";
import { createWake, type Wake } from "../loop.ts";
import type { Store } from "../store/store.ts";
import type { Upstream } from "../upstream/client.ts";
import { applyScope } from "./directory-sync.ts";
import {
  progressOf,
  SweepCounts,
  type SweepProgress,
  type SweepSummary,
  type SyncEvent,
} from "./event.ts";
import { FastPath, type FastPathState } from "./fast-path.ts";
import { Hints } from "./hints.ts";
import { InitialSync } from "./initial-sync.ts";
import { type Outlook, outlookOf } from "./outlook.ts";
import { PollSchedule, type Revealed } from "./poll-schedule.ts";
import { Poller, type ReadItems } from "./poller.ts";
import { Questions } from "./questions.ts";
import { isLookUp } from "./schedule.ts";
import type { SideOptions } from "./side-queue.ts";
import { SideReader } from "./side-reader.ts";
import { SignTrust } from "./sign-trust.ts";
import { type PolledSource, SourceList } from "./source-list.ts";
import { configuredFolders, type Scope } from "./sources-in-scope.ts";
import { TurnOrder } from "./turn-order.ts";

interface SyncDeps {
  readonly store: Store;
  readonly upstream: Upstream;
  readonly scope: Scope;
  readonly clock: () => Temporal.Instant;
  /** How old what is shown may get; look-ups are asked three times as often where they are few. */
  readonly maxAge: Temporal.Duration;
  /** The service's quota, and which part of it is used for reading. */
  readonly quota: { readonly requests: number; readonly per: Temporal.Duration };
  readonly share: number;
  /** Which side sources are mirrored, after the items; none unless given. */
  readonly side?: SideOptions;
  readonly onEvent: (event: SyncEvent) => void;
}

interface SweepOptions {
  readonly signal: AbortSignal;
  readonly onProgress?: (progress: SweepProgress) => void;
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
   * was none; resolves when aborted.
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
  /** Whether every source has been read, or refused, by this process. */
  readonly readSinceStart: boolean;
  /**
   * Whether the lists of a project have all been read at least once, now or by an earlier process: what is known of it is
   * whole. Null asks whether that was so of all projects at some moment: what is not known since then is new.
   */
  hasRead(project: ProjectId | null): boolean;
  /** Whether each item that its list no longer shows has been asked for; what a person has to decide, or nobody answers for, aside. */
  readonly settled: boolean;
  /** How the account-wide list of tasks stands. */
  readonly fastPath: FastPathState;
  /** Polls all sources again, resting ones too. The returned function tells whether requests made since have read all, and all is settled. */
  rereadAll(): () => boolean;
  /** Ends the rest of failed sources, as the service is back. */
  recover(): void;
  /** Asks for a source soon: an edit was just applied there, or something unknown turned up. Unknown names are passed over. */
  hurry(sourceName: string): void;
  /** Notes that somebody has asked for a project's feed or calendar: its lists are read more often for a while. */
  noteReading(project: ProjectId): void;
  /** How old what is shown has to get with as many lists as there are, at the present pace. */
  outlook(): Outlook;
  /** Tells that a source has probably so many changes that no poll has shown; less pressing than to hurry it. */
  hint(sourceName: string, changes: number): void;
}

/** Polls under way at once after the first burst: enough to keep the gate's pace with answers that take two seconds. */
const steadyPolls = 6;
/** How many times a sweep follows up what it found missing. */
const followUps = 3;
/** After so many other polls a side source is read. */
const pollsPerSide = 5;
/** After so many lessons what signs are worth is kept for the next start. */
const lessonsPerSave = 20;
const longestRestMs = 5_000;
/** How soon a sweep looks again whether it has waited for first answers for long enough. */
const firstAnswerRestMs = 500;
const shortestRestMs = 20;

export function createSync(deps: SyncDeps): Sync {
  return new Syncing(deps);
}

class Syncing implements Sync {
  readonly #deps: SyncDeps;
  readonly #sources: SourceList;
  readonly #questions: Questions;
  readonly #initial: InitialSync;
  readonly #schedule: PollSchedule;
  readonly #poller: Poller;
  readonly #fastPath: FastPath;
  readonly #trust: SignTrust;
  readonly #hints: Hints;
  readonly #side: SideReader;
  readonly #wake = createWake();
  readonly #sweeps = new Set<SweepCounts>();
  #isConfigured = false;
  /** Whether this process has begun a round, or gone on with one. */
  #hasBegun = false;
  #ready = false;
  /** Whether an earlier process had read each source at least once. */
  readonly #wasWhole: boolean;
  #readSinceStart = false;
  /** Whether every source has been tried once. */
  #isTried = false;
  #placeIsFree = false;
  #awaitsPlace = false;
  #wasQuestion = false;
  #pollsSinceSide = 0;
  #isRunning = false;
  #meetsCeiling = true;
  /** Lets the side reading under way send its next request; null while it waits for none. */
  #goOnAside: Job | null = null;
  /** Readings since signs were last kept from which something was learned. */
  #lessons = 0;
  /** When the next poll may be worth it; null while that is not known. */
  #nextPollAt: Temporal.Instant | null = null;

  constructor(deps: SyncDeps) {
    const report = (event: SyncEvent) => this.#report(event);
    this.#deps = deps;
    this.#sources = new SourceList(deps.store, deps.clock);
    this.#questions = new Questions({ ...deps, sources: this.#sources, report });
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
    this.#poller = new Poller({
      ...deps,
      pace: () => this.#pace(),
      sources: this.#sources,
      questions: this.#questions,
      report,
      onTasks: (items) => this.#side.queue.follow(items),
      onRead: (source, { told, put, shown, ...revealed }) => {
        this.#schedule.noteDates(source, { put, shown });
        this.#schedule.read(source, revealed);
        this.#fastPath.noteRead(source, { at: revealed.at, put });
        this.#follow(source, { ...revealed, told });
      },
    });
    this.#fastPath = new FastPath({
      ...deps,
      sources: this.#sources,
      schedule: this.#schedule,
      projects: deps.scope.projects === "discover" ? null : deps.scope.projects.map(({ id }) => id),
      report,
      onShown: ({ put, same }) => {
        for (const item of put) this.#hints.knownOtherwise(sourceOf(item));
        this.#poller.askForNames(put);
        this.#side.queue.follow([...put, ...same]);
      },
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

  get readSinceStart(): boolean {
    return this.#readSinceStart;
  }

  hasRead(project: ProjectId | null): boolean {
    return project === null ? this.#initial.hasReadAll : this.#initial.hasRead(project);
  }

  get settled(): boolean {
    return this.#questions.settled;
  }

  get fastPath(): FastPathState {
    return this.#fastPath.state;
  }

  rereadAll(): () => boolean {
    const isRead = this.#sources.rereadAll();
    this.#schedule.rereadAll();
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

  outlook(): Outlook {
    const { share, maxAge } = this.#deps;
    return outlookOf({ sources: this.#polled(), pace: this.#pace(), share, maxAge });
  }

  hint(sourceName: string, changes: number): void {
    this.#schedule.hint(sourceName, changes);
    this.#wake.notify();
  }

  async sweep(options: SweepOptions): Promise<SweepSummary> {
    const { upstream } = this.#deps;
    const { signal } = options;
    const sentBefore = upstream.gate.state().sent;
    const counts = new SweepCounts();
    this.#sweeps.add(counts);
    try {
      this.#applyConfiguration();
      this.#beginRound();
      const start = this.#sources.turn;
      const isDue = (entry: PolledSource) => entry.turn <= start && !this.#sources.isDone(entry);
      await this.#readDue({ ...options, isDue });
      await this.#retryRefused(signal);
      await this.#followUp(signal);
      const { braked } = this.#questions.settle();
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
    if (!this.#hasBegun) this.#beginRound();
    else if (!this.#ready) this.#sources.resumeRound();
    // A sweep that ran into a fault has left its round open.
    else this.#sources.endRound();
    this.#spread();
    this.#isRunning = true;
    try {
      while (!signal.aborted) {
        const next = () => this.#nextInRun(signal);
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

  /** What an earlier process has read in this round was not yet followed by its side sources. */
  #beginRound(): void {
    this.#hasBegun = true;
    this.#sources.beginRound(this.#deps.maxAge);
    for (const entry of this.#sources.ofKind("tasks")) {
      if (!this.#sources.isDone(entry)) continue;
      this.#side.queue.follow(this.#deps.store.mirror.ofSource(entry.name).map(({ item }) => item));
    }
  }

  /**
   * The next thing to ask for, chosen as late as can be: once each source was tried, only when nothing else waits to be
   * sent. Questions take no more than every second place, and side sources, which wait until all items have been read once,
   * one of `pollsPerSide` and one.
   */
  #nextInRun(signal: AbortSignal): readonly Job[] {
    if (this.#isTried && !this.#hasPlace(signal)) return [];
    const question = this.#wasQuestion ? null : this.#question(signal);
    this.#wasQuestion = question !== null;
    const job =
      question ??
      this.#sideInTurn(signal) ??
      this.#nextPoll(signal) ??
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
    const [key] = this.#questions.next(1, null);
    if (key === undefined) return null;
    return async () => {
      await this.#questions.ask(key, signal);
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

  #nextPoll(signal: AbortSignal): Job | null {
    const poll = this.#schedule.next();
    this.#nextPollAt = poll.kind === "wait" ? poll.until : null;
    if (poll.kind === "wait") return null;
    this.#pollsSinceSide += 1;
    return async () => {
      if (poll.kind === "source") await this.#poll(poll.name, signal);
      else await poll.run(signal);
      if (this.#readSinceStart) this.#fastPath.step();
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
    this.#questions.polled(name);
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

  /** Learns from a reading what its source was told to be, and hints at what it tells of others. */
  #follow(source: string, { at, changes, told }: Revealed & Pick<ReadItems, "told">): void {
    if (this.#hints.read(source, { at, changes })) this.#lessons += 1;
    if (told === null) this.#hints.silent(source, at);
    else {
      for (const hint of this.#hints.told(source, { at, rows: told })) {
        this.#schedule.hint(hint.source, hint.probability);
      }
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
    if (this.#readSinceStart) return;
    const { all, settled, read, tried, told, shown } = this.#sources.tally;
    // Where nothing at all can be read, as under a wrong key, everything is refused and nothing is ready.
    this.#readSinceStart = settled === all && read > 0;
    if (!this.#isTried && tried === all) {
      this.#isTried = true;
      this.#spread();
      this.#tellCeiling();
    }
    if (this.#ready) return;
    this.#ready = told === all && shown > 0;
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

  /** A single refusal says nothing of a list: the lists that a project still lacks are polled once more, after one that answers. */
  async #retryRefused(signal: AbortSignal): Promise<void> {
    const refused = this.#initial.refused();
    const answering = this.#sources.all().find(({ read, failures }) => read && failures === 0);
    if (refused.length === 0 || !answering) return;
    for (const names of [[answering.name], refused.map(({ name }) => name)]) {
      const start = this.#sources.turn;
      const due = new Set(names);
      await this.#readDue({ signal, isDue: ({ name, turn }) => turn <= start && due.has(name) });
    }
  }

  /** Buries what is settled; the sources that have to be read before more can be are hurried. */
  #settle(): void {
    for (const name of this.#questions.settleNews().read) {
      if (!this.#sources.get(name)?.underWay) this.#sources.hurry(name);
    }
  }

  async #readDue({
    signal,
    isDue,
    onProgress,
  }: SweepOptions & { readonly isDue: (entry: PolledSource) => boolean }): Promise<void> {
    const order = new TurnOrder();
    const unwatch = this.#sources.watch((name, entry) => {
      // A sweep takes no account of rests.
      if (entry && (entry.underWay || isDue(entry))) order.put({ ...entry, notBefore: null });
      else order.drop(name);
    });
    const next = (room: number): readonly Job[] =>
      order.next({ now: this.#deps.clock(), room }).map((name) => async () => {
        await this.#poll(name, signal);
        this.#deps.upstream.gate.setPace({ kind: "sweep", reads: order.size });
        onProgress?.(this.#progress(order.size));
      });
    try {
      await this.#work({ signal, next, rest: () => firstAnswerRestMs });
    } finally {
      unwatch();
    }
  }

  #progress(due: number): SweepProgress {
    const { all } = this.#sources.tally;
    return progressOf({ done: all - due, total: all, gate: this.#deps.upstream.gate.state() });
  }

  /** Settles what a sweep found missing: asks for each item once, and reads again where one may have gone to. */
  async #followUp(signal: AbortSignal): Promise<void> {
    const asked = new Set<ItemKey>();
    for (let round = 0; round < followUps && !signal.aborted; round += 1) {
      const next = (room: number): readonly Job[] =>
        this.#questions.next(room, asked).map((key) => {
          asked.add(key);
          return () => this.#questions.ask(key, signal);
        });
      await this.#work({ signal, next, rest: () => longestRestMs });
      const { read } = this.#questions.settle();
      const forbidden = this.#questions.forbidden();
      if (read.size + forbidden.size === 0) return;
      for (const key of forbidden.keys()) asked.delete(key);
      const due = new Set([...read, ...forbidden.values()]);
      const start = this.#sources.turn;
      await this.#readDue({ signal, isDue: ({ name, turn }) => turn <= start && due.has(name) });
    }
  }

  #work(work: Pick<WorkerPoolOptions, "next" | "signal" | "rest">): Promise<void> {
    return workInParallel({ ...work, limit: () => this.#limit(), wake: this.#wake });
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

type Job = () => Promise<void>;

interface WorkerPoolOptions {
  /** The next jobs, at most `room`; they start at once and must not reject. */
  readonly next: (room: number) => readonly Job[];
  /** How many may be under way together. */
  readonly limit: () => number;
  readonly signal: AbortSignal;
  /** Asked for more work before a job has ended, when someone has some. */
  readonly wake: Wake;
  /** Milliseconds until time alone may bring more work. */
  readonly rest: () => number;
}

/** Works until there is nothing more to do and nothing under way; after an abort it only waits for what is under way. */
async function workInParallel({
  next,
  limit,
  signal,
  wake,
  rest,
}: WorkerPoolOptions): Promise<void> {
  const underWay = new Set<Promise<void>>();
  for (;;) {
    for (;;) {
      const room = signal.aborted ? 0 : limit() - underWay.size;
      const jobs = room > 0 ? next(room) : [];
      for (const job of jobs) {
        const ended: Promise<void> = job().finally(() => underWay.delete(ended));
        underWay.add(ended);
      }
      if (jobs.length === 0) break;
    }
    if (underWay.size === 0) return;
    const enough = new AbortController();
    const woken = signal.aborted ? [] : [wake.wait(rest(), enough.signal)];
    await Promise.race([...underWay, ...woken]);
    enough.abort();
  }
}

export type { SweepProgress, SweepSummary, SyncEvent } from "./event.ts";
export type { Scope } from "./sources-in-scope.ts";
