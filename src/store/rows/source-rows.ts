import {
  type ItemKey,
  itemKey,
  listId,
  type ProjectId,
  projectId,
  type ServiceId,
  serviceId,
} from "../../domain/ids.ts";
import type { SideSource, Source } from "../../domain/source.ts";
import { instantOf } from "./item-rows.ts";
import { tableRow } from "./row.ts";

/** Results of a source's polls. */
export interface PollState {
  readonly name: string;
  readonly attemptedAt: Temporal.Instant | null;
  readonly succeededAt: Temporal.Instant | null;
  /** Error of the last poll; null if it succeeded. */
  readonly failure: string | null;
  /** Consecutive failed polls. */
  readonly failures: number;
  /** Items in the last good snapshot. */
  readonly items: number;
}

export interface SourceState extends PollState {
  readonly source: Source;
  /** Start of the current run of failed polls; null if the last poll succeeded. */
  readonly refusedAt: Temporal.Instant | null;
  /** The last round in which it was read or refused; null if none. */
  readonly round: number | null;
}

/** The columns of `PollState`. */
export interface PollRow {
  name: string;
  attempted_at: string | null;
  succeeded_at: string | null;
  failure: string | null;
  failures: number;
  items: number;
}

export const pollOf = (raw: PollRow): PollState => ({
  name: raw.name,
  attemptedAt: instantOf(raw.attempted_at),
  succeededAt: instantOf(raw.succeeded_at),
  failure: raw.failure,
  failures: raw.failures,
  items: raw.items,
});

export function sourceRow(row: unknown): SourceState {
  const raw = row as PollRow & {
    kind: Source["kind"];
    project_id: number | null;
    list_id: number | null;
    task_id: number | null;
    refused_at: string | null;
    round: number | null;
  };
  return {
    ...pollOf(raw),
    refusedAt: instantOf(raw.refused_at),
    round: raw.round,
    source: {
      kind: raw.kind,
      ...(raw.project_id !== null && { projectId: projectId(raw.project_id) }),
      ...(raw.list_id !== null && { listId: listId(raw.list_id) }),
      ...(raw.task_id !== null && { taskId: serviceId(raw.task_id) }),
    } as Source,
  };
}

/** A list's last body that is completely in the mirror. */
export interface KeptBody {
  /** Identifies the code and settings that parsed its octets. */
  readonly reader: string;
  readonly digest: string;
  /** Number of items in it. */
  readonly items: number;
  /** How many of its tasks were polled for subtasks, and on which day. */
  readonly followed: string;
}

export const keptBodyRow = (row: unknown): KeptBody => row as KeptBody;

/** When the sources of one kind were read. */
export interface SourceAges {
  readonly kind: Source["kind"];
  readonly sources: number;
  /** Number of sources never read. */
  readonly never: number;
  readonly newest: Temporal.Instant | null;
  readonly oldest: Temporal.Instant | null;
}

export function sourceAgesRow(row: unknown): SourceAges {
  const raw = row as {
    kind: Source["kind"];
    sources: number;
    never: number;
    newest: string | null;
    oldest: string | null;
  };
  return { ...raw, newest: instantOf(raw.newest), oldest: instantOf(raw.oldest) };
}

/** Lists of one kind, including side sources: how many, their items, and their state. */
export interface SourceTally {
  readonly kind: Source["kind"] | SideSource["kind"];
  readonly lists: number;
  /** Items in the last readings together. */
  readonly items: number;
  readonly never: number;
  readonly failing: number;
  readonly newest: Temporal.Instant | null;
  readonly oldest: Temporal.Instant | null;
}

export function sourceTallyRow(row: unknown): SourceTally {
  const raw = row as Omit<SourceTally, "newest" | "oldest"> & {
    newest: string | null;
    oldest: string | null;
  };
  return { ...raw, newest: instantOf(raw.newest), oldest: instantOf(raw.oldest) };
}

/** How old a project's lists are. */
export interface ListAgeRow {
  readonly projectId: ProjectId;
  readonly lists: number;
  /** Number of lists never read. */
  readonly unread: number;
  /** Number of lists whose last poll failed. */
  readonly failing: number;
  readonly oldestAt: Temporal.Instant | null;
  readonly nearOldestAt: Temporal.Instant | null;
}

export function listAgeRow(row: unknown): ListAgeRow {
  const raw = row as {
    project_id: number;
    lists: number;
    unread: number;
    failing: number;
    oldest: string | null;
    near_oldest: string | null;
  };
  const { lists, unread, failing } = raw;
  return {
    projectId: projectId(raw.project_id),
    lists,
    unread,
    failing,
    oldestAt: instantOf(raw.oldest),
    nearOldestAt: instantOf(raw.near_oldest),
  };
}

export const sourceNameRow = (row: unknown): string => (row as { name: string }).name;

/** A source whose last poll failed. */
export interface FailingSource extends PollState {
  readonly kind: Source["kind"] | SideSource["kind"];
}

export function failingSourceRow(row: unknown): FailingSource {
  const raw = row as PollRow & { kind: FailingSource["kind"] };
  return { ...pollOf(raw), kind: raw.kind };
}

/** One reading of all sources. An unfinished one continues after a restart. */
export interface RoundRow {
  readonly round: number;
  readonly begunAt: Temporal.Instant;
  readonly endedAt: Temporal.Instant | null;
}

export function roundRow(row: unknown): RoundRow {
  const raw = tableRow<"rounds">(row);
  return {
    round: raw.round,
    begunAt: Temporal.Instant.from(raw.begun_at),
    endedAt: instantOf(raw.ended_at),
  };
}

export interface AbsenceRow {
  readonly item: ItemKey;
  readonly source: string;
  readonly noticedAt: Temporal.Instant;
  readonly confirmedAt: Temporal.Instant | null;
}

export function absenceRow(row: unknown): AbsenceRow {
  const raw = tableRow<"absences">(row);
  return {
    item: itemKey(raw.item),
    source: raw.source,
    noticedAt: Temporal.Instant.from(raw.noticed_at),
    confirmedAt: instantOf(raw.confirmed_at),
  };
}

/** A missing item, from columns alone, as there may be thousands. */
export function absentItem(columns: unknown): [ItemKey, ServiceId | null] {
  const [item, id] = columns as [number, number | null];
  return [itemKey(item), id === null ? null : serviceId(id)];
}

/** Missing items of one source: unconfirmed and confirmed. */
export interface AbsenceCount {
  readonly open: number;
  readonly confirmed: number;
}

export function absenceCountRow(row: unknown): [string, AbsenceCount] {
  const { source, open, confirmed } = row as { readonly source: string } & AbsenceCount;
  return [source, { open, confirmed }];
}

export interface BrakeRow {
  readonly source: string;
  readonly heldAt: Temporal.Instant;
  readonly missing: number;
  readonly total: number;
  readonly needsPerson: boolean;
  readonly releasedAt: Temporal.Instant | null;
}

export function brakeRow(row: unknown): BrakeRow {
  const raw = tableRow<"brakes">(row);
  return {
    source: raw.source,
    heldAt: Temporal.Instant.from(raw.held_at),
    missing: raw.missing,
    total: raw.total,
    needsPerson: raw.needs_person === 1,
    releasedAt: instantOf(raw.released_at),
  };
}
