import { later } from "../domain/backoff.ts";
import type { Item } from "../domain/item.ts";
import { unreachable } from "../domain/result.ts";
import { kindIn } from "../domain/source.ts";
import { describeFailure, type Failure } from "../upstream/failure.ts";
import type { TaskPage } from "../upstream/resources/task-page.ts";
import {
  type AppliedPages,
  allTasksName,
  type Element,
  elementNameOf,
  elementOf,
  isWhole,
  pageFault,
  pageSize,
  requestPage,
  rowOf,
} from "./all-tasks.ts";
import { type AppliedPage, applyPage } from "./apply-page.ts";
import { polledEvent } from "./event.ts";
import { ListEvidence } from "./list-evidence.ts";
import { PageCheck } from "./page-check.ts";
import { PageMismatches } from "./page-mismatches.ts";
import { isLookUpRefused, restOf } from "./plan-snapshot.ts";
import type { JobOutcome, PollSchedule, RevealedByJob } from "./poll-schedule.ts";
import type { SyncContext } from "./sync-context.ts";
import { TaskPages } from "./task-pages.ts";

interface FastPathDeps extends SyncContext {
  readonly schedule: Pick<PollSchedule, "putJob" | "dropJob" | "since" | "hint" | "leaveToAudit">;
  /** Page contents known to an earlier process, or to the first sync of this one. */
  readonly applied: AppliedPages;
  /** Called with items shown by pages: `put` are new or changed, `same` equal the mirror; `contents`: their stored content. */
  readonly onShown: (items: {
    readonly put: readonly Item[];
    readonly same: readonly Item[];
    readonly contents: ReadonlyMap<Item, string>;
  }) => void;
}

/** A page that was completely in the mirror when it was last read, and still is. */
interface KeptPage {
  readonly digest: string;
  readonly elements: readonly Element[];
  readonly total: number;
}

/** One request of a page, sent at `at`. */
interface Reading {
  readonly page: number;
  readonly at: Temporal.Instant;
}

/** State of the account-wide list of tasks; `reason`: why it is not used. */
export type FastPathState =
  | { readonly kind: "off"; readonly reason: string | null }
  | { readonly kind: "checking" }
  | { readonly kind: "used"; readonly pages: number };

/** With fewer lists, it saves too little to be worth checking. */
const fewestSources = 16;
const dayLength = Temporal.Duration.from({ hours: 24 });
const mostFailures = 3;
const mostScattered = 4;
const mostMismatches = 500;
/** Expected changes of a page that is to be read soon. */
const pressing = 1000;

/**
 * The account-wide list of tasks as a faster way to see changes: one request for 100 tasks of any lists. It is not guaranteed
 * to be right, so it is first compared with all lists, and used only if equal; the lists are then polled as an audit. If a page
 * keeps disagreeing with a list, it is not used for a day.
 */
export class FastPath {
  readonly #deps: FastPathDeps;
  #pages = new TaskPages(pageSize);
  #state: FastPathState = { kind: "off", reason: null };
  /** Set while pages are compared with the lists. */
  #check: PageCheck | null = null;
  #retryAt: Temporal.Instant | null = null;
  #failures = 0;
  readonly #mismatches: PageMismatches;
  readonly #evidence = new ListEvidence();
  #jobs = 0;
  #polls = 0;
  /** By page: contents that are still in the mirror, with no element on another page since. */
  readonly #kept = new Map<number, KeptPage>();

