import { later } from "../domain/backoff.ts";
import type { FileEntry, Folder } from "../domain/file.ts";
import type { FolderId, ProjectId, ServiceId } from "../domain/ids.ts";
import { ok, type Result, unreachable } from "../domain/result.ts";
import { sideName } from "../domain/source.ts";
import type { Store } from "../store/store.ts";
import type { Call } from "../upstream/client.ts";
import { describeFailure, type Failure } from "../upstream/failure.ts";
import { isComplete, restAfter, restOf } from "./plan-snapshot.ts";
import { type DueRead, type SideOptions, SideQueue } from "./side-queue.ts";
import { configuredFolders } from "./sources-in-scope.ts";
import type { SyncContext } from "./sync-context.ts";

interface SideReaderDeps extends SyncContext {
  readonly options: SideOptions;
  /** Waits until a reading with several requests may continue, so that it takes no more than its share. */
  readonly turn: (signal: AbortSignal) => Promise<void>;
}

/** How many elements a reading found, and how many rows it changed; null if the source no longer exists. */
type ReadResult = Result<{ readonly items: number; readonly changed: number } | null, Failure>;

/** Reads comments, history, folders and files, one source at a time, so that items never wait for them. */
export class SideReader {
  readonly #deps: SideReaderDeps;
  readonly queue: SideQueue;
  #busy = false;
  /** When the age of folders and files is checked next; null = now. */
  #nextRefreshAt: Temporal.Instant | null = null;

  constructor(deps: SideReaderDeps) {
    this.#deps = deps;
    this.queue = new SideQueue(deps);
  }

  /** The next reading, if there is one and none is in progress. */
  next(signal: AbortSignal): (() => Promise<void>) | null {
    if (this.#busy) return null;
    this.#refreshFiles();
    const due = this.queue.next();
    if (!due) return null;
    this.#busy = true;
    return async () => {
      try {
        await this.#read(due, signal);
      } finally {
        this.#busy = false;
      }
    };
  }

  /** Never rejects: a source that fails is reported and rests. */
  async #read(due: DueRead, signal: AbortSignal): Promise<void> {
    const { store, report } = this.#deps;
    try {
      const outcome = await this.#fetch(due, { priority: "sweep", signal });
      if (!outcome.ok) {
        this.#fail(due, outcome.failure);
      } else if (!outcome.value) {
        store.sideSources.drop(due.source);
        this.queue.drop(due);
      } else {
        const { items, changed } = outcome.value;
        store.sideSources.succeeded(due.source, { seen: due.seen, items });
        this.queue.done(due);
        if (changed > 0) report({ kind: "side-changed", source: sideName(due.source), changed });
      }
    } catch (error) {
      this.queue.postpone(due, this.#after(restAfter(due.failures + 1, this.#deps.maxAge)));
      report({ kind: "fault", source: sideName(due.source), error });
    }
  }

  #fetch({ source }: DueRead, call: Call): Promise<ReadResult> {
    switch (source.kind) {
      case "comments":
        return this.#readComments(source.taskId, call);
      case "history":
        return this.#readHistory(source.taskId, call);
      case "folders":
        return this.#readFolders(source.projectId, call);
      case "files":
        return this.#readFiles(source, call);
      default:
        return unreachable(source);
    }
  }

