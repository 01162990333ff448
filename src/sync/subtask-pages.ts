import { credibleLead } from "../domain/clock-lead.ts";
import type { ProjectId, ServiceId } from "../domain/ids.ts";
import type { Item, TaskItem } from "../domain/item.ts";
import { sourceOf } from "../domain/source.ts";
import { contentText } from "../store/rows/item-rows.ts";
import type { PageReading, ReadPage, ShownSubtask } from "../store/rows/page-rows.ts";
import type { Store } from "../store/store.ts";
import type { Turns } from "../turns.ts";
import type { Upstream } from "../upstream/client.ts";
import type { TaskPage } from "../upstream/resources/task-page.ts";
import type { AppliedPages } from "./applied-pages.ts";
import { applyPlan, expectationsOf } from "./apply-snapshot.ts";
import type { ItemChange, SyncEvent } from "./event.ts";
import { type Identified, isIdentified, planSnapshot } from "./plan-snapshot.ts";
import type { PollSchedule } from "./poll-schedule.ts";
import type { PolledSource, SourceList } from "./source-list.ts";
import type { Job } from "./worker-pool.ts";

interface SubtaskPagesDeps {
  readonly store: Store;
  readonly upstream: Upstream;
  readonly sources: SourceList;
  readonly schedule: Pick<PollSchedule, "took" | "noteDates">;
  /** The projects that are mirrored; null = all that the service shows. */
  readonly projects: readonly ProjectId[] | null;
  readonly clock: () => Temporal.Instant;
  readonly report: (event: SyncEvent) => void;
  /** Told what each page has said, as it is asked for again soon. */
  readonly applied: Pick<AppliedPages, "note">;
  /** Told what was new. */
  readonly onTaken: (items: readonly Item[]) => void;
  /** What pages have shown is taken in turns. */
  readonly turns: Turns;
}

/** What pages and lists say of the same elements. */
interface Comparison {
  readonly alike: number;
  readonly different: number;
}

/** A page as it was read, and the hash of its body. */
interface Asked {
  readonly digest: string;
  readonly page: TaskPage;
}

/** A list of subtasks that pages have shown, once it is in the mirror. */
interface TakenList {
  readonly entry: PolledSource;
  readonly items: readonly Identified[];
  readonly changes: readonly ItemChange[];
}

/** As many as the service gives at once. Source: beyond-the-document.md, Look-ups. */
const pageSize = 100;
/** With fewer lists of tasks there are hardly enough subtasks for pages to be worth a thought. */
const fewestLists = 25;
/** With fewer tasks that have subtasks, or than so many for each page, nothing is to be gained. */
const fewestParents = 100;
const leastGain = 2;
/** Lists of subtasks that are read beside the pages, to compare: so many at least, and this part of all. */
const fewestProbes = 12;
const probePart = 0.01;
/** The part of tasks, and of compared lists of subtasks, that may differ without a later time of change that would explain it. */
const mostDifferent = { tasks: 0.002, subtasks: 0.02 } as const;
/** The service's times have whole seconds, and so has the header by which its clock is known. */
const margin = Temporal.Duration.from({ seconds: 2 });

/** What its events are told of. */
const source = "alltodo";

/**
 * Subtasks of a first sweep out of the list of all tasks: 100 elements by one request, where lists take one for each task that
 * has subtasks. By then all lists of tasks were read, and some of subtasks. Only where pages show all of these as their lists
 * do, subtasks are taken from them; and of those only such as are complete by the count of their task, leave nothing out, and have
 * nothing to do with an edit. All other lists are read as ever, and what was taken is left to the audit.
 *
 * What pages have shown is kept until it was made use of: where a process is cut off the next one goes on with the pages that are
 * left, and asks for one more where none is. Unless that has the same total as before all pages are read anew.
 */
export class SubtaskPages {
  readonly #deps: SubtaskPagesDeps;
  #isOver = false;
  /** What is compared, and when the first page was asked for. */
  #reading: PageReading = notBegun;
  readonly #below = new Map<ServiceId, ShownSubtask[]>();
  /** How many subtasks a task has that pages and lists show alike. */
  readonly #counts = new Map<ServiceId, number>();
  #tasks: Comparison = { alike: 0, different: 0 };
  /** Why pages are not to be trusted; null as long as they are. */
  #doubt: string | null = null;

