import { atService } from "../domain/clock-lead.ts";
import type { ServiceId } from "../domain/ids.ts";
import type { Item, TaskItem } from "../domain/item.ts";
import { sourceOf } from "../domain/source.ts";
import type { Stored } from "../store/mirror/mirror.ts";
import { contentText } from "../store/rows/item-rows.ts";
import type { Store } from "../store/store.ts";
import type { TaskPage } from "../upstream/resources/task-page.ts";
import { clockMargin, isTask } from "./all-tasks.ts";
import { applyPlan, expectationsOf } from "./apply-snapshot.ts";
import type { ItemChange } from "./event.ts";
import { followShown } from "./follow-parents.ts";
import { type Contents, type Identified, planSnapshot } from "./plan-snapshot.ts";
import type { PolledSource } from "./polled-source.ts";
import { type SourceList, samePath } from "./source-list.ts";

interface PageFacts {
  readonly page: Pick<TaskPage, "items" | "partial">;
  readonly sources: SourceList;
  /** True if changes are taken from the page. Otherwise it only shows which lists to poll. */
  readonly isTrusted: boolean;
  /** How far this machine's clock is ahead of the service's. */
  readonly clockLead: Temporal.Duration | null;
  readonly today: Temporal.PlainDate;
}

/** An element of a page that differs from the mirror and may be older. */
export interface PageMismatch {
  readonly item: Identified & TaskItem;
  readonly content: string;
  /** The list that is polled to find out which is right. */
  readonly source: string;
  /** True if the element omits fields, so that it may hide a change but contradicts nothing. */
  readonly isHint: boolean;
}

/** The result of applying a page. */
export interface AppliedPage {
  readonly changes: readonly ItemChange[];
  /** When each of them happened; null if unknown. */
  readonly changedAt: readonly (Temporal.Instant | null)[];
  readonly put: readonly Identified[];
  readonly heldBack: number;
  readonly mismatches: readonly PageMismatch[];
  /** Elements equal to the mirror. */
  readonly same: readonly (Identified & TaskItem)[];
  /** The stored content of each element. */
  readonly contents: ReadonlyMap<Item, string>;
}

/**
 * Updates the mirror from one page of the account-wide list of tasks. A page never proves that something is missing, and never
 * overrules a newer list: an element is taken only if it was changed after its list was last read, and after the mirror's row.
 * Elements of lists that are not polled are ignored. Call inside a transaction.
 */
export function applyPage(store: Store, { page, sources, ...facts }: PageFacts): AppliedPage {
  const fresh = new Map<string, (Identified & TaskItem)[]>();
  const known = new Map<string, Map<ServiceId, { key: Stored["key"]; content: string }>>();
  const mismatches: PageMismatch[] = [];
  const same: (Identified & TaskItem)[] = [];
  const contents = new Map<Item, string>();
  for (const item of page.items) {
    if (!isTask(item)) continue;
    const source = sourceOf(item);
    const stored = store.mirror.stored(item.kind, item.id);
    const content = contentText(item);
    contents.set(item, content);
    const polled = polledFor(sources, item);
    const isPartial = page.partial.has(item);
    const asks = polled?.name ?? listOf(sources, item, stored);
    if (stored?.row && stored.row.content === content && stored.row.source === source) {
      const isLater = isAfter(item.updatedAt, stored.row.updatedAt);
      if (isPartial && isLater && asks)
        mismatches.push({ item, content, source: asks, isHint: true });
      else same.push(item);
      continue;
    }
    if (!asks) continue;
    const isNews =
      facts.isTrusted &&
      !isPartial &&
      polled !== null &&
      isNewer(item, stored, polled, facts.clockLead);
    if (!isNews) {
      mismatches.push({ item, content, source: asks, isHint: false });
      continue;
    }
    fresh.set(source, [...(fresh.get(source) ?? []), item]);
    if (!stored?.row || stored.row.source !== source) continue;
    const rows = known.get(source) ?? new Map();
    known.set(source, rows.set(item.id, { key: stored.key, content: stored.row.content }));
  }

  const put: Identified[] = [];
  const changes: ItemChange[] = [];
  const changedAt: (Temporal.Instant | null)[] = [];
  let heldBack = 0;
  for (const [source, items] of fresh) {
    const rows: Contents = known.get(source) ?? new Map();
    const plan = planSnapshot({
      known: rows,
      // Rows written since the request was sent have a later change time.
      overtaken: new Set(),
      items,
      ...expectationsOf(store, { source, clockLead: facts.clockLead }),
    });
    const applied = applyPlan(store, plan, source);
    changes.push(...applied.changes);
    changedAt.push(...applied.changedAt);
    put.push(...plan.put);
    heldBack += plan.heldBack.length;
    followShown(store, sources, { items: plan.put, today: facts.today });
  }
  return { changes, changedAt, put, heldBack, mismatches, same, contents };
}

/** The source of an element, if it is polled and in the same place. */
function polledFor(sources: SourceList, item: TaskItem): PolledSource | null {
  const { projectId, listId, parentId } = item;
  const polled = sources.get(sourceOf(item));
  const place =
    parentId === null
      ? ({ kind: "tasks", projectId, listId } as const)
      : ({ kind: "subtasks", projectId, listId, taskId: parentId } as const);
  return polled && samePath(polled.source, place) ? polled : null;
}

/** The list to poll for an element without a source: a subtask's parent is new, has moved, or had no subtasks. */
function listOf(sources: SourceList, item: TaskItem, stored: Stored | null): string | null {
  const list = sources.get(`tasks:${item.listId}`);
  const isPolled = list?.source.kind === "tasks" && list.source.projectId === item.projectId;
  if (isPolled) return list.name;
  const from = stored?.row?.source;
  return from !== undefined && sources.get(from) ? from : null;
}

function isNewer(
  { updatedAt }: TaskItem,
  stored: Stored | null,
  { attemptedAt, failures, everRead, underWay }: PolledSource,
  clockLead: PageFacts["clockLead"],
): boolean {
  // Only its own list may restore an item that was removed.
  if (!updatedAt || (stored && !stored.row)) return false;
  if (stored?.row && !isAfter(updatedAt, stored.row.updatedAt)) return false;
  if (!attemptedAt || !everRead || failures > 0 || underWay) return false;
  const readAt = atService(attemptedAt, clockLead);
  return Temporal.Instant.compare(updatedAt, readAt.add(clockMargin)) > 0;
}

const isAfter = (a: Temporal.Instant | null, b: Temporal.Instant | null): boolean =>
  a !== null && (b === null || Temporal.Instant.compare(a, b) > 0);