  async #readComments(task: ServiceId, call: Call): Promise<ReadResult> {
    const { store, upstream } = this.#deps;
    const place = this.#placeOf(task);
    if (!place) return ok(null);
    const list = await upstream.comments.list(place, call);
    if (!list.ok) return list;
    const { items } = list.value;
    const complete = isComplete(list.value);
    const changed = store.comments.putAll(task, { comments: items, complete });
    return ok({ items: items.length, changed });
  }

  /** The list, then the detail of each entry without one. Details that were read stay stored if this is interrupted. */
  async #readHistory(task: ServiceId, call: Call): Promise<ReadResult> {
    const { store, upstream } = this.#deps;
    const place = this.#placeOf(task);
    if (!place) return ok(null);
    const list = await upstream.history.list(place, call);
    if (!list.ok) return list;
    const changed = store.history.add(list.value.items);
    for (const entry of store.history.undetailed(task)) {
      if (call.signal) await this.#deps.turn(call.signal);
      const detail = await upstream.history.detail({ ...place, id: entry.id }, call);
      if (!detail.ok && !isFinal(detail.failure)) return detail;
      store.history.detail(entry, detail.ok ? detail.value : null);
    }
    return ok({ items: list.value.items.length, changed });
  }

  async #readFolders(project: ProjectId, call: Call): Promise<ReadResult> {
    const { store, upstream } = this.#deps;
    const list = await upstream.workspace.folders({ projectId: project }, call);
    if (!list.ok) return list;
    const { items: folders } = list.value;
    const changed = store.files.putFolders(project, { folders, complete: isComplete(list.value) });
    this.#nextRefreshAt = null;
    return ok({ items: folders.length, changed });
  }

  async #readFiles(
    { projectId, folderId }: Pick<FileEntry, "projectId" | "folderId">,
    call: Call,
  ): Promise<ReadResult> {
    const { store, upstream } = this.#deps;
    if (!store.files.folders(projectId).some(({ id }) => id === folderId)) return ok(null);
    const list = await upstream.files.list({ projectId, folderId }, call);
    if (!list.ok) return list;
    const { items: files } = list.value;
    const changed = store.files.putFiles(folderId, { files, complete: isComplete(list.value) });
    return ok({ items: files.length, changed });
  }

  /** Where a task is now; null if it is no longer mirrored. */
  #placeOf(taskId: ServiceId) {
    const item = this.#deps.store.mirror.byId("task", taskId)?.item;
    if (item?.kind !== "task") return null;
    const { projectId, listId } = item;
    return { projectId, listId, taskId };
  }

  #fail(due: DueRead, failure: Failure): void {
    if (failure.kind === "aborted") return;
    const { store, report, maxAge } = this.#deps;
    const problem = describeFailure(failure);
    store.sideSources.failed(due.source, problem);
    const failures = due.failures + 1;
    const nextAt = this.#after(restOf(failure, { failures, maxAge }));
    this.queue.postpone(due, nextAt);
    report({ kind: "failed", source: sideName(due.source), problem, failures, nextAt });
  }

  #refreshFiles(): void {
    const { store, scope, sources, options, clock, maxAge } = this.#deps;
    const now = clock();
    if (
      !options.files ||
      (this.#nextRefreshAt && Temporal.Instant.compare(this.#nextRefreshAt, now) > 0)
    )
      return;
    this.#nextRefreshAt = later(now, restAfter(1, maxAge));
    for (const projectId of sources.projects()) {
      const configured = configuredFolders(scope, projectId);
      if (configured) keepConfigured(store, projectId, configured);
      else this.queue.refresh({ kind: "folders", projectId }, maxAge);
      for (const { id } of store.files.folders(projectId)) {
        this.queue.refresh({ kind: "files", projectId, folderId: id }, maxAge);
      }
    }
  }

  #after(rest: Temporal.Duration): Temporal.Instant {
    return later(this.#deps.clock(), rest);
  }
}

/** True if another try would get the same answer. */
const isFinal = ({ kind }: Failure): boolean =>
  kind === "refused" || kind === "service-refused" || kind === "unreadable";

function keepConfigured(store: Store, projectId: ProjectId, configured: readonly FolderId[]): void {
  const known = store.files.folders(projectId);
  const isSame =
    known.length === configured.length && known.every(({ id }) => configured.includes(id));
  if (isSame) return;
  const folders = configured.map((id): Folder => {
    const same = known.find((folder) => folder.id === id);
    return same ?? { id, projectId, name: `Folder ${id}`, parentId: null, type: null };
  });
  store.files.putFolders(projectId, { folders, complete: true });
}
