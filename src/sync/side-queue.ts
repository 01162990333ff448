import { isRecent } from "../domain/backoff.ts";
import { fingerprint } from "../domain/fingerprint.ts";
import type { ServiceId } from "../domain/ids.ts";
import type { Item, TaskItem } from "../domain/item.ts";
import {
  type SideSourceOfProject as OfProject,
  type SideSourceOfTask as OfTask,
  type SideSource,
  sideName,
} from "../domain/source.ts";
import { contentText } from "../store/rows/item-rows.ts";
import type { Store } from "../store/store.ts";
import { CurrentHeap, type HeapEntry } from "./current-heap.ts";
import { type DueTask, DueTasks } from "./due-tasks.ts";

/** Which side sources are mirrored. */
export interface SideOptions {
  readonly comments: boolean;
  readonly history: boolean;
  readonly files: boolean;
}

/** A side source that is due to be read. */
export interface DueRead {
  readonly source: SideSource;
  /** Of the task as its list shows it now, as the store keeps it; null for folders and files. */
  readonly seen: string | null;
  readonly failures: number;
}

export interface SideQueueDeps {
  readonly store: Store;
  readonly clock: () => Temporal.Instant;
  readonly options: SideOptions;
}

/** A source whose last reading failed. */
interface Failed extends HeapEntry {
  readonly failures: number;
  readonly notBefore: Temporal.Instant;
  /** What is due again once it has rested; null = it has. */
  due: (() => void) | null;
}

/**
 * The queue of side sources that are due, best first. Comments and history of a task are wanted when what its
 * list says of the task differs from what it said when they were last read; folders and files when they get old. The
 * store remembers what was read; the queue holds a few numbers for each task of which something is due or was read.
 */
