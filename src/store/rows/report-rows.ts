/** The report views' rows, by name and column; `docs/operating.md` explains each column. */
export interface ReportRows {
  readonly report_items: ItemRow;
  readonly report_agenda: AgendaRow;
  readonly report_overdue: OverdueRow;
  readonly report_workload: WorkloadRow;
  readonly report_milestones: MilestoneRow;
  readonly report_moves: MoveRow;
  readonly report_slippage: SlippageRow;
  readonly report_hours: HoursRow;
  readonly report_labels: LabelTotalsRow;
  readonly report_activity: ActivityRow;
  readonly report_changes: ItemChangeRow;
  readonly report_files: FiledRow;
  readonly report_freshness: FreshnessRow;
}
export type ReportView = keyof ReportRows;

interface InProject {
  readonly project_id: number;
  readonly project: string | null;
}

interface Placed extends InProject {
  readonly item: number;
  readonly uid: string;
  readonly id: number | null;
  readonly title: string;
}

interface Listed extends Placed {
  readonly kind: "event" | "milestone" | "task" | "subtask";
  readonly list_id: number | null;
  readonly list: string | null;
}

/** Ids of people as a JSON array, and their names with commas; null for nobody. */
interface Assigned {
  readonly assigned: string;
  readonly people: string | null;
}

interface ItemRow extends Listed, Assigned {
  readonly parent_id: number | null;
  readonly completed: number;
  readonly private: number;
  readonly archived: number;
  readonly starts_at: string | null;
  readonly ends_at: string | null;
  readonly first_on: string | null;
  readonly last_on: string | null;
  readonly percent: number | null;
  readonly estimated_minutes: number | null;
  readonly logged_minutes: number | null;
  readonly created_at: string | null;
  readonly completed_at: string | null;
  readonly labels: string;
  readonly label_names: string | null;
}

export interface AgendaRow extends Listed, Assigned {
  readonly completed: number;
  readonly starts_at: string | null;
  readonly ends_at: string | null;
  readonly first_on: string;
  readonly last_on: string;
}

interface OverdueRow extends Listed, Assigned {
  readonly due_on: string;
  readonly days_late: number;
  readonly percent: number | null;
  readonly label_names: string | null;
}

export interface WorkloadRow {
  readonly person_id: number | null;
  readonly person: string | null;
  readonly week: string | null;
  readonly week_on: string | null;
  readonly open_items: number;
  readonly estimated_minutes: number;
  readonly logged_minutes: number;
}

interface MilestoneRow extends Placed, Assigned {
  readonly due_on: string;
  readonly completed: number;
  readonly days_left: number;
}

export interface MoveRow {
  readonly item: number;
  readonly revision: number;
  readonly at: string;
  readonly from_on: string;
  readonly to_on: string;
  readonly days: number;
}

export interface SlippageRow extends Listed, Assigned {
  readonly completed: number;
  readonly moves: number;
  readonly moves_later: number;
  readonly days_later: number;
  readonly days_earlier: number;
  readonly days_moved: number;
  readonly first_moved_at: string;
  readonly last_moved_at: string;
}

interface HoursRow extends InProject {
  readonly list_id: number;
  readonly list: string | null;
  readonly person_id: number | null;
  readonly person: string | null;
  readonly items: number;
  readonly open_items: number;
  readonly estimated_minutes: number;
  readonly logged_minutes: number;
}

interface LabelTotalsRow {
  readonly label_id: number | null;
  readonly label: string | null;
  readonly color: string | null;
  readonly items: number;
  readonly open_items: number;
  readonly overdue_items: number;
  readonly estimated_minutes: number;
  readonly logged_minutes: number;
}

interface ActivityRow extends InProject {
  readonly at: string | null;
  readonly what: "comment" | "history";
  readonly id: number;
  readonly task_id: number;
  readonly item: number | null;
  readonly title: string | null;
  readonly list_id: number;
  readonly list: string | null;
  readonly person_id: number | null;
  readonly person: string | null;
  readonly action: string;
  readonly text: string | null;
}

export interface ItemChangeRow extends Placed {
  readonly revision: number;
  readonly at: string;
  readonly kind: Listed["kind"];
  readonly act: "added" | "changed" | "removed";
  readonly before: string | null;
  readonly after: string | null;
  /** 1 if a pending edit will change it. */
  readonly pending: number;
  readonly edit_id: number | null;
  readonly channel: string | null;
  readonly person_id: number | null;
  readonly person: string | null;
  readonly edit_action: string | null;
  readonly edit_patch: string | null;
}

interface FiledRow extends InProject {
  readonly id: number;
  readonly folder_id: number;
  readonly folder: string | null;
  readonly name: string;
  readonly file_type: string | null;
  readonly byte_size: number | null;
  readonly person_id: number | null;
  readonly person: string | null;
  readonly created_at: string | null;
  readonly updated_at: string | null;
  readonly url: string | null;
}

export interface FreshnessRow {
  readonly source: string;
  readonly kind: string;
  readonly project_id: number | null;
  readonly project: string | null;
  readonly list_id: number | null;
  readonly list: string | null;
  readonly task_id: number | null;
  readonly folder_id: number | null;
  readonly items: number;
  readonly attempted_at: string | null;
  readonly succeeded_at: string | null;
  readonly age_seconds: number | null;
  readonly failures: number;
  readonly failure: string | null;
}

/** The names in a list such as `item, title`. */
type NamesIn<List extends string> = List extends `${infer First}, ${infer Rest}`
  ? First | NamesIn<Rest>
  : List;

/** A row of a view with the listed columns. */
export type ReportRow<Name extends ReportView, List extends string> =
  NamesIn<List> extends keyof ReportRows[Name] ? Pick<ReportRows[Name], NamesIn<List>> : never;

/** The rows read for these columns. */
export const reportRows = <Name extends ReportView, List extends string>(
  _reading: { readonly view: Name; readonly columns: List },
  rows: readonly unknown[],
): readonly ReportRow<Name, List>[] => rows as readonly ReportRow<Name, List>[];

/** A directory entry, for filters. */
export interface NamedRow {
  readonly id: number;
  readonly name: string;
  /** For people; null for everything else, and if unknown. */
  readonly time_zone: string | null;
  /** For folders; null for everything else. */
  readonly project_id: number | null;
  /** 1 = it no longer exists. */
  readonly gone: number;
}
export const namedRows = (rows: readonly unknown[]): readonly NamedRow[] =>
  rows as readonly NamedRow[];

/** How old the mirror is, counting the sources that calendars need to be complete. */
export interface MirrorAgeRow {
  readonly sources: number;
  /** Null if there are no sources. */
  readonly never: number | null;
  readonly failing: number;
  readonly newest: string | null;
  readonly oldest: string | null;
}
export const mirrorAgeRow = (row: unknown): MirrorAgeRow => row as MirrorAgeRow;

/** A SQLite value of a query whose shape is unknown. */
export type SqlValue = string | number | bigint | Uint8Array | null;
export const sqlValues = (row: unknown): readonly SqlValue[] => row as readonly SqlValue[];
