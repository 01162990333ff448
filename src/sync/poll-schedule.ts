import { maxAgePart, Scheduler, schedulerDefaults } from "@dayferry/poll-scheduler";
import { earlier } from "../domain/backoff.ts";
import type { ProjectId } from "../domain/ids.ts";
import type { Item } from "../domain/item.ts";
import { isLookUp, type Source } from "../domain/source.ts";
import { FirstImpressions, mostChanges } from "./first-impressions.ts";
import { Importance } from "./importance.ts";
import { KeptBeliefs, notAfter } from "./kept-beliefs.ts";
import { PollClock, timesOf } from "./poll-clock.ts";
import type { PolledSource } from "./polled-source.ts";
import type { SyncContext } from "./sync-context.ts";
import { ListAudit, TurnQueues } from "./turn-queues.ts";

interface PollScheduleDeps
  extends Pick<SyncContext, "store" | "sources" | "clock" | "maxAge" | "pace"> {
  /** How far this machine's clock is ahead of the service's; null if unknown. */
  readonly clockLead: () => Temporal.Duration | null;
}

/** What a poll has revealed: when it began, and when each change since the previous one happened; null = unknown. */
export interface PollResult {
  readonly at: Temporal.Instant;
  readonly changes: readonly (Temporal.Instant | null)[];
}

/** What a job has revealed; `shown`: when each item in it was last changed. */
export interface RevealedByJob extends PollResult {
  readonly shown: readonly (Temporal.Instant | null)[];
}

/** The result of a job; after a failure it rests until `notBefore`. */
export type JobOutcome =
  | { readonly kind: "read"; readonly revealed: RevealedByJob }
  | { readonly kind: "failed"; readonly notBefore: Temporal.Instant | null };

/** Something to poll that is not a source, such as a page of all tasks. */
interface PollJob {
  /** Different from any source's name. */
  readonly key: string;
  /** Weight of one change, and requests per poll. */
  readonly weight: number;
  readonly cost: number;
  /** Polls it; must not reject. */
  readonly run: (signal: AbortSignal) => Promise<JobOutcome>;
}

type NextPoll =
  | { readonly kind: "source"; readonly name: string }
  | { readonly kind: "job"; readonly run: (signal: AbortSignal) => Promise<void> }
  /** Nothing needs polling before that moment; null = until something changes. */
  | { readonly kind: "wait"; readonly until: Temporal.Instant | null };

/**
 * Chooses the next poll. Sources not tried by this process go first, in the order of a first sync. Once a source was read, the
 * scheduler chooses by its belief. Every second poll may take precedence: a source that somebody has requested, then failed
 * sources and look-ups whose rest ends. Only `rereadAll` takes longer with more sources.
 */
export class PollSchedule {
  readonly #deps: PollScheduleDeps;
  readonly #scheduler: Scheduler;
  readonly #kept: KeptBeliefs;
  readonly #importance = new Importance();
  readonly #impressions = new FirstImpressions();
  /** The scheduler's weight of each source. */
  readonly #weights = new Map<string, number>();
  readonly #turns: TurnQueues;
  /** When each source or job was last read; the scheduler knows exactly these. */
  readonly #readAt = new Map<string, number>();
  /** Sources that the scheduler considers in progress or resting. */
  readonly #away = new Set<string>();
  readonly #jobs = new Map<string, PollJob>();
  /** Lists that something else keeps fresh. */
  readonly #audit: ListAudit;
  /** Everything answered up to this turn is to be read again. */
  #rereadTurn = -1;
  /** Sources that an earlier process has read, or pages have shown, as they were then. They need no first reading. */
  readonly #resumed = new Map<string, Source>();
  /** Those of them that the scheduler does not know yet, oldest first. */
  #toResume: IteratorObject<Resumed> | null = null;
  #pace: { readonly value: number; readonly until: number };
  readonly #time: PollClock;

