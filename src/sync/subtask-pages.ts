import { credibleLead } from "../domain/clock-lead.ts";
import type { ServiceId } from "../domain/ids.ts";
import type { Item, TaskItem } from "../domain/item.ts";
import { sourceOf } from "../domain/source.ts";
import { contentText } from "../store/rows/item-rows.ts";
import type { PageReading, ReadPage, ShownSubtask } from "../store/rows/page-rows.ts";
import type { TaskPage } from "../upstream/resources/task-page.ts";
import {
  type AppliedPages,
  allTasksName,
  clockMargin,
  isTask,
  pageFault,
  pageSize,
  requestPage,
} from "./all-tasks.ts";
import { applyPlan, expectationsOf } from "./apply-snapshot.ts";
import { type ItemChange, polledEvent } from "./event.ts";
import { type Identified, planSnapshot } from "./plan-snapshot.ts";
import type { PollSchedule } from "./poll-schedule.ts";
import type { PolledSource } from "./polled-source.ts";
import { configuredProjects } from "./sources-in-scope.ts";
import type { SyncContext } from "./sync-context.ts";
import type { Job } from "./worker-pool.ts";

interface SubtaskPagesDeps extends SyncContext {
  readonly schedule: Pick<PollSchedule, "took" | "noteDates">;
  /** Stores each page's contents, as it is requested again soon. */
  readonly applied: Pick<AppliedPages, "note">;
  /** Called with new items. */
  readonly onTaken: (items: readonly Item[]) => void;
}

/** Elements that are the same on pages and in lists, and those that differ. */
interface Comparison {
  readonly alike: number;
  readonly different: number;
}

/** A page with the hash of its body. */
interface Asked {
  readonly digest: string;
  readonly page: TaskPage;
}

/** A list of subtasks from pages, once it is in the mirror. */
interface TakenList {
  readonly entry: PolledSource;
  readonly items: readonly Identified[];
  readonly changes: readonly ItemChange[];
}

/** With fewer lists of tasks there are hardly enough subtasks for pages to help. */
const fewestLists = 25;
/** Below this many parent tasks, or parents per page, polling pages costs more than it saves. */
const fewestParents = 100;
const leastGain = 2;
/** Subtask lists that are read besides the pages for comparison: at least this many, and this share of all. */
const fewestProbes = 12;
const probePart = 0.01;
/** Share of tasks, and of compared subtask lists, that may differ without a later change time. */
const mostDifferent = { tasks: 0.002, subtasks: 0.02 } as const;

/**
 * Takes subtasks of a first sync from the list of all tasks: 100 elements per request, where lists take one request per task
 * with subtasks. By then all lists of tasks were read, and some of subtasks. Only if pages agree with all of these are subtasks
 * taken from them, and only those that are complete by their task's count, omit nothing, and involve no edit. All other lists
 * are read as usual, and what was taken is audited later. Page contents are stored until they are used: after an interruption
 * the next process continues with the remaining pages, and requests one more if none is left. Unless that has the same total,
 * all pages are read anew.
 */
export class SubtaskPages {
  readonly #deps: SubtaskPagesDeps;
  #isOver = false;
  /** What is compared, and when the first page was requested. */
  #reading: PageReading = notBegun;
  readonly #below = new Map<ServiceId, ShownSubtask[]>();
  /** Number of a task's subtasks on which pages and lists agree. */
  readonly #counts = new Map<ServiceId, number>();
  #tasks: Comparison = { alike: 0, different: 0 };
  /** Why pages are not trusted; null if they are. */
  #mismatch: string | null = null;

  constructor(deps: SubtaskPagesDeps) {
    this.#deps = deps;
  }

  /** True if lists of subtasks should wait, as far as known. */
  mayHelp(): boolean {
    return !this.#isOver && this.#deps.sources.countOf("tasks") >= fewestLists;
  }

