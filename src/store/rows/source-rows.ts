import {
  folderId,
  type ItemKey,
  itemKey,
  listId,
  projectId,
  type ServiceId,
  serviceId,
} from "../../domain/ids.ts";
import type { SideSourceOfProject, Source } from "../../domain/source.ts";
import { instantOf, rowReader, tableRow, toFlag, toInstant } from "./row.ts";
import type { Tables } from "./tables.ts";

/** Results of a source's polls. */
const poll = {
  name: "same",
  attemptedAt: instantOf,
  succeededAt: instantOf,
  /** Error of the last poll; null if it succeeded. */
  failure: "same",
  /** Consecutive failed polls. */
  failures: "same",
  /** Items in the last good snapshot. */
  items: "same",
} as const;
const pollRow = rowReader<Tables["sources"]>()(poll);

const pollOfSource = rowReader<Tables["sources"]>()({
  ...poll,
  /** Start of the current run of failed polls; null if the last poll succeeded. */
  refusedAt: instantOf,
  /** The last round in which it was read or refused; null if none. */
  round: "same",
});
export type SourceState = ReturnType<typeof pollOfSource> & { readonly source: Source };

export function sourceRow(row: unknown): SourceState {
  const { kind, project_id, list_id, task_id } = tableRow<"sources">(row);
  return {
    ...pollOfSource(row),
    source: {
      kind,
      ...(project_id !== null && { projectId: projectId(project_id) }),
      ...(list_id !== null && { listId: listId(list_id) }),
      ...(task_id !== null && { taskId: serviceId(task_id) }),
    } as Source,
  };
}

/** A list of folders, or of a folder's files. */
export type SideState = ReturnType<typeof pollRow> & { readonly source: SideSourceOfProject };

export function sideRow(row: unknown): SideState {
  const { project_id, folder_id } = tableRow<"sources">(row);
  const project = projectId(Number(project_id));
  return {
    ...pollRow(row),
    source:
      folder_id === null
        ? { kind: "folders", projectId: project }
        : { kind: "files", projectId: project, folderId: folderId(folder_id) },
  };
}

/** A source whose last poll failed. */
export const failingSourceRow = rowReader<Tables["sources"]>()({ ...poll, kind: "same" });
export type FailingSource = ReturnType<typeof failingSourceRow>;

/** A list's last body that is completely in the mirror. */
export const keptBodyRow = rowReader<Tables["applied_bodies"]>()({
  /** Identifies the code and settings that parsed its octets. */
  reader: "same",
  digest: "same",
  /** Number of items in it. */
  items: "same",
  /** How many of its tasks were polled for subtasks, and on which day. */
  followed: "same",
});
export type KeptBody = ReturnType<typeof keptBodyRow>;

/** When the sources of one kind were read. */
export const sourceAgesRow = rowReader<{
  kind: Source["kind"];
  sources: number;
  never: number;
  newest: string | null;
  oldest: string | null;
}>()({
  kind: "same",
  sources: "same",
  /** Number of sources never read. */
  never: "same",
  newest: instantOf,
  oldest: instantOf,
});
export type SourceAges = ReturnType<typeof sourceAgesRow>;

/** Lists of one kind, including side sources: how many, their items, and their state. */
export const sourceTallyRow = rowReader<{
  kind: Tables["sources"]["kind"];
  lists: number;
  items: number;
  never: number;
  failing: number;
  newest: string | null;
  oldest: string | null;
}>()({
  kind: "same",
  lists: "same",
  /** Items in the last readings together. */
  items: "same",
  never: "same",
  failing: "same",
  newest: instantOf,
  oldest: instantOf,
});
export type SourceTally = ReturnType<typeof sourceTallyRow>;

/** How old a project's lists are. */
export const listAgeRow = rowReader<{
  project_id: number;
  lists: number;
  unread: number;
  failing: number;
  oldest: string | null;
  near_oldest: string | null;
}>()({
  projectId,
  lists: "same",
  /** Number of lists never read. */
  unread: "same",
  /** Number of lists whose last poll failed. */
  failing: "same",
  oldestAt: ["oldest", instantOf],
  nearOldestAt: ["near_oldest", instantOf],
});
export type ListAgeRow = ReturnType<typeof listAgeRow>;

export const sourceNameRow = (row: unknown): string => (row as { name: string }).name;

/** One reading of all sources. An unfinished one continues after a restart. */
export const roundRow = rowReader<Tables["rounds"]>()({
  round: "same",
  begunAt: toInstant,
  endedAt: instantOf,
});
export type RoundRow = ReturnType<typeof roundRow>;

export const absenceRow = rowReader<Tables["absences"]>()({
  item: itemKey,
  source: "same",
  noticedAt: toInstant,
  confirmedAt: instantOf,
});
export type AbsenceRow = ReturnType<typeof absenceRow>;

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

export const brakeRow = rowReader<Tables["brakes"]>()({
  source: "same",
  heldAt: toInstant,
  missing: "same",
  total: "same",
  needsPerson: toFlag,
  releasedAt: instantOf,
});
export type BrakeRow = ReturnType<typeof brakeRow>;
