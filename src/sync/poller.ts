import { later } from "../domain/backoff.ts";
import type { Item } from "../domain/item.ts";
import { isLookUp, type Source, sourceName } from "../domain/source.ts";
import type { Call, ListSnapshot } from "../upstream/client.ts";
import { describeFailure, type Failure } from "../upstream/failure.ts";
import {
  AppliedBodies,
  type AppliedBody,
  type ReadBody,
  type SourceReading,
} from "./applied-bodies.ts";
import { type AppliedList, ListApplication } from "./apply-list.ts";
import type { DeletionChecks } from "./deletion-checks.ts";
import { DirectorySync, type LookUpAnswer } from "./directory-sync.ts";
import { polledEvent } from "./event.ts";
import { type FetchedSource, fetchSource, type SourceAnswer } from "./fetch-source.ts";
import { followShown } from "./follow-parents.ts";
import { type HintRow, hintRowsOfLists, hintRowsOfTasks } from "./hints.ts";
import { LookUps } from "./look-ups.ts";
import { askForOutdated } from "./outdated.ts";
import { isDenied, isLookUpRefused, restAfter, restOf } from "./plan-snapshot.ts";
import type { PollResult } from "./poll-schedule.ts";
import type { Begun, PollOutcome } from "./polled-source.ts";
import { samePath } from "./source-list.ts";
import type { SyncContext } from "./sync-context.ts";

interface PollerDeps extends SyncContext {
  readonly deletionChecks: DeletionChecks;
  /** Called with a list of tasks once it is applied; `contents`: content that is serialised already. */
  readonly onTasks: (items: readonly Item[], contents?: ReadonlyMap<Item, string>) => void;
  /** Called with what a reading has revealed, before it ends in the source list. */
  readonly onRead: (source: string, read: ReadItems) => void;
  /** Called after each reading. */
  readonly onPolled?: (poll: PollEnding) => void;
}

/**
 * What a reading has revealed, with the decoded items and those that are new or changed. `hintRows`: its rows that describe
 * other sources; null if unchanged.
 */
export interface ReadItems extends PollResult {
  readonly hintRows: readonly HintRow[] | null;
  readonly put: readonly Item[];
  readonly shown: readonly Item[];
}

/** `isRead`: true if the list was read; otherwise it failed or was refused. */
export interface PollEnding {
  readonly kind: Source["kind"];
  readonly isRead: boolean;
}

interface Applied extends AppliedList {
  readonly gaps: readonly string[];
}

/** One poll of a source. */
interface Poll {
  readonly begun: Begun;
  readonly reading: SourceReading;
  readonly call: Call;
}

const nothingApplied: Applied = {
  events: [],
  gaps: [],
  changes: [],
  hintRows: [],
  isSettled: false,
  put: [],
  outdated: [],
};

/** Reads one source and updates the mirror, the directory and the source list; a short list in one transaction. */
export class Poller {
  readonly #deps: PollerDeps;
  readonly #directory: DirectorySync;
  readonly #gaps = new Map<string, string>();
  readonly #bodies: AppliedBodies;
  readonly #lookUps: LookUps;

  constructor(deps: PollerDeps) {
    this.#deps = deps;
    this.#bodies = new AppliedBodies(deps);
    this.#lookUps = new LookUps(deps);
    this.#directory = new DirectorySync(deps);
  }

