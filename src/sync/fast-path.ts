import { later } from "../domain/backoff.ts";
import { type ProjectId, serviceId } from "../domain/ids.ts";
import type { Item, TaskItem } from "../domain/item.ts";
import type { Store } from "../store/store.ts";
import type { Upstream } from "../upstream/client.ts";
import { describeFailure, type Failure } from "../upstream/failure.ts";
import type { TaskPage } from "../upstream/resources/task-page.ts";
import { applyPage, type PageDoubt } from "./apply-page.ts";
import type { ItemChange, SyncEvent } from "./event.ts";
import { isRefusal, restOf } from "./plan-snapshot.ts";
import type { JobOutcome, PollSchedule } from "./poll-schedule.ts";
import type { SourceList } from "./source-list.ts";
import { type Element, TaskPages } from "./task-pages.ts";

interface FastPathDeps {
  readonly store: Store;
  readonly upstream: Upstream;
  readonly sources: SourceList;
  readonly schedule: Pick<PollSchedule, "putJob" | "dropJob" | "hint" | "leaveToAudit">;
  /** The projects that are mirrored; null = all that the service shows. */
  readonly projects: readonly ProjectId[] | null;
  readonly clock: () => Temporal.Instant;
  readonly maxAge: Temporal.Duration;
  readonly report: (event: SyncEvent) => void;
  /** Told what pages have shown: `put` is new or different, `same` as it is mirrored. */
  readonly onShown: (items: {
    readonly put: readonly Item[];
    readonly same: readonly Item[];
  }) => void;
}

/** How the account-wide list of tasks stands; `reason`: why it is not used. */
export type FastPathState =
  | { readonly kind: "off"; readonly reason: string | null }
  | { readonly kind: "checking" }
  | { readonly kind: "used"; readonly pages: number };

/** A disagreement between pages and lists that may still turn out to be none. */
interface Doubt {
  /** What the page says of the element; null: no page shows it. */
  readonly content: string | null;
  readonly source: string;
  readonly page: number | null;
  readonly since: Temporal.Instant;
  /** Whether the list was read since, and did not bear the pages out. */
  readonly isListRead: boolean;
  readonly strikes: number;
  /** Before this moment nothing is held against the pages again. */
  readonly restsUntil: Temporal.Instant;
}

/** The state of a check: which pass over all pages it is, and what the first one has not shown. */
interface Check {
  readonly pass: number;
  readonly missing: ReadonlySet<Element> | null;
  /** Readings until it is given up. */
  readonly left: number;
}

/** As many as the service gives at once. Source: beyond-the-document.md, Look-ups. */
const pageSize = 100;
/** With fewer lists nothing is to be gained that is worth a check. */
const fewestSources = 16;
/** A page has to stand for so many lists. */
const leastGain = 2;
const dayLength = Temporal.Duration.from({ hours: 24 });
/** How long pages that were found lacking stay lacking before that is held against them again, and how often that is. */
const patience = Temporal.Duration.from({ seconds: 20 });
const mostStrikes = 3;
const mostFailures = 3;
const mostScattered = 4;
const mostDoubts = 500;
const mostTaken = 10_000;
/** Lists whose elements are looked for among the pages at once. */
const listsAtOnce = 50;
/** What a page is worth that may show what the total has told of. */
const pressing = 1000;

/**
 * The account-wide list of tasks as a faster way to see changes: one request for 100 tasks of whatever lists. Nobody promises
 * that it tells the truth, so it is compared with the lists first, as a whole, and used only then; the lists are left to an
 * audit. What a page says and its list does not, for longer than an answer may lag, ends its use for a day.
 */