export class SideQueue {
  readonly #deps: SideQueueDeps;
  readonly #tasks = { comments: new DueTasks(), history: new DueTasks() };
  readonly #folders = {
    folders: new Map<string, OfProject>(),
    files: new Map<string, OfProject>(),
  };
  readonly #failed = new Map<string, Failed>();
  readonly #resting = new CurrentHeap<Failed>((a, b) => restOf(a) - restOf(b));
  /** The marks of tasks whose comments, or whose history, were read. */
  readonly #read = {
    comments: new Map<ServiceId, number>(),
    history: new Map<ServiceId, number>(),
  };
  /** When folders and files were. */
  readonly #readAt = new Map<string, Temporal.Instant>();

  constructor(deps: SideQueueDeps) {
    this.#deps = deps;
    const { sideSources } = deps.store;
    sideSources.prune();
    for (const { kind, task, seen } of sideSources.ofTasks())
      this.#read[kind].set(task, markIn(seen));
    for (const { name, succeededAt } of sideSources.ofProjects()) {
      if (succeededAt) this.#readAt.set(name, succeededAt);
    }
  }

  /**
   * Makes comments and history due for those of the tasks that have changed, as a list has just shown them. `contents`: what was
   * written already of the content of some.
   */
  follow(items: readonly Item[], contents: ReadonlyMap<Item, string> = new Map()): void {
    const { options } = this.#deps;
    for (const item of items) {
      if (item.kind !== "task" || item.id === null) continue;
      if (options.comments) this.#follow("comments", item, markOf(saidOfComments(item)));
      if (!options.history) continue;
      const content = contents.get(item) ?? contentText(item);
      // The service's times have whole seconds, so the content counts as well.
      this.#follow("history", item, markOf(`${item.updatedAt?.toString() ?? ""} ${content}`));
    }
  }

  /** Makes a source due that was not read within `maxAge`. */
  refresh(source: OfProject, maxAge: Temporal.Duration): void {
    const name = sideName(source);
    const readAt = this.#readAt.get(name);
    if (readAt && isRecent(readAt, { length: maxAge, now: this.#deps.clock() })) return;
    this.#setDue(source, () => this.#folders[source.kind].set(name, source));
  }

  /** The best source that may be read now; null when none may: comments first, history last. */
  next(): DueRead | null {
    const now = this.#deps.clock().epochMilliseconds;
    for (;;) {
      const rested = this.#resting.first();
      if (!rested || restOf(rested) > now) break;
      this.#resting.takeFirst();
      rested.due?.();
      rested.due = null;
    }
    return (
      this.#nextOfTasks("comments") ??
      this.#nextOfProjects("folders") ??
      this.#nextOfProjects("files") ??
      this.#nextOfTasks("history")
    );
  }

  /** Notes that a source was read whole. It stays due where its task has changed meanwhile. */
  done({ source, seen }: DueRead): void {
    if (!isOfTask(source)) {
      this.#readAt.set(sideName(source), this.#deps.clock());
      this.#unset(source);
    } else if (seen !== null) {
      const mark = markIn(seen);
      this.#read[source.kind].set(source.taskId, mark);
      if (this.#tasks[source.kind].get(source.taskId)?.mark === mark) this.#unset(source);
    }
  }

  /** Notes that a source could not be read, and rests until `notBefore`. */
  postpone({ source, failures }: DueRead, notBefore: Temporal.Instant): void {
    const again = this.#takeDue(source);
    if (!again) return;
    const failed = { failures: failures + 1, notBefore, due: again, isCurrent: true };
    this.#failed.set(sideName(source), failed);
    this.#resting.put(failed);
  }

  /** Forgets a source that exists no more. */
  drop({ source }: DueRead): void {
    this.#unset(source);
    if (isOfTask(source)) this.#read[source.kind].delete(source.taskId);
    else this.#readAt.delete(sideName(source));
  }

  #follow(kind: OfTask["kind"], { id, updatedAt }: TaskItem, mark: number): void {
    if (id === null) return;
    const source: OfTask = { kind, taskId: id };
    const before = this.#read[kind].get(id) ?? (kind === "comments" ? noComments : null);
    if (before === mark) {
      this.#unset(source);
      return;
    }
    const due: DueTask = { task: id, mark, changedAt: updatedAt?.epochMilliseconds ?? 0 };
    this.#setDue(source, () => this.#tasks[kind].put(due));
  }

  #nextOfTasks(kind: OfTask["kind"]): DueRead | null {
    const due = this.#tasks[kind].first();
    return due && this.#told({ kind, taskId: due.task }, seenText(due.mark));
  }

  #nextOfProjects(kind: OfProject["kind"]): DueRead | null {
    const [source] = this.#folders[kind].values();
    return source ? this.#told(source, null) : null;
  }

  #told(source: SideSource, seen: string | null): DueRead {
    return { source, seen, failures: this.#failureOf(source)?.failures ?? 0 };
  }

  /** Makes something due at once, or once it has rested. */
  #setDue(source: SideSource, due: () => void): void {
    const failed = this.#failureOf(source);
    if (failed?.due) failed.due = due;
    else due();
  }

  /** Takes a source out of what is due; what puts it in again as it was, null where it is not due. */
  #takeDue(source: SideSource): (() => void) | null {
    if (!isOfTask(source)) {
      const folders = this.#folders[source.kind];
      const name = sideName(source);
      return folders.delete(name) ? () => folders.set(name, source) : null;
    }
    const tasks = this.#tasks[source.kind];
    const due = tasks.get(source.taskId);
    tasks.delete(source.taskId);
    return due && (() => tasks.put(due));
  }

  #unset(source: SideSource): void {
    this.#takeDue(source);
    const failed = this.#failureOf(source);
    if (!failed) return;
    failed.isCurrent = false;
    this.#failed.delete(sideName(source));
  }

  #failureOf(source: SideSource): Failed | null {
    return this.#failed.size === 0 ? null : (this.#failed.get(sideName(source)) ?? null);
  }
}

const restOf = ({ notBefore }: Failed): number => notBefore.epochMilliseconds;

const isOfTask = (source: SideSource): source is OfTask =>
  source.kind === "comments" || source.kind === "history";

/** A comment may be changed without being counted, so the time of the task counts as well where there are some. */
const saidOfComments = ({ commentCount, updatedAt }: TaskItem): string =>
  commentCount === 0 ? "0" : `${commentCount} ${updatedAt?.toString() ?? ""}`;

const digits = 13;

/** What is told of a task as a number: as many digits of its hash as such a one holds. */
const markOf = (told: string): number => Number.parseInt(fingerprint(told).slice(0, digits), 16);

const noComments = markOf("0");

/** A mark as the store keeps it. */
const seenText = (mark: number): string => mark.toString(16).padStart(digits, "0");

/** The mark in what the store keeps: earlier versions wrote all digits of the hash, and of comments what is hashed now. */
const markIn = (seen: string): number =>
  /^[0-9a-f]{13,}$/.test(seen) ? Number.parseInt(seen.slice(0, digits), 16) : markOf(seen);