  #end(begun: Begun, outcome: PollOutcome): void {
    this.#deps.sources.end(begun, outcome);
    this.#deps.onPolled?.({ kind: begun.kind, isRead: outcome.kind === "read" });
  }

  /** Never rejects: a source that fails, or whose answer causes an error here, is reported and rests. */
  async poll(name: string, signal: AbortSignal): Promise<void> {
    const { upstream, sources, eventLoop, report } = this.#deps;
    const begun = sources.begin(name);
    const reading = this.#bodies.begin(begun);
    const call = { priority: "sweep", signal } as const;
    try {
      sources.save();
      const answer = await fetchSource(upstream, begun.source, call);
      await eventLoop.share();
      if (!this.#isCurrent(begun)) {
        sources.end(begun, null);
      } else if (answer.ok) {
        await this.#answered({ begun, reading, call }, answer.value);
      } else {
        this.#fail(begun, answer.failure);
      }
    } catch (error) {
      const notBefore = this.#after(restAfter(begun.failures + 1, this.#deps.maxAge));
      this.#end(begun, { kind: "failed", notBefore });
      report({ kind: "fault", source: name, error });
    } finally {
      reading.end();
    }
  }

  /** Makes the directory's sources the polled ones. */
  updateScope(): void {
    this.#lookUps.updateScope();
  }

  /** Unknown people and labels in items are new, so the look-ups are polled soon. */
  askForNames(items: readonly Item[]): void {
    this.#lookUps.hurryNamesIn(items);
  }

  /** True if an answer is about a place that still exists: a source may be dropped or moved meanwhile. */
  #isCurrent({ name, source }: Begun): boolean {
    const now = this.#deps.sources.get(name);
    return now !== null && samePath(now.source, source);
  }

  /** A body that was applied before is not parsed again while it is valid. */
  async #answered(poll: Poll, answer: SourceAnswer): Promise<void> {
    const { sources, eventLoop } = this.#deps;
    const { begun, reading } = poll;
    if (answer.kind !== "listing") {
      await this.#succeed(poll, answer, null);
      return;
    }
    const { digest, read } = answer.listing;
    const standing = reading.standing();
    if (standing?.digest === digest) {
      await this.#stayed(poll, standing);
      return;
    }
    const part = await read(standing?.elements ?? null);
    await eventLoop.share();
    // If some elements were not parsed, their rows must still be unchanged.
    const isKnown = !part.ok || part.value.gone === null || reading.standing() !== null;
    const snapshot = isKnown ? part : await read(null);
    if (!this.#isCurrent(begun)) {
      sources.end(begun, null);
    } else if (snapshot.ok) {
      await this.#succeed(poll, { kind: "items", snapshot: snapshot.value }, digest);
    } else {
      this.#fail(begun, snapshot.failure);
    }
  }

  /** Records that a source was read and is unchanged. */
  async #stayed({ begun, reading, call }: Poll, standing: AppliedBody): Promise<void> {
    const { store, report, onRead } = this.#deps;
    const { name: source } = begun;
    store.together(() => {
      store.sources.attempted(begun.source, begun.attemptedAt);
      store.sources.succeeded(begun.source, { items: standing.items, gaps: standing.remarks });
    });
    reading.applied(standing);
    const shown = standing.isEarlier ? await this.#recall(begun, call) : [];
    const hintRows = standing.isEarlier ? hintRowsOfTasks(shown, new Set()) : null;
    onRead(source, { at: begun.attemptedAt, changes: [], hintRows, put: [], shown });
    this.#end(begun, { kind: "read", notBefore: null });
    report(polledEvent(source, { unchanged: standing.items }));
  }

  /**
   * Loads the items of a list that an earlier process has read from the mirror, and passes them on as if they were read now.
   */
  async #recall(begun: Begun, call: Call): Promise<readonly Item[]> {
    const { store, sources, clock, onTasks, eventLoop } = this.#deps;
    const today = clock().toZonedDateTimeISO("UTC").toPlainDate();
    const shown: Item[] = [];
    for (const rows of store.mirror.inParts(begun.name)) {
      const items = rows.map(({ item }) => item);
      if (begun.kind === "tasks") {
        store.together(() => followShown(store, sources, { items, today }));
        onTasks(items);
      }
      shown.push(...items);
      await eventLoop.share();
      if (call.signal?.aborted) break;
    }
    return shown;
  }

  /** Null if the answer is of no use: the source was moved meanwhile, or the process ends. */
  async #apply(poll: Poll, fetched: FetchedSource): Promise<Applied | null> {
    if (fetched.kind === "items") return this.#applyList(poll, fetched.snapshot);
    const { begun, call } = poll;
    const lookUp = await this.#directory.askForMissing(begun.source, { fetched, call });
    return this.#deps.store.together(() =>
      this.#noteRead(begun, fetched.snapshot, this.#applyNames(begun, lookUp)),
    );
  }

  /** `digest`: of the body that was read; null for names. */
  async #succeed(poll: Poll, fetched: FetchedSource, digest: string | null): Promise<void> {
    const { sources, report, onRead } = this.#deps;
    const { begun, reading, call } = poll;
    const { name, kind, source, failures, attemptedAt: at } = begun;
    const applied = await this.#apply(poll, fetched);
    if (!applied) {
      sources.end(begun, null);
      return;
    }
    const { events, gaps, changes, hintRows, isSettled, put, outdated } = applied;
    const list = fetched.kind === "items" ? fetched.snapshot : null;
    reading.applied(isSettled && list && digest !== null ? bodyOf(list, digest) : null);
    await askForOutdated(outdated, { ...this.#deps, call });
    if (list) this.#lookUps.hurryNamesIn(put);
    else this.#lookUps.read(source);
    const shown = list?.items ?? [];
    const ofLists = fetched.kind === "todolists" ? hintRowsOfLists(fetched.snapshot.items) : [];
    onRead(name, { at, changes, hintRows: [...hintRows, ...ofLists], put, shown });
    const rest = isLookUp(kind) ? this.#after(this.#lookUps.rest()) : null;
    this.#end(begun, { kind: "read", notBefore: rest });

    if (failures > 0) report({ kind: "recovered", source: name });
    for (const event of events) report(event);
    this.#reportGaps(name, gaps);
  }

  /** A list that cannot be read completely is reported when that changes, not at every poll. */
  #reportGaps(name: string, problems: readonly string[]): void {
    const gaps = problems.join("; ");
    if (gaps === (this.#gaps.get(name) ?? "")) return;
    this.#gaps.set(name, gaps);
    if (problems.length > 0) this.#deps.report({ kind: "incomplete", source: name, problems });
  }

  /**
   * Applies a list, a short one in one transaction, and records the reading in the last one. Null if the source was moved
   * meanwhile, or the process ends.
   */
  async #applyList(
    { begun, reading, call }: Poll,
    snapshot: ListSnapshot<Item>,
  ): Promise<Applied | null> {
    const { store, onTasks, eventLoop } = this.#deps;
    const application = new ListApplication(this.#deps, { begun, snapshot, reading });
    for (;;) {
      const applied = store.together(() => {
        const whole = application.step();
        return whole && this.#noteRead(begun, snapshot, { ...whole, gaps: [] });
      });
      const shown = application.shown();
      if (begun.kind === "tasks") onTasks(shown.items, shown.contents);
      if (applied) return applied;
      await eventLoop.share();
      if (call.signal?.aborted || !this.#isCurrent(begun)) return null;
    }
  }

  /** Call inside the transaction in which all of an answer is applied. Returns what was applied, with its gaps. */
  #noteRead(begun: Begun, snapshot: FetchedSource["snapshot"], applied: Applied): Applied {
    const { store, sources } = this.#deps;
    const { problems, items, remarks = [] } = snapshot;
    const same = "same" in snapshot ? snapshot.same : 0;
    const gaps = [...problems, ...applied.gaps, ...remarks];
    store.sources.attempted(begun.source, begun.attemptedAt);
    store.sources.succeeded(begun.source, {
      items: items.length + same,
      gaps: gaps.length > 0 ? gaps.join("; ") : null,
    });
    // The sources that this list reveals are stored with it, as the list counts as read after a crash.
    sources.save();
    return { ...applied, gaps };
  }

  #applyNames({ source, attemptedAt }: Begun, lookUp: LookUpAnswer): Applied {
    const { store } = this.#deps;
    const before = store.changes.latest();
    const { events, gaps } = this.#directory.apply(source, lookUp);
    const changed = store.changes.latest() > before;
    return {
      ...nothingApplied,
      gaps,
      events: changed
        ? [...events, { kind: "directory-changed", source: sourceName(source) }]
        : events,
      changes: changed ? [attemptedAt] : [],
    };
  }

  #fail(begun: Begun, failure: Failure): void {
    const { store, sources, report, maxAge } = this.#deps;
    if (failure.kind === "aborted") {
      sources.end(begun, null);
      return;
    }
    const { name, kind, source } = begun;
    const problem = describeFailure(failure);
    store.together(() => {
      store.sources.attempted(source, begun.attemptedAt);
      store.sources[isDenied(failure) ? "refused" : "failed"](source, problem);
    });
    const failures = begun.failures + 1;
    const notBefore = this.#after(restOf(failure, { failures, maxAge }));
    if (isLookUp(kind) && isLookUpRefused(failure)) {
      this.#end(begun, { kind: "refused", notBefore });
      this.#lookUps.refused(source, problem);
      return;
    }
    this.#end(begun, { kind: isDenied(failure) ? "refused" : "failed", notBefore });
    report({ kind: "failed", source: name, problem, failures, nextAt: notBefore });
    if (isDenied(failure)) this.#lookUps.hurryAbove(source);
  }

  #after(rest: Temporal.Duration): Temporal.Instant {
    return later(this.#deps.clock(), rest);
  }
}

function bodyOf(
  { items, same, elements, remarks = [] }: ListSnapshot<Item>,
  digest: string,
): ReadBody {
  const joined = remarks.length > 0 ? remarks.join("; ") : null;
  return { digest, items: items.length + same, elements, remarks: joined };
}