  constructor(deps: PollScheduleDeps) {
    this.#deps = deps;
    this.#turns = new TurnQueues(deps);
    this.#time = new PollClock(deps);
    this.#audit = new ListAudit({
      ...deps,
      readAt: (name) => this.#readAt.get(name),
      onLeft: (name) => {
        this.#scheduler.setAside(name);
        this.#away.delete(name);
      },
      onBack: (entry) => {
        this.#weights.delete(entry.name);
        this.#weigh(entry);
        this.#note(entry.name, entry);
      },
    });
    this.#pace = { value: deps.pace(), until: 0 };
    const maxAge = deps.maxAge.total("seconds") * maxAgePart;
    const pace = () => this.#pace.value;
    this.#kept = new KeptBeliefs(deps.store);
    const options = {
      ...schedulerDefaults,
      maxAge,
      get pace() {
        return pace();
      },
    };
    const common = this.#kept.common();
    this.#scheduler = new Scheduler(
      options,
      common ? { ...common, changedAt: this.#changedAt(common.changedAt), sources: [] } : undefined,
    );
    deps.sources.watch((name, entry) => this.#note(name, entry));
  }

  /** The next poll, to be started at once. `isFirstOnly`: nothing is chosen by belief. */
  next({ isFirstOnly = false }: { readonly isFirstOnly?: boolean } = {}): NextPoll {
    const seconds = this.#time.seconds();
    if (seconds >= this.#pace.until) {
      this.#pace = { value: this.#deps.pace(), until: seconds + paceSeconds };
    }
    this.#audit.move();
    const name = this.#turns.first() ?? this.#turns.untried(this.#rereadTurn);
    if (name !== null) return { kind: "source", name };
    if (this.#isResuming()) return { kind: "wait", until: this.#deps.clock() };
    if (isFirstOnly) return { kind: "wait", until: null };
    if (this.#isRecalling()) return { kind: "wait", until: this.#deps.clock() };
    const audited = this.#audit.next();
    if (audited !== null) return { kind: "source", name: audited };
    const choice = this.#scheduler.next(seconds);
    if (choice.kind === "poll") {
      this.#audit.notePoll();
      return this.#chosen(choice.key);
    }
    const late = this.#turns.late();
    return late === null ? this.#wait(choice.until) : { kind: "source", name: late };
  }

  /**
   * Continues where an earlier process ended: what it read is chosen by its beliefs, as if there had been no pause, and the
   * rest goes first. Sources whose last poll failed are as old as their stored data.
   */
  resume(): void {
    const { sources } = this.#deps;
    const resumed: Resumed[] = [];
    for (const { name, kind, source, readBefore, everRead, turn } of sources.all()) {
      if (!everRead || turn > 0) continue;
      this.#resumed.set(name, source);
      if (isLookUp(kind)) continue;
      const at = this.#time.secondsAt(readBefore) ?? this.#kept.of(name)?.polledAt ?? 0;
      resumed.push({ name, polledAt: Math.min(at, this.#time.seconds()) });
    }
    this.#toResume = resumed.toSorted((a, b) => a.polledAt - b.polledAt).values();
    for (const entry of sources.all()) this.#note(entry.name, entry);
  }

  /** Records that a source was read at `at` by other means than a poll. */
  took(name: string, at: Temporal.Instant): void {
    const entry = this.#deps.sources.get(name);
    if (!entry) return;
    this.#resumed.set(name, entry.source);
    this.#goOn(entry, this.#time.secondsOf(at));
  }

  /** Records a source's items, and which are new or changed: near dates make it important. */
  noteDates(
    name: string,
    { put, shown }: { readonly put: readonly Item[]; readonly shown: readonly Item[] },
  ): void {
    const items = this.#importance.knowsDates(name) ? put : shown;
    if (items.length > 0) this.#importance.noteDates(name, { items, now: this.#time.seconds() });
  }

  /** Records what a poll has revealed. Call before the poll ends in the source list. */
  read(name: string, { at, changes }: PollResult): void {
    const entry = this.#deps.sources.get(name);
    if (!entry || isLookUp(entry.kind)) return;
    if (this.#audit.concerns(entry.kind)) {
      this.#readAt.set(name, this.#time.secondsOf(at));
      this.#audit.put(name);
      return;
    }
    if (!this.#readAt.has(name)) this.#begin(entry, this.#time.secondsOf(at));
    if (changes.length > 0) this.#kept.note(name);
    this.#weigh(entry);
    this.#observe(name, { at, changes });
    this.#away.delete(name);
  }

  /** A source or job probably has this many unseen changes. */
  hint(key: string, changes: number): void {
    const kind = this.#deps.sources.get(key)?.kind;
    if (kind && isLookUp(kind)) this.#deps.sources.hurry(key);
    else this.#scheduler.hint(key, { now: this.#time.seconds(), changes });
  }

  /** Records that a source has not changed until `at`, with this probability. */
  unchanged(
    name: string,
    { at, certainty }: { readonly at: Temporal.Instant; readonly certainty: number },
  ): void {
    this.#scheduler.unchanged(name, { at: this.#time.secondsOf(at), certainty });
  }

  /** Somebody requested a project's feed or opened its calendar, which should be fresh. */
  noteReading(project: ProjectId): void {
    if (!this.#importance.noteReading(project, this.#time.seconds())) return;
    for (const entry of this.#deps.sources.ofProject(project)) {
      if (this.#weights.has(entry.name)) this.#weigh(entry);
    }
  }

  /** An edit from here was applied to a source. More may follow, by others too. */
  noteEdit(name: string): void {
    this.#importance.noteEdit(name, this.#time.seconds());
  }

  /** Adds a job, which is polled at once and then as its earlier beliefs suggest; or updates a known one. */
  putJob(job: PollJob): void {
    const { key, weight, cost } = job;
    const isNew = !this.#jobs.has(key);
    const before = isNew ? (this.#scheduler.dumpOf(key) ?? this.#kept.of(key)) : null;
    const now = this.#time.seconds();
    if (before) this.#scheduler.restore(notAfter(now, before));
    this.#jobs.set(key, job);
    this.#scheduler.put(key, { weight, cost });
    if (!before?.polledAt) return;
    this.#readAt.set(key, Math.min(before.polledAt, now));
    this.#scheduler.hint(key, { now, changes: pressing });
  }

  /** Of these moments of the service's clock, those after the last poll of a job; none if it was never polled. */
  since(key: string, moments: Iterable<Temporal.Instant | null>): readonly Temporal.Instant[] {
    const last = this.#readAt.get(key);
    if (last === undefined) return [];
    const known = [...moments].filter((at) => at !== null);
    return known.filter((at) => this.#time.isLater(at, last));
  }

  dropJob(key: string): void {
    this.#jobs.delete(key);
    this.#readAt.delete(key);
    this.#scheduler.setAside(key);
  }

  /**
   * Leaves lists of tasks and subtasks to an audit, as something else reports their changes. Their beliefs are kept for later.
   */
  leaveToAudit(isLeft: boolean): void {
    this.#audit.leave(isLeft);
  }

  /** Polls all sources in turn until each was answered once more. */
  rereadAll(): void {
    const { sources } = this.#deps;
    this.#rereadTurn = sources.turn;
    for (const entry of sources.all()) this.#note(entry.name, entry);
  }

  /** Writes a part of what was learned recently; everything at the end. */
  save({ isLast }: { readonly isLast: boolean }): void {
    this.#kept.save(this.#scheduler, { now: this.#time.seconds(), isLast });
  }

  /** After an unobserved pause there may be many changes, however quiet it was before. */
  #changedAt(kept: number | null): number | null {
    const { sources, maxAge } = this.#deps;
    const now = this.#time.seconds();
    const seen = sources.all().map(({ readBefore }) => this.#time.secondsAt(readBefore) ?? 0);
    const lastSeen = seen.reduce((latest, at) => Math.max(latest, at), 0);
    return now - lastSeen < maxAge.total("seconds") ? kept : now;
  }

  /** Ten thousand beliefs are loaded a few at a time before the first choice; returns whether some are left. */
  #isResuming(): boolean {
    if (!this.#toResume) return false;
    const some = [...this.#toResume.take(resumedAtOnce)];
    if (some.length < resumedAtOnce) this.#toResume = null;
    for (const { name, polledAt } of some) {
      const entry = this.#deps.sources.get(name);
      if (!entry || this.#readAt.has(name)) continue;
      this.#goOn(entry, polledAt);
    }
    return this.#toResume !== null;
  }

  /** Passes first impressions to the scheduler, a few at a time. Returns whether some are left. */
  #isRecalling(): boolean {
    for (const [key, recalled] of this.#impressions.take(recalledAtOnce)) {
      this.#scheduler.recall(key, recalled);
    }
    return this.#impressions.size > 0;
  }

  #goOn(entry: PolledSource, polledAt: number): void {
    const { name } = entry;
    this.#begin(entry, polledAt);
    // Polls without changes were not written.
    this.#scheduler.observe(name, { at: polledAt, times: [] });
    this.#readAt.set(name, polledAt);
    this.#note(name, entry);
  }

  /**
   * Continues with an earlier process's knowledge of a source, or with what it has shown at `at`. If the clock was set back
   * since, its last poll counts as just now.
   */
  #begin(entry: PolledSource, at: number): void {
    const { name } = entry;
    const kept = this.#kept.of(name);
    if (kept?.polledAt) {
      this.#scheduler.restore(notAfter(this.#time.seconds(), kept));
      this.#readAt.set(name, Math.min(kept.polledAt, this.#time.seconds()));
    } else this.#kept.note(name);
    this.#weights.delete(name);
    this.#weigh(entry);
    if (kept?.belief) return;
    const { items, changes } = this.#deps.store.mirror.lastChanges(name, mostChanges);
    this.#addImpression(name, { at, items, changes });
  }

  #addImpression(key: string, about: FirstReading): void {
    const { lead } = this.#time;
    const times = about.changes.map((moment) => moment.epochMilliseconds / 1000 + lead);
    this.#impressions.add(key, { ...about, now: this.#time.seconds(), changes: times });
  }

  #weigh(entry: PolledSource): void {
    const { name, kind, source } = entry;
    if (this.#audit.concerns(kind)) return;
    const weight = this.#importance.weightOf(entry, this.#time.seconds());
    if (this.#weights.get(name) === weight) return;
    this.#weights.set(name, weight);
    // The lists of a project are edited by the same people.
    const group = "projectId" in source ? String(source.projectId) : null;
    this.#scheduler.put(name, { weight, cost: 1, group });
  }

  #chosen(key: string): NextPoll {
    const job = this.#jobs.get(key);
    if (!job) return { kind: "source", name: key };
    return { kind: "job", run: (signal) => this.#run(job, signal) };
  }

  async #run({ key, run }: PollJob, signal: AbortSignal): Promise<void> {
    const outcome = await run(signal);
    if (!this.#jobs.has(key)) return;
    if (outcome.kind === "read") {
      const { at, changes, shown } = outcome.revealed;
      const isFirst = !this.#readAt.has(key);
      if (isFirst || changes.length > 0) this.#kept.note(key);
      if (isFirst) {
        const changes = shown.filter((moment) => moment !== null);
        this.#addImpression(key, { at: this.#time.secondsOf(at), items: shown.length, changes });
      }
      this.#observe(key, outcome.revealed);
      return;
    }
    const now = this.#time.seconds();
    this.#scheduler.giveUp(key, { now, until: this.#time.secondsAt(outcome.notBefore) ?? now });
  }

  #wait(until: number): NextPoll {
    const due = this.#turns.nextDueAt;
    if (!Number.isFinite(until)) return { kind: "wait", until: due };
    const ms = Math.ceil(1000 * Math.max(0, until - this.#time.seconds()));
    return { kind: "wait", until: earlier(due, this.#deps.clock().add({ milliseconds: ms })) };
  }

  #observe(key: string, { at, changes }: PollResult): void {
    const from = this.#readAt.get(key) ?? null;
    const to = Math.max(this.#time.secondsOf(at), from ?? 0);
    this.#readAt.set(key, to);
    const { lead } = this.#time;
    const times = timesOf(changes, { from: from ?? to, to, lead });
    this.#scheduler.observe(key, { at: to, times });
  }

  /** Keeps order and scheduler in sync with a source's state in the source list. */
  #note(name: string, entry: PolledSource | null): void {
    if (!entry) {
      this.#turns.drop(name);
      this.#kept.drop(name);
      this.#impressions.drop(name);
      this.#audit.drop(name);
      this.#scheduler.remove(name);
      this.#readAt.delete(name);
      this.#away.delete(name);
      this.#weights.delete(name);
      this.#importance.forget(name);
      return;
    }
    const { turn, answered, underWay, hurried, notBefore } = entry;
    if (hurried && !underWay) this.#turns.hurry(name);
    const isKnown = this.#readAt.has(name);
    const isByTurn = this.#goesByTurn(entry);
    // A source read by an earlier process waits as if this one had tried it.
    const isTried = this.#isResumed(entry) && answered > this.#rereadTurn;
    const place = isTried ? Math.max(1, turn) : turn;
    const isLookUpRead = isLookUp(entry.kind) && place > Math.max(0, this.#rereadTurn);
    if (isByTurn) this.#turns.put({ ...entry, turn: place }, isLookUpRead);
    else this.#turns.drop(name);
    if (!isKnown || this.#audit.has(name)) return;
    if (isByTurn || underWay) {
      this.#away.add(name);
      this.#scheduler.begin(name);
    } else if (this.#away.delete(name) || notBefore) {
      if (notBefore) this.#away.add(name);
      const now = this.#time.seconds();
      this.#scheduler.giveUp(name, { now, until: this.#time.secondsAt(notBefore) ?? now });
    }
  }

  #goesByTurn(entry: PolledSource): boolean {
    const { name, kind, turn, answered } = entry;
    if (answered <= this.#rereadTurn) return true;
    if (turn === 0) return !this.#isResumed(entry) || isLookUp(kind);
    return !this.#readAt.has(name) && !(this.#toResume && this.#isResumed(entry));
  }

  /** True if it was read in its present place, by an earlier process or from pages. */
  #isResumed({ name, source }: PolledSource): boolean {
    return this.#resumed.get(name) === source;
  }
}

type Resumed = { readonly name: string; readonly polledAt: number };

/** What the first reading of a source showed: its items, and their last change times as far as known. */
interface FirstReading {
  readonly at: number;
  readonly items: number;
  readonly changes: readonly Temporal.Instant[];
}

/** A job that is added again is polled at once, as if it had more changes than anything else. */
const pressing = 1000;

/** Takes some milliseconds. */
const resumedAtOnce = 50;
const recalledAtOnce = 10;
/** How long the rate is assumed constant, in seconds. */
const paceSeconds = 1;
