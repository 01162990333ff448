import type { ServiceId } from "../domain/ids.ts";
import type { Item } from "../domain/item.ts";
import type { ListSnapshot } from "../upstream/client.ts";
import type { SourceReading } from "./applied-bodies.ts";
import { SnapshotApplication } from "./apply-snapshot.ts";
import type { DeletionChecks } from "./deletion-checks.ts";
import type { ItemChange, SyncEvent } from "./event.ts";
import { buryOrphans, followShown } from "./follow-parents.ts";
import { type HintRow, hintRowsOfTasks } from "./hints.ts";
import { type Identified, isComplete } from "./plan-snapshot.ts";
import type { Begun } from "./polled-source.ts";
import type { SyncContext } from "./sync-context.ts";

interface ListDeps extends SyncContext {
  readonly deletionChecks: DeletionChecks;
}

/** A list of items that was read. */
interface ReadItemList {
  readonly begun: Begun;
  readonly snapshot: ListSnapshot<Item>;
  readonly reading: SourceReading;
}

/** The result once a whole list is applied. */
export interface AppliedList {
  readonly events: readonly SyncEvent[];
  /** When each new change happened, if the service says so. */
  readonly changes: readonly (Temporal.Instant | null)[];
  readonly hintRows: readonly HintRow[];
  /** True if the same body would change nothing again. */
  readonly isSettled: boolean;
  /** New or changed items. */
  readonly put: readonly Item[];
  /** Items shown as they were before one of our edits. */
  readonly outdated: readonly Identified[];
}

/** Items applied between two time checks: a few milliseconds if all are new and nothing is compiled yet. */
const itemsAtOnce = 5;

/**
 * Applies one list of items in several transactions, each within one turn of the event loop, as each item is independent. What
 * is missing is decided in the last one, in which the caller records the reading. A short list takes one.
 */
export class ListApplication {
  readonly #deps: ListDeps;
  readonly #list: ReadItemList;
  readonly #application: SnapshotApplication;
  readonly #steps: Iterator<void>;
  #overtaken: ReadonlySet<ServiceId> = new Set();
  #put = 0;
  #hintRows = 0;

  constructor(deps: ListDeps, list: ReadItemList) {
    this.#deps = deps;
    this.#list = list;
    const { begun, snapshot } = list;
    this.#application = new SnapshotApplication(deps.store, {
      deletionChecks: deps.deletionChecks,
      source: begun.name,
      snapshot,
      clockLead: deps.upstream.clockLead(),
    });
    this.#steps = this.#inSteps();
  }

  /**
   * Applies as much as the current turn allows; null if something is left. Call inside a transaction that ends before anything
   * else runs, and before `shown`.
   */
  step(): AppliedList | null {
    this.#overtaken = this.#list.reading.overtaken();
    this.#application.begin();
    for (;;) {
      if (this.#steps.next().done === true) return this.#finish();
      if (this.#deps.eventLoop.isOver()) return null;
    }
  }

  /** The items applied in the last transaction with their stored content. */
  shown(): { readonly items: readonly Item[]; readonly contents: ReadonlyMap<Item, string> } {
    this.#list.reading.written();
    const items = this.#list.snapshot.items.slice(this.#hintRows, this.#put);
    this.#hintRows = this.#put;
    return { items, contents: this.#application.takeContents() };
  }

  *#inSteps(): Generator<void> {
    const { items } = this.#list.snapshot;
    for (; this.#put < items.length; yield) {
      this.#putSome(items.slice(this.#put, this.#put + itemsAtOnce));
      this.#put = Math.min(items.length, this.#put + itemsAtOnce);
    }
    yield* this.#application.survey();
  }

  #putSome(items: readonly Item[]): void {
    this.#application.put(items, this.#overtaken);
    const { store, sources, clock } = this.#deps;
    if (this.#list.begun.source.kind !== "tasks") return;
    const today = clock().toZonedDateTimeISO("UTC").toPlainDate();
    followShown(store, sources, { items, today });
  }

  #finish(): AppliedList {
    const { begun, snapshot } = this.#list;
    const { polled, put, outdated, changedAt, lost, brake, isSettled } = this.#application.finish(
      this.#overtaken,
    );
    const buried = this.#buryOrphans();
    // An omitted field takes its known value, which this list may just have changed.
    const isWhole = (snapshot.remarks ?? []).length === 0 || put.length === 0;
    return {
      events: [
        polled,
        ...brake,
        ...(buried.length > 0
          ? [{ kind: "buried", source: begun.name, changes: buried } as const]
          : []),
      ],
      changes: [...changedAt, ...Array.from({ length: lost }, () => begun.attemptedAt)],
      hintRows: hintRowsOfTasks(snapshot.items, new Set(put.map(({ id }) => id))),
      isSettled: isSettled && isWhole && isComplete(snapshot) && buried.length === 0,
      put,
      outdated,
    };
  }

  #buryOrphans(): readonly ItemChange[] {
    const { store, sources } = this.#deps;
    const { source } = this.#list.begun;
    if (source.kind !== "tasks") return [];
    const { items, gone } = this.#list.snapshot;
    const ids = new Set<number | null>(gone ?? items.map(({ id }) => id));
    const isShown = (id: ServiceId) => ids.has(id) === (gone === null);
    return buryOrphans(store, sources, { listId: source.listId, isShown });
  }
}
