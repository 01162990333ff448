import type { ServiceId } from "../../domain/ids.ts";
import type { TaskItem } from "../../domain/item.ts";
import { instantOf, itemFromText, itemText } from "./item-rows.ts";

/** The layout of what is kept of pages; another one when it means something else. */
export const pageForm = 1;

/** A reading of all pages, which may have been begun by an earlier process. */
export interface PageReading {
  /** Of which projects pages were asked for, as text. */
  readonly scope: string;
  /** Lists of subtasks that are compared with the pages. */
  readonly probes: readonly string[];
  /** Null until a page has answered. */
  readonly first: {
    /** When it was asked for. */
    readonly askedAt: Temporal.Instant;
    /** How many elements there are on all pages. */
    readonly total: number;
  } | null;
}

/** A subtask as a page has shown it. */
export interface ShownSubtask {
  readonly item: TaskItem & { readonly id: ServiceId };
  /** Whether the page leaves a usual field out. */
  readonly isPartial: boolean;
}

/** What one page has told. */
export interface ReadPage {
  readonly page: number;
  /** Tasks that are shown in another state than their lists have shown, without a later change. */
  readonly different: number;
  /** The others that lists have shown, with how many subtasks they have. */
  readonly counts: readonly (readonly [task: ServiceId, subtasks: number])[];
  readonly subtasks: readonly ShownSubtask[];
}

export const readingText = (reading: PageReading): string => JSON.stringify(reading);

/** Null where the row is of another form, or damaged. */
export function pageReadingRow(row: unknown): PageReading | null {
  const raw = row as { form: number; head: string };
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

/** Null where the row is damaged. */
export function readPageRow(row: unknown, zone: string): ReadPage | null {
  const raw = row as { page: number; content: string };
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

/** What was kept can be read again by requests: what cannot be understood counts as nothing. */
function sound<Value>(read: () => Value): Value | null {
  try {
    return read();
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof TypeError || error instanceof RangeError)
      return null;
    throw error;
  }
}

/** A page of all tasks that has said what the mirror had. */
export interface AppliedPageRow {
  /** What has made items of its octets, of the projects that were asked for. */
  readonly reader: string;
  readonly digest: string;
  /** How many elements there were on all pages. */
  readonly total: number;
  /** The ids of its tasks and, below zero, of its subtasks. */
  readonly elements: readonly number[];
  /** A hash of what their rows said. */
  readonly said: string;
}

/** Null where the row is damaged. */
export function appliedPageRow(row: unknown): AppliedPageRow | null {
  const raw = row as Omit<AppliedPageRow, "elements"> & { elements: string };
  const { reader, digest, total, said } = raw;
  return sound(() => {
    const elements: unknown = JSON.parse(raw.elements);
    if (!Array.isArray(elements) || !elements.every(Number.isSafeInteger)) return null;
    return { reader, digest, total, elements: [...elements], said };
  });
}