export class FastPath {
  readonly #deps: FastPathDeps;
  #pages = new TaskPages(pageSize);
  #state: FastPathState = { kind: "off", reason: null };
  #check: Check = noCheck;
  #retryAt: Temporal.Instant | null = null;
  #failures = 0;
  readonly #doubts = new Map<Element, Doubt>();
  /** What an element that leaves something out was last taken for a hint of. */
  readonly #hinted = new Map<Element, string>();
  /** Elements that lists have shown and no page yet, by when the list was read. */
  readonly #unseen = new Map<Element, Temporal.Instant>();
  /** When what pages have brought into the mirror was changed, the latest last. */
  readonly #taken = new Map<Element, Temporal.Instant>();
  #jobs = 0;
  #polls = 0;
  /** When the pages were last read, by page. */
  readonly #readAt: Temporal.Instant[] = [];
  #unverified: string[] | null = null;
  #missing = new Set<Element>();

  constructor(deps: FastPathDeps) {
    this.#deps = deps;
  }

  get state(): FastPathState {
    return this.#state;
  }

  /** Goes on with what is to be done; belongs after every poll, once all lists have been read. */
  step(): void {
    this.#polls += 1;
    try {
      this.#step();
    } catch (error) {
      this.#deps.report({ kind: "fault", source, error });
      this.#drop("it ran into a fault");
    }
  }

  #step(): void {
    switch (this.#state.kind) {
      case "off":
        this.#begin();
        return;
      case "checking":
        this.#retryDoubts();
        // Half of the polls are left to what else there is.
        if (this.#polls % 2 === 0) this.#goOnChecking();
        return;
      case "used":
        this.#retryDoubts();
        this.#judgeUnseen();
    }
  }

