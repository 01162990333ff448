import { isRecent } from "../domain/backoff.ts";
import { fingerprint } from "../domain/fingerprint.ts";
import type { ServiceId } from "../domain/ids.ts";
import type { Item, TaskItem } from "../domain/item.ts";
import { type SideSource, sideName } from "../domain/source.ts";
import { contentText } from "../store/rows/item-rows.ts";
import type { Store } from "../store/store.ts";
import { type Current, CurrentHeap } from "./current-heap.ts";

/** Which side sources are mirrored. */
export interface SideOptions {
  readonly comments: boolean;
  readonly history: boolean;
  readonly files: boolean;
}

/** A side source that is due to be read. */
export interface DueRead {
  readonly name: string;
  readonly source: SideSource;
  /** A digest of the task as its list shows it now; null for folders and files. */
  readonly seen: string | null;
  /** When the task last changed, so that the newest goes first. */
  readonly changedAt: number;
  readonly failures: number;
  readonly notBefore: Temporal.Instant | null;
}

export interface SideQueueDeps {
  readonly store: Store;
  readonly clock: () => Temporal.Instant;
  readonly options: SideOptions;
}

const ranks: Readonly<Record<SideSource["kind"], number>> = {
  comments: 0,
  folders: 1,
  files: 2,
  history: 3,
};

/**
 * The queue of side sources that are due, best first. Comments and history of a task are wanted when what its
 * list says of the task differs from what it said when they were last read; folders and files when they get old. The
 * store remembers what was read; the queue holds only what is still due.
 */
export class SideQueue {
  readonly #deps: SideQueueDeps;
  readonly #due = new Map<string, Due>();
  readonly #ready = new CurrentHeap<Due>((a, b) => byNeed(a.read, b.read));
  readonly #resting = new CurrentHeap<Due>((a, b) => restOf(a) - restOf(b));
  /** The digests of tasks whose comments or history were read, by the source's name. */
  readonly #seen: Map<string, string | null>;
  readonly #readAt: Map<string, Temporal.Instant>;

  constructor(deps: SideQueueDeps) {
    this.#deps = deps;
    deps.store.sideSources.prune();
    const states = deps.store.sideSources.all();
    this.#seen = new Map(states.map(({ name, seen }) => [name, seen]));
    this.#readAt = new Map(
      states.flatMap(({ name, succeededAt }) => (succeededAt ? [[name, succeededAt]] : [])),
    );
  }

  /**
   * Makes comments and history due for those of the tasks that have changed, as a list has just shown them. `contents`: what was
   * written already of the content of some.
   */
  follow(items: readonly Item[], contents: ReadonlyMap<Item, string> = new Map()): void {
    const { options } = this.#deps;
    for (const item of items) {
      if (item.kind !== "task" || item.id === null) continue;
      if (options.comments) this.#followComments(item, item.id);
      if (!options.history) continue;
      const content = contents.get(item) ?? contentText(item);
      this.#followHistory(item, { taskId: item.id, content });
    }
  }

  /** Makes a source due that was not read within `maxAge`. */
  refresh(source: SideSource, maxAge: Temporal.Duration): void {
    const { clock } = this.#deps;
    const name = sideName(source);
    const readAt = this.#readAt.get(name);
    if (readAt && isRecent(readAt, { length: maxAge, now: clock() })) return;
    this.#setDue({ name, source, seen: null, changedAt: 0 });
  }

  /** The best source that may be read now; null when none may. */
  next(): DueRead | null {
    const now = this.#deps.clock().epochMilliseconds;
    for (;;) {
      const rested = this.#resting.first();
      if (!rested || restOf(rested) > now) return this.#ready.first()?.read ?? null;
      this.#resting.takeFirst();
      this.#ready.put(rested);
    }
  }

  /** Notes that a source was read whole. It stays due where its task has changed meanwhile. */
  done({ name, seen }: DueRead): void {
    this.#seen.set(name, seen);
    this.#readAt.set(name, this.#deps.clock());
    if (this.#due.get(name)?.read.seen === seen) this.#unset(name);
  }

  /** Notes that a source could not be read, and rests until `notBefore`. */
  postpone({ name, failures }: DueRead, notBefore: Temporal.Instant): void {
    const now = this.#due.get(name)?.read;
    if (now) this.#set({ ...now, failures: failures + 1, notBefore });
  }

  /** Forgets a source that exists no more. */
  drop({ name }: DueRead): void {
    this.#unset(name);
    this.#seen.delete(name);
    this.#readAt.delete(name);
  }

  /** A comment may be changed without being counted, so the time of the task counts as well where there are some. */
  #followComments(item: TaskItem, taskId: ServiceId): void {
    const source: SideSource = { kind: "comments", taskId };
    const name = sideName(source);
    const updatedAt = item.updatedAt?.toString() ?? "";
    const seen = item.commentCount === 0 ? "0" : `${item.commentCount} ${updatedAt}`;
    const before = this.#seen.get(name) ?? "0";
    if (before === seen) this.#unset(name);
    else this.#setDue({ name, source, seen, changedAt: momentOf(item) });
  }

  /** The service's times have whole seconds, so the content counts as well. */
  #followHistory(
    item: TaskItem,
    { taskId, content }: { readonly taskId: ServiceId; readonly content: string },
  ): void {
    const source: SideSource = { kind: "history", taskId };
    const name = sideName(source);
    const seen = fingerprint(`${item.updatedAt?.toString() ?? ""} ${content}`);
    if (this.#seen.get(name) === seen) this.#unset(name);
    else this.#setDue({ name, source, seen, changedAt: momentOf(item) });
  }

  #setDue(read: Pick<DueRead, "name" | "source" | "seen" | "changedAt">): void {
    const known = this.#due.get(read.name)?.read;
    this.#set({ ...read, failures: known?.failures ?? 0, notBefore: known?.notBefore ?? null });
  }

  #set(read: DueRead): void {
    this.#unset(read.name);
    const due = { read, isCurrent: true };
    this.#due.set(read.name, due);
    if (read.notBefore) this.#resting.put(due);
    else this.#ready.put(due);
  }

  #unset(name: string): void {
    const known = this.#due.get(name);
    if (known) known.isCurrent = false;
    this.#due.delete(name);
  }
}

interface Due extends Current {
  readonly read: DueRead;
}

const restOf = ({ read }: Due): number => read.notBefore?.epochMilliseconds ?? 0;

const momentOf = ({ updatedAt }: TaskItem): number => updatedAt?.epochMilliseconds ?? 0;

function byNeed(a: DueRead, b: DueRead): number {
  const rank = ranks[a.source.kind] - ranks[b.source.kind];
  return rank === 0 ? b.changedAt - a.changedAt : rank;
}
