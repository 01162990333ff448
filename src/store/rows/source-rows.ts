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

/** How the polls of a source went. */
export interface PollState {
  readonly name: string;
  readonly attemptedAt: Temporal.Instant | null;
  readonly succeededAt: Temporal.Instant | null;
  /** Why the last poll failed; null when it did not. */
  readonly failure: string | null;
  /** Failed polls in a row. */
  readonly failures: number;
  /** Items in the last good snapshot. */
  readonly items: number;
}

export interface SourceState extends PollState {
  readonly source: Source;
  /** Since when the service refuses every poll of it; null when the last one ended otherwise. */
  readonly refusedAt: Temporal.Instant | null;
  /** The last round in which it was read or refused; null where none did. */
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

/** A list's last body, of which the mirror has everything. */
export interface KeptBody {
  /** What has made items of its octets. */
  readonly reader: string;
  readonly digest: string;
  /** How many items it has shown. */
  readonly items: number;
  /** How many of its tasks were asked for subtasks, and on which day. */
  readonly followed: string;
}

export const keptBodyRow = (row: unknown): KeptBody => row as KeptBody;

/** When the sources of one kind were read. */
export interface SourceAges {
  readonly kind: Source["kind"];
  readonly sources: number;
  /** Of these nothing was read yet. */
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

/** Lists of one kind, side sources as well: how many there are, what they held, and how they fare. */
export interface SourceTally {
  readonly kind: Source["kind"] | SideSource["kind"];
  readonly lists: number;
  /** What the last reading of each has shown, together. */
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

/** How old the lists of a project are. */
export interface ListAgeRow {
  readonly projectId: ProjectId;
  readonly lists: number;
  /** Of these nothing was read yet. */
  readonly unread: number;
  /** Of these the last poll failed. */
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

/** One reading of all sources; it goes on at the next start while it has not ended. */
export interface RoundRow {
  readonly round: number;
  readonly begunAt: Temporal.Instant;
  readonly endedAt: Temporal.Instant | null;
}

export function roundRow(row: unknown): RoundRow {
  const raw = row as { round: number; begun_at: string; ended_at: string | null };
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
  const raw = row as {
    item: number;
    source: string;
    noticed_at: string;
    confirmed_at: string | null;
  };
  return {
    item: itemKey(raw.item),
    source: raw.source,
    noticedAt: Temporal.Instant.from(raw.noticed_at),
    confirmedAt: instantOf(raw.confirmed_at),
  };
}

/** An item that is missing, from columns alone, as there may be thousands. */
export function absentItem(columns: unknown): [ItemKey, ServiceId | null] {
  const [item, id] = columns as [number, number | null];
  return [itemKey(item), id === null ? null : serviceId(id)];
}

/** Absences of one source: questions without an answer, and those that were answered. */
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
  const raw = row as {
    source: string;
    held_at: string;
    missing: number;
    total: number;
    needs_person: number;
    released_at: string | null;
  };
  return {
    source: raw.source,
    heldAt: Temporal.Instant.from(raw.held_at),
    missing: raw.missing,
    total: raw.total,
    needsPerson: raw.needs_person === 1,
    releasedAt: instantOf(raw.released_at),
  };
}
