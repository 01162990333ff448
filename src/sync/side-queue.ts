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
import { CurrentHeap, type HeapEntry } from "./current-heap.ts";
import { type DueTask, DueTasks } from "./due-tasks.ts";
import type { SyncContext } from "./sync-context.ts";

/** Which side sources are mirrored. */
export interface SideOptions {
  readonly comments: boolean;
  readonly history: boolean;
  readonly files: boolean;
}

/** A side source to be read. */
export interface DueRead {
  readonly source: SideSource;
  /** Hash of the task's present state, as stored; null for folders and files. */
  readonly seen: string | null;
  readonly failures: number;
}

interface SideQueueDeps extends Pick<SyncContext, "store" | "clock"> {
  readonly options: SideOptions;
}

/** A source whose last reading failed. */
interface Failed extends HeapEntry {
  readonly failures: number;
  readonly notBefore: Temporal.Instant;
  /** Queues it again after its rest; null = that was done. */
  due: (() => void) | null;
}

/**
 * The queue of side sources to read, best first. Comments and history of a task are read when the task's state in its list has
 * changed since they were last read; folders and files after a while. The store keeps what was read; the queue holds a few
 * numbers per task.
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
  /** Hashes of tasks whose comments, or whose history, were read. */
  readonly #read = {
    comments: new Map<ServiceId, number>(),
    history: new Map<ServiceId, number>(),
  };
  /** When folders and files were last read. */
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
   * Queues comments and history of those tasks that have changed, as just shown by a list. `contents`: content that is
   * serialised already.
   */
  follow(items: readonly Item[], contents: ReadonlyMap<Item, string> = new Map()): void {
    const { options } = this.#deps;
    for (const item of items) {
      if (item.kind !== "task" || item.id === null) continue;
      if (options.comments) this.#follow("comments", item, markOf(commentState(item)));
      if (!options.history) continue;
      const content = contents.get(item) ?? contentText(item);
      // The service's times are in whole seconds, so the content counts too.
      this.#follow("history", item, markOf(`${item.updatedAt?.toString() ?? ""} ${content}`));
    }
  }

  /** Queues a source that was not read within `maxAge`. */
  refresh(source: OfProject, maxAge: Temporal.Duration): void {
    const name = sideName(source);
    const readAt = this.#readAt.get(name);
    if (readAt && isRecent(readAt, { length: maxAge, now: this.#deps.clock() })) return;
    this.#setDue(source, () => this.#folders[source.kind].set(name, source));
  }

  /** The best source that may be read now; null if none: comments first, history last. */
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

  /** Records that a source was read completely. It stays queued if its task has changed meanwhile. */
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

  /** Records that a source could not be read, and rests until `notBefore`. */
  postpone({ source, failures }: DueRead, notBefore: Temporal.Instant): void {
    const again = this.#takeDue(source);
    if (!again) return;
    const failed = { failures: failures + 1, notBefore, due: again, isCurrent: true };
    this.#failed.set(sideName(source), failed);
    this.#resting.put(failed);
  }

  /** Forgets a source that no longer exists. */
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
    return due && this.#dueRead({ kind, taskId: due.task }, seenText(due.mark));
  }

  #nextOfProjects(kind: OfProject["kind"]): DueRead | null {
    const [source] = this.#folders[kind].values();
    return source ? this.#dueRead(source, null) : null;
  }

  #dueRead(source: SideSource, seen: string | null): DueRead {
    return { source, seen, failures: this.#failureOf(source)?.failures ?? 0 };
  }

  /** Queues something at once, or after its rest. */
  #setDue(source: SideSource, due: () => void): void {
    const failed = this.#failureOf(source);
    if (failed?.due) failed.due = due;
    else due();
  }

  /** Removes a source from the queue; returns a function that restores it, null if it is not queued. */
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

/** A comment can be edited without a change of the count, so the task's time counts too if it has comments. */
const commentState = ({ commentCount, updatedAt }: TaskItem): string =>
  commentCount === 0 ? "0" : `${commentCount} ${updatedAt?.toString() ?? ""}`;

const digits = 13;

/** A text as a number: as many digits of its hash as fit. */
const markOf = (text: string): number => Number.parseInt(fingerprint(text).slice(0, digits), 16);

const noComments = markOf("0");

/** A stored hash. */
const seenText = (mark: number): string => mark.toString(16).padStart(digits, "0");

/** The hash in a stored text. Earlier versions wrote all digits. */
const markIn = (seen: string): number =>
  /^[0-9a-f]{13,}$/.test(seen) ? Number.parseInt(seen.slice(0, digits), 16) : markOf(seen);