  /** Lists of subtasks to read first; none if pages would not help. */
  probes(): ReadonlySet<string> {
    if (!this.mayHelp()) return new Set();
    const { store } = this.#deps;
    const scope = configuredProjects(this.#deps.scope)?.join() ?? "all";
    const kept = store.pageReadings.get();
    if (kept?.scope === scope) this.#reading = kept;
    else {
      const open = this.#open();
      if (open.length < fewestParents) {
        this.#isOver = true;
        return new Set();
      }
      const count = Math.max(fewestProbes, Math.ceil(probePart * open.length));
      const step = Math.floor(open.length / count);
      const probes = open.filter((_, at) => at % step === 0).map(({ name }) => name);
      store.pageReadings.forget();
      this.#keep({ scope, probes, first: null });
    }
    return new Set(this.#reading.probes);
  }

  /** Reads all pages, after the lists of `probes`, and stores what can be trusted. `together` runs many jobs at once. */
  async read(
    signal: AbortSignal,
    together: (jobs: readonly Job[]) => Promise<void>,
  ): Promise<void> {
    this.#isOver = true;
    const { store, report } = this.#deps;
    try {
      if (signal.aborted || !(await this.#readAll(signal, together))) return;
      this.#judge();
      if (this.#mismatch === null) await this.#take(signal);
      else report({ kind: "fast-path", state: "dropped", reason: this.#mismatch });
    } catch (error) {
      report({ kind: "fault", source: allTasksName, error });
    } finally {
      this.#forget();
      if (!signal.aborted) store.pageReadings.forget();
    }
  }

  /** Returns whether everything that pages may help with was read. */
  async #readAll(
    signal: AbortSignal,
    together: (jobs: readonly Job[]) => Promise<void>,
  ): Promise<boolean> {
    const readTogether = (pages: readonly number[]) =>
      together(
        pages.map((page) => async () => {
          if (this.#mismatch === null) await this.#read(page, signal);
        }),
      );
    let left = await this.#leftOfKept();
    if (left !== null) {
      const [next] = left;
      const { length } = this.#open();
      const isEmpty = length === 0 || this.#reading.first?.total === 0;
      if (isEmpty || left.length * leastGain > length) return false;
      await together([() => this.#confirm(next ?? null, signal)]);
    }
    if (this.#reading.first === null) {
      await readTogether([0]);
      left = null;
    }
    const { first } = this.#reading;
    if (first === null || signal.aborted) return false;
    const count = Math.ceil(first.total / pageSize);
    if (left === null && (count === 0 || count * leastGain > this.#open().length)) return false;
    await readTogether(left?.slice(1) ?? Array.from({ length: count - 1 }, (_, at) => at + 1));
    return !signal.aborted;
  }

  /** Loads pages that an earlier process has read. Returns the remaining pages; null if none was read. */
  async #leftOfKept(): Promise<readonly number[] | null> {
    const { store, eventLoop } = this.#deps;
    const { first } = this.#reading;
    if (first === null) return null;
    const left = new Set(Array.from({ length: Math.ceil(first.total / pageSize) }, (_, at) => at));
    for (const number of store.pageReadings.numbers()) {
      await eventLoop.share();
      const page = store.pageReadings.page(number);
      if (page) {
        this.#note(page);
        left.delete(number);
      }
    }
    return [...left];
  }

  /** Checks with a remaining page, or with the last one, that the total is unchanged; otherwise stored pages are dropped. */
  async #confirm(next: number | null, signal: AbortSignal): Promise<void> {
    const { store } = this.#deps;
    const before = this.#reading.first?.total ?? 0;
    const page = next ?? Math.ceil(before / pageSize) - 1;
    const known = next === null ? store.pageReadings.page(page) : null;
    const answer = await this.#ask(page, signal);
    if (signal.aborted) return;
    const isSame =
      answer?.page.total === before && (known === null || isAlike(known, answer.page.items));
    if (!isSame) {
      this.#forget();
      store.pageReadings.forget();
      this.#keep({ ...this.#reading, first: null });
    } else if (next !== null) this.#hear(next, answer);
  }

  #keep(reading: PageReading): void {
    this.#reading = reading;
    this.#deps.store.pageReadings.put(reading);
  }

  #forget(): void {
    this.#below.clear();
    this.#counts.clear();
    this.#tasks = { alike: 0, different: 0 };
    this.#mismatch = null;
  }

  /** Lists of subtasks that were never read. */
  #open(): readonly PolledSource[] {
    return this.#deps.sources
      .ofKind("subtasks")
      .filter(({ everRead, turn, underWay }) => !everRead && turn === 0 && !underWay);
  }

  /** If a page fails, its contents are read list by list. */
  async #read(page: number, signal: AbortSignal): Promise<void> {
    const askedAt = this.#deps.clock();
    const answer = await this.#ask(page, signal);
    if (answer === null || signal.aborted) return;
    const { total } = answer.page;
    this.#deps.store.together(() => {
      if (this.#reading.first === null) this.#keep({ ...this.#reading, first: { askedAt, total } });
      this.#hear(page, answer);
    });
  }

  /** Null if the page is unusable. */
  async #ask(page: number, signal: AbortSignal): Promise<Asked | null> {
    const answer = await requestPage(this.#deps, page, signal);
    if (!answer.ok) return null;
    const { digest, read } = answer.value;
    const whole = await read();
    return whole.ok ? { digest, page: whole.value } : null;
  }

  #hear(page: number, { digest, page: answer }: Asked): void {
    const fault = pageFault(page, answer);
    if (fault !== null) this.#mismatch ??= fault;
    else {
      this.#deps.applied.note(page, { digest, answer });
      const read = this.#compared(page, answer);
      this.#note(read);
      this.#deps.store.pageReadings.putPage(read);
    }
  }

  #note({ different, counts, subtasks }: ReadPage): void {
    this.#tasks = {
      alike: this.#tasks.alike + counts.length,
      different: this.#tasks.different + different,
    };
    for (const [task, count] of counts) this.#counts.set(task, count);
    for (const one of subtasks) {
      const { parentId, id } = one.item;
      if (parentId === null) continue;
      const shown = this.#below.get(parentId) ?? [];
      this.#below.set(parentId, shown);
      if (shown.some(({ item }) => item.id === id))
        this.#mismatch ??= `it shows subtask ${id} twice`;
      shown.push(one);
    }
  }

  #compared(page: number, { items, partial }: TaskPage): ReadPage {
    const counts: (readonly [ServiceId, number])[] = [];
    const subtasks: ShownSubtask[] = [];
    let different = 0;
    for (const item of items) {
      if (!isTask(item)) continue;
      if (item.parentId !== null) {
        subtasks.push({ item, isPartial: partial.has(item) });
        continue;
      }
      const verdict = this.#compareTask(item);
      if (verdict === "alike") counts.push([item.id, item.subtaskCount]);
      if (verdict === "different") different += 1;
    }
    return { page, different, counts, subtasks };
  }

