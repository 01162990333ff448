import type { ServiceId } from "../../domain/ids.ts";
import type { TaskItem } from "../../domain/item.ts";
import { itemFromText, itemText } from "./item-rows.ts";
import { instantOf, tableRow } from "./row.ts";

/** Layout of the stored pages. Raise it when the meaning changes. */
export const pageForm = 1;

/** A reading of all pages, possibly started by an earlier process. */
export interface PageReading {
  /** The requested projects, as text. */
  readonly scope: string;
  /** Subtask lists that are compared with the pages. */
  readonly probes: readonly string[];
  /** Null until a page has answered. */
  readonly first: {
    /** When it was requested. */
    readonly askedAt: Temporal.Instant;
    /** Number of elements on all pages. */
    readonly total: number;
  } | null;
}

/** A subtask as shown by a page. */
export interface ShownSubtask {
  readonly item: TaskItem & { readonly id: ServiceId };
  /** True if the page omits a usual field. */
  readonly isPartial: boolean;
}

/** What one page has shown. */
export interface ReadPage {
  readonly page: number;
  /** Tasks in another state than in their lists, without a later change. */
  readonly different: number;
  /** The other tasks in lists, with their number of subtasks. */
  readonly counts: readonly (readonly [task: ServiceId, subtasks: number])[];
  readonly subtasks: readonly ShownSubtask[];
}

export const readingText = (reading: PageReading): string => JSON.stringify(reading);

/** Null if the row has another layout or is damaged. */
export function pageReadingRow(row: unknown): PageReading | null {
  const raw = tableRow<"page_readings">(row);
  if (raw.form !== pageForm) return null;
  return sound(() => {
    const { scope, probes, first } = JSON.parse(raw.head) as Omit<PageReading, "first"> & {
      first: { askedAt: string; total: number } | null;
    };
    const askedAt = instantOf(first?.askedAt ?? null);
    return {
      scope,
      probes: [...probes],
      first: first && askedAt && { askedAt, total: first.total },
    };
  });
}

export function pageText({ different, counts, subtasks }: ReadPage): string {
  const shown = subtasks.map(({ item, isPartial }) => [itemText(item), isPartial]);
  return JSON.stringify({ different, counts, subtasks: shown });
}

/** Null if the row is damaged. */
export function readPageRow(row: unknown, zone: string): ReadPage | null {
  const raw = tableRow<"kept_pages">(row);
  return sound(() => {
    const { different, counts, subtasks } = JSON.parse(raw.content) as Pick<
      ReadPage,
      "different" | "counts"
    > & { subtasks: readonly (readonly [string, boolean])[] };
    const shown = subtasks.flatMap(([text, isPartial]) => {
      const item = itemFromText(text, zone);
      return isSubtask(item) ? [{ item, isPartial }] : [];
    });
    return { page: raw.page, different, counts: [...counts], subtasks: shown };
  });
}

const isSubtask = (
  item: ReturnType<typeof itemFromText>,
): item is TaskItem & { readonly id: ServiceId } => item.kind === "subtask" && item.id !== null;

/** Stored data can be requested again, so anything invalid counts as absent. */
function sound<Value>(read: () => Value): Value | null {
  try {
    return read();
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof TypeError || error instanceof RangeError)
      return null;
    throw error;
  }
}

/** A page of all tasks that agreed with the mirror. */
export interface AppliedPageRow {
  /** Identifies the code and settings that parsed its octets. */
  readonly reader: string;
  readonly digest: string;
  /** Number of elements on all pages. */
  readonly total: number;
  /** Ids of its tasks and, negated, of its subtasks. */
  readonly elements: readonly number[];
  /** A hash of their rows. */
  readonly said: string;
}

/** Null if the row is damaged. */
export function appliedPageRow(row: unknown): AppliedPageRow | null {
  const raw = row as Omit<AppliedPageRow, "elements"> & { elements: string };
  const { reader, digest, total, said } = raw;
  return sound(() => {
    const elements: unknown = JSON.parse(raw.elements);
    if (!Array.isArray(elements) || !elements.every(Number.isSafeInteger)) return null;
    return { reader, digest, total, elements: [...elements], said };
  });
}