  constructor(deps: SubtaskPagesDeps) {
    this.#deps = deps;
  }

  /** Whether lists of subtasks should wait, as far as is known by now. */
  mayHelp(): boolean {
    return !this.#isOver && this.#deps.sources.countOf("tasks") >= fewestLists;
  }

  /** Lists of subtasks to be read first; none where pages would be of no use, for which there is no other chance. */
  probes(): ReadonlySet<string> {
    if (!this.mayHelp()) return new Set();
    const { store, projects } = this.#deps;
    const scope = projects?.join() ?? "all";
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

  /** Reads all pages, after the lists of `probes`, and takes from them what can be trusted. `together` does many jobs at once. */
  async read(
    signal: AbortSignal,
    together: (jobs: readonly Job[]) => Promise<void>,
  ): Promise<void> {
    this.#isOver = true;
    const { store, report } = this.#deps;
    try {
      if (signal.aborted || !(await this.#readAll(signal, together))) return;
      this.#judge();
      if (this.#doubt === null) await this.#take(signal);
      else report({ kind: "fast-path", state: "dropped", reason: this.#doubt });
    } catch (error) {
      report({ kind: "fault", source, error });
    } finally {
      this.#forget();
      if (!signal.aborted) store.pageReadings.forget();
    }
  }

  /** Whether all that pages may be good for was read. */
  async #readAll(
    signal: AbortSignal,
    together: (jobs: readonly Job[]) => Promise<void>,
  ): Promise<boolean> {
    const readTogether = (pages: readonly number[]) =>
      together(
        pages.map((page) => async () => {
          if (this.#doubt === null) await this.#read(page, signal);
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

  /** Takes in the pages that an earlier process has read; which are left, null where there were none. */
  async #leftOfKept(): Promise<readonly number[] | null> {
    const { store, turns } = this.#deps;
    const { first } = this.#reading;
    if (first === null) return null;
    const left = new Set(Array.from({ length: Math.ceil(first.total / pageSize) }, (_, at) => at));
    for (const number of store.pageReadings.numbers()) {
      await turns.share();
      const page = store.pageReadings.page(number);
      if (page) {
        this.#note(page);
        left.delete(number);
      }
    }
    return [...left];
  }

  /** Asks whether there is as much as there was, by a page that is left or by the last one; otherwise nothing of it counts. */
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
    this.#doubt = null;
  }

  /** Lists of subtasks that nobody has ever read. */
  #open(): readonly PolledSource[] {
    return this.#deps.sources
      .ofKind("subtasks")
      .filter(({ everRead, turn, underWay }) => !everRead && turn === 0 && !underWay);
  }

  /** What a page that fails would have shown is read list by list. */
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

  /** Null where the page says nothing. */
  async #ask(page: number, signal: AbortSignal): Promise<Asked | null> {
    const { upstream, projects } = this.#deps;
    const answer = await upstream.workspace.allTasksUnread(
      {
        start: page * pageSize,
        limit: pageSize,
        ...(projects && { projectIds: projects }),
        includeSubtasks: true,
        includeCompleted: true,
      },
      { priority: "sweep", signal },
    );
    if (!answer.ok) return null;
    const { digest, read } = answer.value;
    const whole = await read();
    return whole.ok ? { digest, page: whole.value } : null;
  }

  #hear(page: number, { digest, page: answer }: Asked): void {
    const { total, received, problems } = answer;
    const expected = Math.min(pageSize, Math.max(0, total - page * pageSize));
    const [problem] = problems;
    if (problem !== undefined) this.#doubt ??= problem;
    else if (received !== expected) {
      this.#doubt ??= `page ${page + 1} has ${received} tasks of ${total}, where ${expected} were to be expected`;
    } else {
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
      if (shown.some(({ item }) => item.id === id)) this.#doubt ??= `it shows subtask ${id} twice`;
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

  /** Null where there is nothing to compare with. */
  #compareTask(item: TaskItem & { readonly id: ServiceId }): keyof Comparison | null {
    const { store, sources } = this.#deps;
    const list = sources.get(sourceOf(item));
    if (!list || !this.#isRead(list)) return null;
    const stored = store.mirror.stored("task", item.id);
    if (stored?.row?.content === contentText(item) && stored.row.source === list.name)
      return "alike";
    return this.#isLater(item, list) ? null : "different";
  }

  /** Whether a list was read in the round under way, also if by an earlier process. */
  #isRead(list: PolledSource): boolean {
    return list.read || (list.everRead && this.#deps.sources.isDone(list));
  }

  /** Whether an element was changed after its list had been read, or may have been. */
  #isLater({ updatedAt }: TaskItem, { attemptedAt }: PolledSource): boolean {
    if (!updatedAt || !attemptedAt) return false;
    const lead = credibleLead(this.#deps.upstream.clockLead());
    const readAt = attemptedAt.subtract(lead).subtract(margin);
    return Temporal.Instant.compare(updatedAt, readAt) >= 0;
  }

  #judge(): void {
    const { alike, different } = this.#tasks;
    if (alike === 0 || different > mostDifferent.tasks * (alike + different)) {
      this.#doubt ??= `it shows ${different} of ${alike + different} tasks in another state than their lists`;
    }
    const { probes } = this.#reading;
    const known = probes.flatMap((name) => this.#deps.sources.get(name) ?? []);
    const read = known.filter((probe) => this.#isRead(probe));
    const wrong = read.filter((probe) => !this.#agrees(probe));
    if (read.length === 0 || wrong.length > mostDifferent.subtasks * read.length) {
      this.#doubt ??= `it shows the subtasks of ${wrong.length} of ${read.length} tasks otherwise than their lists`;
    }
  }

  /** Whether pages have shown what a list of subtasks did, apart from what was changed since. */
  #agrees(probe: PolledSource): boolean {
    const known = this.#deps.store.mirror.contents(probe.name);
    const shown = probe.source.kind === "subtasks" ? this.#below.get(probe.source.taskId) : null;
    const isSame = (shown ?? []).every(
      ({ item }) => known.get(item.id)?.content === contentText(item) || this.#isLater(item, probe),
    );
    return isSame && (shown ?? []).length === known.size;
  }

  async #take(signal: AbortSignal): Promise<void> {
    const { store, sources, schedule, turns, report, onTaken } = this.#deps;
    const at = this.#reading.first?.askedAt ?? this.#deps.clock();
    const left = [...this.#open()].reverse();
    const changes: ItemChange[] = [];
    while (left.length > 0 && !signal.aborted) {
      await turns.share();
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
    const nothing = { changed: 0, unchanged: 0, missing: 0, heldBack: 0 } as const;
    report({ kind: "polled", source, added: changes.length, ...nothing, changes });
  }

  /** Takes lists from the end, as many as the present turn has time for, and one at least. Belongs inside a transaction. */
  #takeLists(left: PolledSource[], at: Temporal.Instant): readonly TakenList[] {
    const taken: TakenList[] = [];
    do {
      const entry = left.pop();
      const list = entry ? this.#takeList(entry, at) : null;
      if (list) taken.push(list);
    } while (left.length > 0 && !this.#deps.turns.isOver());
    return taken;
  }

  /** Puts the subtasks of one task; null where its list has to be read. Belongs inside a transaction. */
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
        // What the mirror knows, or has known, has a story that its list has to go on with.
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
    const { changes } = applyPlan(store, { plan, source: name });
    store.sources.attempted(entry.source, at);
    store.sources.succeeded(entry.source, { items: shown.length, doubts: null });
    return { entry, items: plan.put, changes };
  }

  /** How many subtasks a task has by what its list has said since, or an edit. */
  #countOf(task: ServiceId): number | null {
    const { mirror } = this.#deps.store;
    const stored = mirror.stored("task", task);
    const item = stored?.row ? mirror.get(stored.key)?.item : null;
    return item?.kind === "task" ? item.subtaskCount : null;
  }
}

const notBegun: PageReading = { scope: "", probes: [], first: null };

/** Whether a page still shows the same subtasks as it did. */
function isAlike({ subtasks }: ReadPage, items: readonly TaskItem[]): boolean {
  const now = items.filter(({ parentId }) => parentId !== null);
  return (
    now.length === subtasks.length && subtasks.every(({ item }, at) => item.id === now[at]?.id)
  );
}

const isTask = (item: TaskItem): item is TaskItem & { readonly id: ServiceId } =>
  isIdentified(item);