  /** Null if there is nothing to compare with. */
  #compareTask(item: Identified & TaskItem): keyof Comparison | null {
    const { store, sources } = this.#deps;
    const list = sources.get(sourceOf(item));
    if (!list || !this.#isRead(list)) return null;
    const stored = store.mirror.stored("task", item.id);
    if (stored?.row?.content === contentText(item) && stored.row.source === list.name)
      return "alike";
    return this.#isLater(item, list) ? null : "different";
  }

  /** True if a list was read in the current round, also by an earlier process. */
  #isRead(list: PolledSource): boolean {
    return list.read || (list.everRead && this.#deps.sources.isDone(list));
  }

  /** True if an element was, or may have been, changed after its list was read. */
  #isLater({ updatedAt }: TaskItem, { attemptedAt }: PolledSource): boolean {
    if (!updatedAt || !attemptedAt) return false;
    const lead = credibleLead(this.#deps.upstream.clockLead());
    const readAt = attemptedAt.subtract(lead).subtract(clockMargin);
    return Temporal.Instant.compare(updatedAt, readAt) >= 0;
  }

  #judge(): void {
    const { alike, different } = this.#tasks;
    if (alike === 0 || different > mostDifferent.tasks * (alike + different)) {
      this.#mismatch ??= `it shows ${different} of ${alike + different} tasks in another state than their lists`;
    }
    const { probes } = this.#reading;
    const known = probes.flatMap((name) => this.#deps.sources.get(name) ?? []);
    const read = known.filter((probe) => this.#isRead(probe));
    const wrong = read.filter((probe) => !this.#agrees(probe));
    if (read.length === 0 || wrong.length > mostDifferent.subtasks * read.length) {
      this.#mismatch ??= `it shows the subtasks of ${wrong.length} of ${read.length} tasks otherwise than their lists`;
    }
  }

  /** True if pages have shown what a list of subtasks did, apart from later changes. */
  #agrees(probe: PolledSource): boolean {
    const known = this.#deps.store.mirror.contents(probe.name);
    const shown = probe.source.kind === "subtasks" ? this.#below.get(probe.source.taskId) : null;
    const isSame = (shown ?? []).every(
      ({ item }) => known.get(item.id)?.content === contentText(item) || this.#isLater(item, probe),
    );
    return isSame && (shown ?? []).length === known.size;
  }

  async #take(signal: AbortSignal): Promise<void> {
    const { store, sources, schedule, eventLoop, report, onTaken } = this.#deps;
    const at = this.#reading.first?.askedAt ?? this.#deps.clock();
    const left = [...this.#open()].reverse();
    const changes: ItemChange[] = [];
    while (left.length > 0 && !signal.aborted) {
      await eventLoop.share();
      const taken = store.together(() => {
        sources.save();
        return this.#takeLists(left, at);
      });
      for (const { entry, items, ...applied } of taken) {
        changes.push(...applied.changes);
        sources.took(entry.name, at);
        schedule.noteDates(entry.name, { put: items, shown: items });
        schedule.took(entry.name, at);
        onTaken(items);
      }
    }
    report(polledEvent(allTasksName, { changes, unchanged: 0 }));
  }

  /** Takes lists from the end, as many as the current turn allows, and at least one. Call inside a transaction. */
  #takeLists(left: PolledSource[], at: Temporal.Instant): readonly TakenList[] {
    const taken: TakenList[] = [];
    do {
      const entry = left.pop();
      const list = entry ? this.#takeList(entry, at) : null;
      if (list) taken.push(list);
    } while (left.length > 0 && !this.#deps.eventLoop.isOver());
    return taken;
  }

  /** Stores the subtasks of one task; null if its list must be read. Call inside a transaction. */
  #takeList(entry: PolledSource, at: Temporal.Instant): TakenList | null {
    const { store, sources, upstream } = this.#deps;
    const { name } = entry;
    const now = sources.get(name);
    if (entry.source.kind !== "subtasks" || now?.source !== entry.source || now.turn > 0)
      return null;
    const { taskId, listId, projectId } = entry.source;
    const shown = this.#below.get(taskId) ?? [];
    const isWhole =
      shown.length > 0 &&
      shown.length === this.#counts.get(taskId) &&
      shown.length === this.#countOf(taskId) &&
      shown.every(({ item, isPartial }) => {
        const isThere = item.listId === listId && item.projectId === projectId;
        // An item that the mirror has or had is left to its list.
        return !isPartial && isThere && store.mirror.stored(item.kind, item.id) === null;
      });
    if (!isWhole || store.mirror.populated([name]).size > 0) return null;
    const plan = planSnapshot({
      known: new Map(),
      overtaken: new Set(),
      items: shown.map(({ item }) => item),
      ...expectationsOf(store, { source: name, clockLead: upstream.clockLead() }),
    });
    const claimed = plan.heldBack.length + plan.candidates.length + plan.lateCreations.length;
    if (claimed > 0 || plan.put.length !== shown.length) return null;
    const { changes } = applyPlan(store, plan, name);
    store.sources.attempted(entry.source, at);
    store.sources.succeeded(entry.source, { items: shown.length, gaps: null });
    return { entry, items: plan.put, changes };
  }

  /** Number of a task's subtasks according to the mirror. */
  #countOf(task: ServiceId): number | null {
    const item = this.#deps.store.mirror.byId("task", task)?.item;
    return item?.kind === "task" ? item.subtaskCount : null;
  }
}

const notBegun: PageReading = { scope: "", probes: [], first: null };

/** True if a page still shows the same subtasks. */
function isAlike({ subtasks }: ReadPage, items: readonly TaskItem[]): boolean {
  const now = items.filter(({ parentId }) => parentId !== null);
  return (
    now.length === subtasks.length && subtasks.every(({ item }, at) => item.id === now[at]?.id)
  );
}