  /** Notes that a list of tasks or subtasks was read by a request that left at `at`, and what of it was new or different. */
  noteRead(
    source: string,
    { at, put }: { readonly at: Temporal.Instant; readonly put: readonly Item[] },
  ): void {
    if (this.#state.kind === "off") return;
    for (const [element, doubt] of this.#doubts) {
      const isLater = Temporal.Instant.compare(at, doubt.since) >= 0;
      if (doubt.source === source && isLater) this.#hear(element, doubt);
    }
    for (const item of put) {
      if (this.#state.kind !== "used") return;
      if (item.kind === "event" || item.id === null) continue;
      const element = elementOf(item);
      const taken = this.#taken.get(element);
      if (taken && item.updatedAt && Temporal.Instant.compare(item.updatedAt, taken) < 0) {
        this.#drop(`it has shown ${nameOf(element)} as it is not`);
        return;
      }
      const page = this.#pages.pageOf(element);
      // What the list has shown first the page has to show by now.
      if (page !== null) this.#urge(page);
      else if (!this.#unseen.has(element)) this.#unseen.set(element, at);
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
    this.#check = { pass: 1, missing: null, left: Number.POSITIVE_INFINITY };
    this.#unverified = null;
    this.#putJobs(1);
  }

  #goOnChecking(): void {
    const { pass, missing } = this.#check;
    if (this.#jobs < this.#pages.count) {
      this.#putJobs(this.#jobs + 1);
      return;
    }
    if (this.#pages.unread !== null || this.#jobs === 0) return;
    if (this.#doubts.size > 0) return;
    const { total, known, wanted } = this.#pages;
    if (total !== known) {
      if (wanted !== null) return;
      if (pass > 1) this.#drop(`it counts ${total} tasks and shows ${known}`);
      else this.#readAgain(new Set());
      return;
    }
    if (!this.#verify()) return;
    const lacking = [...this.#missing].filter((element) => !missing || missing.has(element));
    if (lacking.length === 0) {
      this.#use();
    } else if (pass > 1 || lacking.length > this.#pages.known / 20 + 20) {
      this.#drop(`${lacking.length} tasks that the lists show are on none of its pages`);
    } else {
      for (const name of this.#sourcesOf(lacking)) this.#deps.sources.hurry(name);
      this.#readAgain(new Set(lacking));
    }
  }

  /** Looks for what the lists have shown among the pages, some lists at a time; whether all are done. */
  #verify(): boolean {
    const { sources, store } = this.#deps;
    if (!this.#unverified) {
      this.#missing = new Set();
      this.#unverified = [...sources.ofKind("tasks"), ...sources.ofKind("subtasks")].map(
        ({ name }) => name,
      );
    }
    for (const name of this.#unverified.splice(0, listsAtOnce)) {
      const sign = name.startsWith("tasks:") ? 1 : -1;
      for (const id of store.mirror.contents(name).keys()) {
        if (this.#pages.pageOf(sign * id) === null) this.#missing.add(sign * id);
      }
    }
    return this.#unverified.length === 0;
  }

  #sourcesOf(elements: readonly Element[]): ReadonlySet<string> {
    return new Set(elements.flatMap((element) => this.#rowOf(element)?.source ?? []));
  }

  #use(): void {
    const { schedule, report } = this.#deps;
    this.#state = { kind: "used", pages: this.#pages.count };
    this.#unverified = null;
    this.#missing.clear();
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
    this.#doubts.clear();
    this.#hinted.clear();
    this.#unseen.clear();
    this.#taken.clear();
    this.#missing.clear();
    this.#unverified = null;
    // A service without such a list is as good as any other.
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

  /** Passes over all pages once more: elements may have moved from page to page while those were read. */
  #readAgain(missing: ReadonlySet<Element>): void {
    this.#check = { ...this.#check, pass: this.#check.pass + 1, missing };
    this.#unverified = null;
    this.#putJobs(0);
    this.#pages.expire();
    this.#putJobs(1);
  }

  async #read(page: number, signal: AbortSignal): Promise<JobOutcome> {
    const { upstream, projects, clock, report } = this.#deps;
    const at = clock();
    const of = this.#pages;
    try {
      const answer = await upstream.workspace.allTasks(
        {
          start: page * pageSize,
          limit: pageSize,
          ...(projects && { projectIds: projects }),
          includeSubtasks: true,
          includeCompleted: true,
        },
        { priority: "sweep", signal },
      );
      // Dropped meanwhile, or begun anew.
      if (this.#state.kind === "off" || this.#pages !== of)
        return { kind: "failed", notBefore: null };
      return answer.ok
        ? this.#take(page, { at, answer: answer.value })
        : this.#fail(answer.failure);
    } catch (error) {
      report({ kind: "fault", source, error });
      this.#drop("it ran into a fault");
      return { kind: "failed", notBefore: null };
    }
  }

  #fail(failure: Failure): JobOutcome {
    if (failure.kind === "aborted") return { kind: "failed", notBefore: null };
    if (isRefusal(failure)) {
      this.#drop(describeFailure(failure));
      return { kind: "failed", notBefore: null };
    }
    const { clock, maxAge } = this.#deps;
    this.#failures += 1;
    if (this.#failures >= mostFailures) this.#drop(describeFailure(failure), maxAge);
    return {
      kind: "failed",
      notBefore: later(clock(), restOf(failure, { failures: Math.max(1, this.#failures), maxAge })),
    };
  }

  #take(
    page: number,
    { at, answer }: { readonly at: Temporal.Instant; readonly answer: TaskPage },
  ): JobOutcome {
    const { store, sources, upstream, clock, report, onShown } = this.#deps;
    this.#failures = 0;
    const isUsed = this.#state.kind === "used";
    const oddity = this.#oddityOf(page, answer);
    if (oddity !== null) {
      this.#drop(oddity);
      return { kind: "failed", notBefore: null };
    }
    const applied = store.together(() => {
      const done = applyPage(store, {
        page: answer,
        sources,
        isTrusted: isUsed,
        clockLead: upstream.clockLead(),
        today: clock().toZonedDateTimeISO("UTC").toPlainDate(),
      });
      sources.save();
      return done;
    });
    const elements = answer.items.map(elementOf);
    for (const element of elements) this.#unseen.delete(element);
    this.#pages.note({ page, elements, total: answer.total });
    this.#readAt[page] = at;
    for (const item of applied.put) this.#note(item);
    const doubtful = new Set(applied.doubts.map(({ item }) => elementOf(item)));
    for (const element of elements) if (!doubtful.has(element)) this.#doubts.delete(element);
    const news = applied.doubts.filter((doubt) => this.#doubt(page, doubt));
    onShown(applied);
    report(polledEvent(page, applied));
    this.#missLost();
    this.#goOn();
    if (this.#isOff()) return { kind: "failed", notBefore: null };
    const changes = [...applied.changedAt, ...news.map(({ item }) => item.updatedAt)];
    return { kind: "read", revealed: { at, changes: isUsed ? changes : [] } };
  }

  #note(item: Item): void {
    if (item.kind === "event" || !item.updatedAt) return;
    this.#taken.delete(elementOf(item));
    this.#taken.set(elementOf(item), item.updatedAt);
    const [oldest] = this.#taken.keys();
    if (this.#taken.size > mostTaken && oldest !== undefined) this.#taken.delete(oldest);
  }

  /** Sees to what a page that was just read has made of the whole. */
  #goOn(): void {
    if (this.#isOff()) return;
    if (this.#doubts.size > mostDoubts) {
      this.#drop("it differs from the lists in many tasks");
      return;
    }
    const { wanted, scattered } = this.#pages;
    if (scattered >= (this.#state.kind === "used" ? mostScattered : 1)) {
      this.#drop("its order changes from request to request");
      return;
    }
    if (wanted !== null) this.#urge(wanted);
    if (this.#state.kind === "used") {
      this.#putJobs(this.#pages.count);
      this.#state = { kind: "used", pages: this.#pages.count };
      return;
    }
    if (this.#check.left === Number.POSITIVE_INFINITY) {
      this.#weigh();
      return;
    }
    this.#check = { ...this.#check, left: this.#check.left - 1 };
    if (this.#check.left <= 0) this.#drop("it could not be brought into agreement with the lists");
  }

  #isOff(): boolean {
    return this.#state.kind === "off";
  }

  /** What no list of tasks that obeys can do; null for an ordinary page. */
  #oddityOf(page: number, { items, problems, received, total }: TaskPage): string | null {
    const [problem] = problems;
    if (problem !== undefined) return problem;
    const expected = Math.min(pageSize, Math.max(0, total - page * pageSize));
    if (received !== expected) {
      return `page ${page + 1} has ${received} tasks of ${total}, where ${expected} were to be expected`;
    }
    const [first] = items;
    const isRepeated =
      page > 0 &&
      first !== undefined &&
      this.#state.kind === "checking" &&
      items.every((item) => this.#pages.pageOf(elementOf(item)) === page - 1);
    return isRepeated ? `page ${page + 1} is page ${page} again` : null;
  }

  /** After the first page it is known how many there are, and so whether they are worth anything. */
  #weigh(): void {
    const { sources } = this.#deps;
    const lists = sources.countOf("tasks") + sources.countOf("subtasks");
    if (this.#pages.count * leastGain > lists) {
      this.#drop(`its ${this.#pages.count} pages would save too little`);
      return;
    }
    this.#check = { ...this.#check, left: 4 * this.#pages.count + 100 };
  }

  /** Takes note of an element that differs from the mirror; whether that is news. */
  #doubt(page: number, { item, content, source, isHint }: PageDoubt): boolean {
    const { sources, clock } = this.#deps;
    const element = elementOf(item);
    if (isHint) {
      const updatedAt = item.updatedAt?.toString() ?? "";
      if (this.#hinted.get(element) === updatedAt) return false;
      this.#hinted.set(element, updatedAt);
      sources.hurry(source);
      return true;
    }
    const known = this.#doubts.get(element);
    if (known?.content === content) {
      this.#strike(element, known);
      return false;
    }
    const since = clock();
    this.#doubts.set(element, { ...unheard, content, source, page, since, restsUntil: since });
    sources.hurry(source);
    return true;
  }

  /** An element that its list still shows and no page does is a disagreement like any other. */
  #missLost(): void {
    const { sources, clock } = this.#deps;
    for (const element of this.#pages.lost) {
      const row = this.#rowOf(element);
      if (!row || !sources.get(row.source)) {
        this.#pages.forget(element);
        this.#doubts.delete(element);
        continue;
      }
      const known = this.#doubts.get(element);
      if (known?.content === null) {
        this.#strike(element, known);
        continue;
      }
      const since = clock();
      const doubt = { ...unheard, content: null, page: null, since, restsUntil: since };
      this.#doubts.set(element, { ...doubt, source: row.source });
      sources.hurry(row.source);
    }
  }

  #strike(element: Element, doubt: Doubt): void {
    const { sources, clock } = this.#deps;
    const now = clock();
    if (!doubt.isListRead || Temporal.Instant.compare(doubt.restsUntil, now) > 0) return;
    const strikes = doubt.strikes + 1;
    if (strikes >= mostStrikes) {
      const name = nameOf(element);
      this.#drop(
        doubt.content === null
          ? `${name} is on none of its pages, though its list shows it`
          : `it shows ${name} in another state than its list`,
      );
      return;
    }
    const restsUntil = later(now, patience);
    this.#doubts.set(element, { ...doubt, strikes, isListRead: false, since: now, restsUntil });
    sources.hurry(doubt.source);
  }

  /** The list has said what it knows of a doubtful element. */
  #hear(element: Element, doubt: Doubt): void {
    const row = this.#rowOf(element);
    if ((row?.content ?? null) === doubt.content) {
      this.#doubts.delete(element);
      if (!row) this.#pages.forget(element);
      return;
    }
    // What the list does not show either is asked for by itself, and then gone or found elsewhere.
    const isAsked =
      doubt.content === null &&
      this.#deps.store.absences.all().some(({ item }) => item === row?.key);
    if (isAsked) return;
    this.#doubts.set(element, { ...doubt, isListRead: true });
    if (doubt.strikes === 0 && doubt.page !== null) this.#urge(doubt.page);
  }

  #retryDoubts(): void {
    const now = this.#deps.clock();
    for (const [element, doubt] of this.#doubts) {
      if (doubt.content === null && !this.#rowOf(element)) {
        this.#doubts.delete(element);
        this.#pages.forget(element);
      } else if (
        doubt.isListRead &&
        doubt.strikes > 0 &&
        Temporal.Instant.compare(doubt.restsUntil, now) <= 0
      ) {
        this.#urge(this.#pages.pageOf(element) ?? doubt.page ?? 0);
      }
    }
  }

  /** What a list has shown must be on some page once all were read since. */
  #judgeUnseen(): void {
    const [oldest] = this.#unseen;
    if (!oldest || this.#polls % this.#pages.count !== 0) return;
    const [element, since] = oldest;
    const isRead = (at: Temporal.Instant | undefined) =>
      at !== undefined && Temporal.Instant.compare(at, later(since, patience)) > 0;
    const count = this.#pages.count;
    if (!Array.from({ length: count }, (_, page) => this.#readAt[page]).every(isRead)) return;
    this.#unseen.delete(element);
    if (this.#rowOf(element)) this.#drop("its pages lack a task that its list shows");
  }

  #rowOf(element: Element) {
    const kind = element > 0 ? "task" : "subtask";
    const stored = this.#deps.store.mirror.stored(kind, serviceId(Math.abs(element)));
    return stored?.row ? { key: stored.key, ...stored.row } : null;
  }

  #urge(page: number): void {
    this.#deps.schedule.hint(keyOf(page), pressing);
  }
}

const noCheck: Check = { pass: 0, missing: null, left: 0 };
const unheard = { isListRead: false, strikes: 0 } as const;

/** What its events are told of. */
const source = "alltodo";

const keyOf = (page: number): string => `alltodo:${page}`;

function polledEvent(page: number, { changes, heldBack, same }: ReturnType<typeof applyPage>) {
  const count = (act: ItemChange["act"]) => changes.filter((change) => change.act === act).length;
  return {
    kind: "polled",
    source: keyOf(page),
    added: count("added"),
    changed: count("changed"),
    unchanged: same.length,
    missing: 0,
    heldBack,
    changes,
  } as const;
}

const nameOf = (element: Element): string =>
  `${element > 0 ? "task" : "subtask"} ${Math.abs(element)}`;

const elementOf = ({ kind, id }: Pick<TaskItem, "kind" | "id">): Element =>
  (kind === "task" ? 1 : -1) * (id ?? 0);