  constructor(deps: FastPathDeps) {
    this.#deps = deps;
    this.#mismatches = new PageMismatches({
      ...deps,
      requestSoon: (page) => this.#requestSoon(page),
      onDisagreement: (reason) => this.#drop(reason),
    });
    deps.store.mirror.follow((source, id) => {
      const kind = kindIn(source);
      const page = kind === "event" ? null : this.#pages.pageOf(elementOf({ kind, id }));
      if (page !== null) this.#kept.delete(page);
    });
  }

  get state(): FastPathState {
    return this.#state;
  }

  /** Parses every page the next time, even if unchanged. */
  rereadAll(): void {
    this.#kept.clear();
    this.#deps.applied.forget();
  }

  /** Continues with pending work. Call after every poll, once all lists have been read. */
  step(): void {
    this.#polls += 1;
    try {
      this.#step();
    } catch (error) {
      this.#deps.report({ kind: "fault", source: allTasksName, error });
      this.#drop("it failed");
    }
  }

  #step(): void {
    switch (this.#state.kind) {
      case "off":
        this.#begin();
        return;
      case "checking":
        this.#mismatches.retry(this.#pages);
        // Every second poll is left for other work.
        if (this.#polls % 2 === 0 && this.#check) this.#goOnChecking(this.#check);
        return;
      case "used":
        this.#mismatches.retry(this.#pages);
        this.#judgeUnseen();
    }
  }

  /** Records that a list of tasks or subtasks was read by a request sent at `at`, with its new or changed items. */
  noteRead(
    source: string,
    { at, put }: { readonly at: Temporal.Instant; readonly put: readonly Item[] },
  ): void {
    if (this.#state.kind === "off") return;
    this.#mismatches.listRead(source, { at, pages: this.#pages });
    if (this.#state.kind !== "used") return;
    for (const item of put) {
      if (item.kind === "event" || item.id === null) continue;
      const element = elementOf(item);
      const { updatedAt } = item;
      const shown = this.#evidence.listed(element, { updatedAt, at, pages: this.#pages });
      if (shown.kind === "older") {
        this.#drop(`it showed ${elementNameOf(element)} in a state that its list does not have`);
        return;
      }
      // The page must now show the same.
      if (shown.page !== null) this.#requestSoon(shown.page);
    }
  }

  #begin(): void {
    const { sources, clock } = this.#deps;
    if (this.#retryAt && Temporal.Instant.compare(this.#retryAt, clock()) > 0) return;
    if (sources.countOf("tasks") + sources.countOf("subtasks") < fewestSources) {
      this.#retryAt = later(clock(), dayLength);
      return;
    }
    this.#pages = new TaskPages(pageSize);
    this.#state = { kind: "checking" };
    this.#check = new PageCheck({ ...this.#deps, pages: this.#pages });
    this.#putJobs(1);
  }

  #goOnChecking(check: PageCheck): void {
    const { sources } = this.#deps;
    const next = check.next({ asked: this.#jobs, mismatches: this.#mismatches.size });
    switch (next.kind) {
      case "wait":
        return;
      case "page":
        this.#putJobs(this.#jobs + 1);
        return;
      case "again":
        for (const name of next.lists) sources.hurry(name);
        this.#putJobs(0);
        this.#pages.expire();
        this.#putJobs(1);
        return;
      case "agrees":
        this.#use();
        return;
      case "differs":
        this.#drop(next.reason);
        return;
      default:
        unreachable(next);
    }
  }

  #use(): void {
    const { schedule, sources, report } = this.#deps;
    this.#state = { kind: "used", pages: this.#pages.count };
    this.#check = null;
    sources.assumeFresh();
    schedule.leaveToAudit(true);
    report({ kind: "fast-path", state: "used", reason: null });
  }

  #drop(reason: string, rest = dayLength): void {
    const { schedule, report, clock } = this.#deps;
    const wasThere = this.#jobs > 1 || this.#state.kind === "used";
    if (this.#state.kind === "used") schedule.leaveToAudit(false);
    this.#state = { kind: "off", reason };
    this.#retryAt = later(clock(), rest);
    this.#failures = 0;
    this.#putJobs(0);
    this.#mismatches.clear();
    this.#evidence.clear();
    this.#check = null;
    this.#kept.clear();
    // A service without such a list is no problem to report.
    if (wasThere) report({ kind: "fast-path", state: "dropped", reason });
  }

  #putJobs(count: number): void {
    const { schedule } = this.#deps;
    for (; this.#jobs < count; this.#jobs += 1) {
      const page = this.#jobs;
      const run = (signal: AbortSignal) => this.#read(page, signal);
      schedule.putJob({ key: keyOf(page), weight: 1, cost: 1, run });
    }
    for (; this.#jobs > count; this.#jobs -= 1) schedule.dropJob(keyOf(this.#jobs - 1));
  }

  async #read(page: number, signal: AbortSignal): Promise<JobOutcome> {
    const { clock, report } = this.#deps;
    const reading = { page, at: clock() };
    const of = this.#pages;
    try {
      const answer = await requestPage(this.#deps, page, signal);
      // Dropped meanwhile, or restarted.
      const isOver = () => this.#isOff() || this.#pages !== of;
      if (isOver()) return ended;
      if (!answer.ok) return this.#fail(answer.failure);
      const { digest, read } = answer.value;
      const kept = this.#kept.get(page);
      if (kept?.digest === digest) return this.#stayed(reading, kept);
      const recalled = this.#recall(reading, digest);
      if (recalled) return recalled;
      const whole = await read();
      if (isOver()) return ended;
      return whole.ok ? this.#take(reading, digest, whole.value) : this.#fail(whole.failure);
    } catch (error) {
      report({ kind: "fault", source: allTasksName, error });
      this.#drop("it failed");
      return ended;
    }
  }

  #fail(failure: Failure): JobOutcome {
    if (failure.kind === "aborted") return ended;
    if (isLookUpRefused(failure)) {
      this.#drop(describeFailure(failure));
      return ended;
    }
    const { clock, maxAge } = this.#deps;
    this.#failures += 1;
    if (this.#failures >= mostFailures) this.#drop(describeFailure(failure), maxAge);
    return {
      kind: "failed",
      notBefore: later(clock(), restOf(failure, { failures: Math.max(1, this.#failures), maxAge })),
    };
  }

  /** Processes an unchanged page that is completely in the mirror. */
  #stayed(reading: Reading, kept: KeptPage): JobOutcome {
    const { elements: same } = kept;
    this.#failures = 0;
    this.#mismatches.settle(same);
    this.#seen(reading, kept);
    this.#deps.report(polledEvent(keyOf(reading.page), { unchanged: same.length }));
    return this.#ending({ at: reading.at, changes: [], shown: [] });
  }

  #take(reading: Reading, digest: string, answer: TaskPage): JobOutcome {
    const { store, sources, upstream, clock } = this.#deps;
    const { page } = reading;
    this.#failures = 0;
    const oddity = this.#oddityOf(page, answer);
    if (oddity !== null) {
      this.#drop(oddity);
      return ended;
    }
    const applied = store.together(() => {
      const done = applyPage(store, {
        page: answer,
        sources,
        isTrusted: this.#state.kind === "used",
        clockLead: upstream.clockLead(),
        today: clock().toZonedDateTimeISO("UTC").toPlainDate(),
      });
      sources.save();
      this.#deps.applied.note(page, { digest, answer, contents: done.contents });
      return done;
    });
    const kept = { digest, elements: answer.items.map(elementOf), total: answer.total };
    // Applying the same page again would change nothing while its rows stay the same.
    const isSettled = isWhole(answer) && applied.same.length === kept.elements.length;
    return this.#accept(reading, kept, { isSettled, applied });
  }

  /** Processes an unparsed page whose contents are known and equal to the mirror. */
  #recall(reading: Reading, digest: string): JobOutcome | null {
    const { page } = reading;
    const known = this.#evidence.isRead(page) ? null : this.#deps.applied.recall(page, digest);
    if (!known) return null;
    const { items: same, elements, total, contents } = known;
    const answer = { items: same, problems: [], received: same.length, total };
    if (this.#oddityOf(page, answer) !== null) return null;
    this.#failures = 0;
    const applied = { ...nothingApplied, same, contents };
    return this.#accept(reading, { digest, elements, total }, { isSettled: true, applied });
  }

  /** Handles the result of an applied page. */
  #accept(
    reading: Reading,
    kept: KeptPage,
    { isSettled, applied }: { readonly isSettled: boolean; readonly applied: AppliedPage },
  ): JobOutcome {
    const { report, onShown, schedule } = this.#deps;
    const { page, at } = reading;
    const isUsed = this.#state.kind === "used";
    this.#seen(reading, kept);
    if (isSettled) this.#kept.set(page, kept);
    else this.#kept.delete(page);
    for (const item of applied.put) this.#evidence.taken(item);
    const mismatched = new Set(applied.mismatches.map(({ item }) => elementOf(item)));
    this.#mismatches.settle(kept.elements.filter((element) => !mismatched.has(element)));
    const news = applied.mismatches.filter((mismatch) => this.#mismatches.raise(page, mismatch));
    onShown(applied);
    const { changes: acts, heldBack, same } = applied;
    report(polledEvent(keyOf(page), { changes: acts, heldBack, unchanged: same.length }));
    const shown = lastChangesOf(applied);
    // While pages are checked, the lists report the same changes.
    const changes = isUsed
      ? [...applied.changedAt, ...news.map(({ item }) => item.updatedAt)]
      : schedule.since(keyOf(page), shown);
    return this.#ending({ at, changes, shown });
  }

  /** Records where the elements of a page are. */
  #seen({ page, at }: Reading, { elements, total }: KeptPage): void {
    this.#evidence.pageRead(page, elements, at);
    for (const element of elements) {
      const before = this.#pages.pageOf(element);
      if (before !== null && before !== page) this.#kept.delete(before);
    }
    this.#pages.note({ page, elements, total });
  }

  /** Handles what a page has revealed about the whole. */
  #ending(revealed: RevealedByJob): JobOutcome {
    this.#mismatches.missLost(this.#pages);
    this.#goOn();
    return this.#isOff() ? ended : { kind: "read", revealed };
  }

  #goOn(): void {
    if (this.#isOff()) return;
    const isUsed = this.#state.kind === "used";
    if (isUsed && this.#mismatches.size > mostMismatches) {
      this.#drop("it differs from the lists in many tasks");
      return;
    }
    const { wanted, scattered } = this.#pages;
    if (scattered >= (isUsed ? mostScattered : 1)) {
      this.#drop("its order changes between requests");
      return;
    }
    if (wanted !== null) this.#requestSoon(wanted);
    if (isUsed) {
      this.#putJobs(this.#pages.count);
      this.#state = { kind: "used", pages: this.#pages.count };
      return;
    }
    const reason = this.#check?.pageRead() ?? null;
    if (reason !== null) this.#drop(reason);
  }

  #isOff(): boolean {
    return this.#state.kind === "off";
  }

  /** Why an answer cannot be a page of the list of all tasks; null for an ordinary page. */
  #oddityOf(
    page: number,
    answer: Pick<TaskPage, "items" | "problems" | "received" | "total">,
  ): string | null {
    const fault = pageFault(page, answer);
    if (fault !== null) return fault;
    const { items } = answer;
    const isRepeated =
      page > 0 &&
      items.length > 0 &&
      this.#state.kind === "checking" &&
      items.every((item) => this.#pages.pageOf(elementOf(item)) === page - 1);
    return isRepeated ? `page ${page + 1} is page ${page} again` : null;
  }

  /** What a list has shown must be on some page once all were read since. */
  #judgeUnseen(): void {
    const { count } = this.#pages;
    if (this.#polls % count !== 0) return;
    const element = this.#evidence.takeOverdue(count);
    if (element !== null && rowOf(this.#deps.store.mirror, element)) {
      this.#drop("its pages lack a task that is in its list");
    }
  }

  #requestSoon(page: number): void {
    this.#deps.schedule.hint(keyOf(page), pressing);
  }
}

const keyOf = (page: number): string => `${allTasksName}:${page}`;

/** A page that is no longer wanted. */
const ended: JobOutcome = { kind: "failed", notBefore: null };

/** When each item of a page was last changed. */
const lastChangesOf = ({ put, same, mismatches }: AppliedPage): RevealedByJob["shown"] =>
  [...put, ...same, ...mismatches.map(({ item }) => item)].map(({ updatedAt }) => updatedAt);

const nothingApplied = {
  changes: [],
  changedAt: [],
  put: [],
  heldBack: 0,
  mismatches: [],
} as const;
