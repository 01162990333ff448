import type { PersonId } from "../domain/ids.ts";
import type { Conditions, ReportQuery } from "../store/reading/report-reading.ts";
import type { ReportRows, ReportView } from "../store/rows/report-rows.ts";

/**
 * What a cell holds. `minutes`, `days`, `seconds`, `bytes`: whole numbers of that unit. `date`: `YYYY-MM-DD`. `instant`:
 * an instant in UTC, which people are shown in the reader's zone. `flag`: 1 or 0. Null is nothing, everywhere.
 */
export type CellType =
  | "text"
  | "count"
  | "minutes"
  | "days"
  | "seconds"
  | "bytes"
  | "percent"
  | "date"
  | "instant"
  | "flag";
export type Cell = string | number | null;

/** A column of a report: `key` for programs, `title` for people. */
export interface Column {
  readonly key: string;
  readonly title: string;
  readonly type: CellType;
}

/** A milestone on a timeline; days are `YYYY-MM-DD`. */
export interface TimelineRow {
  readonly name: string;
  /** Where it stood first, the days that it was moved to since, and so at last where it stands. */
  readonly days: readonly string[];
  readonly state: "done" | "late" | "today" | "ahead";
  /** State and slip in words. */
  readonly said: string;
}

/** A picture beside the table, as numbers. */
export type Chart =
  | {
      readonly kind: "timeline";
      readonly title: string;
      readonly about: string;
      readonly today: string;
      readonly rows: readonly TimelineRow[];
    }
  | {
      readonly kind: "heat-map";
      readonly title: string;
      readonly about: string;
      readonly rows: readonly string[];
      readonly columns: readonly string[];
      /** By row, then column; 0 is an empty field. */
      readonly values: readonly (readonly number[])[];
    }
  | {
      readonly kind: "lines";
      readonly title: string;
      readonly about: string;
      /** First and last day of the axis of time. */
      readonly from: string;
      readonly to: string;
      /** Steps over time: the day that held from a moment on, the first one from the beginning. */
      readonly lines: readonly {
        readonly name: string;
        readonly steps: readonly { readonly on: string; readonly day: string }[];
      }[];
    }
  | {
      readonly kind: "bars";
      readonly title: string;
      readonly about: string;
      readonly series: readonly string[];
      /** As many values as there are series, and the text that says each. */
      readonly bars: readonly {
        readonly name: string;
        readonly values: readonly number[];
        readonly texts: readonly string[];
      }[];
    };

/** What a report says: rows in its columns' order, with what is worth saying about them. */
export interface ReportContent {
  readonly rows: readonly (readonly Cell[])[];
  /** The oldest reading of what the rows come from; absent = that of the mirror as a whole. */
  readonly readAt?: string | null;
  readonly chart?: Chart | null;
  readonly notes?: readonly string[];
}

/** A report ready to be written in any format. */
export interface ReportDocument extends ReportContent {
  readonly name: string;
  readonly title: string;
  readonly about: string;
  readonly columns: readonly Column[];
  readonly madeAt: Temporal.Instant;
  readonly asOf: Temporal.Instant | null;
  readonly zone: string;
  /** What it was narrowed by, such as `project Website`. */
  readonly filters: readonly string[];
  readonly freshness: MirrorAge;
}

/** How fresh the mirror is: ages in seconds at `madeAt`, of the sources without which calendars would not be whole. */
export interface MirrorAge {
  readonly sources: number;
  readonly neverRead: number;
  readonly failing: number;
  readonly newestSeconds: number | null;
  readonly oldestSeconds: number | null;
  readonly oldestReadAt: string | null;
}

/** What a report can be narrowed by. */
export const filterNames = ["project", "person", "label", "dates", "since", "as-of"] as const;
export type FilterName = (typeof filterNames)[number];

/** Something that was named by id or name. */
export interface Named {
  readonly id: number;
  readonly name: string;
}

/** The same as the database has it. */
export interface KnownName extends Named {
  /** 1 = it is not there any more. */
  readonly gone: number;
}

/** What a report is asked for, with everything looked up. */
export interface ReportScope {
  readonly now: Temporal.Instant;
  /** Of the moment that the report shows, in `zone`. */
  readonly today: Temporal.PlainDate;
  /** The reader's: of the person that is named, else the account's. */
  readonly zone: string;
  readonly asOf: Temporal.Instant | null;
  /** Whose eyes it is for; null = whoever may see everything. */
  readonly sight: PersonId | null;
  readonly project: Named | null;
  readonly person: Named | null;
  readonly label: Named | null;
  /** Both inclusive; null = the report's own span. */
  readonly from: Temporal.PlainDate | null;
  readonly to: Temporal.PlainDate | null;
  readonly since: { readonly revision: number } | { readonly at: Temporal.Instant } | null;
  /** Names by id, as known now; of projects and lists those that `sight` may see. */
  readonly people: ReadonlyMap<number, string>;
  readonly labels: ReadonlyMap<number, string>;
  readonly projects: ReadonlyMap<number, string>;
  readonly lists: ReadonlyMap<number, string>;
}

/** Reads a view at the moment of the report. */
export type ReadView = <
  Name extends ReportView,
  Field extends Extract<keyof ReportRows[Name], string>,
>(
  reading: Omit<ReportQuery<Name, Field>, "at">,
) => readonly Pick<ReportRows[Name], Field>[];

/** What a report is about, in the order in which people are offered them. */
export const reportGroups = [
  "What is ahead",
  "What slips",
  "Time and labels",
  "What happened",
  "Everything",
] as const;

/** One report: its view's rows go through a pure function. */
export interface Report {
  readonly name: string;
  readonly title: string;
  /** One sentence. */
  readonly about: string;
  readonly group: (typeof reportGroups)[number];
  /** The question that it answers, as people ask it. */
  readonly answers: string;
  readonly takes: readonly FilterName[];
  readonly columns: readonly Column[];
  /** Reads within one state of the database; what it returns is worked out afterwards. */
  readonly read: (view: ReadView, scope: ReportScope) => () => ReportContent;
}

/** What `--project`, `--person` and `--label` say of the items that a report counts. */
export function itemsOf(scope: ReportScope): NonNullable<Conditions["report_items"]> {
  const { person, label } = scope;
  return [
    ...projectOf(scope),
    ...(person ? [{ column: "assigned", is: "holds", value: person.id } as const] : []),
    ...(label ? [{ column: "labels", is: "holds", value: label.id } as const] : []),
  ];
}

/** What `--project` says of rows that are of one project each. */
export const projectOf = ({ project }: Pick<ReportScope, "project">) =>
  project ? [{ column: "project_id", is: "=", value: project.id } as const] : [];

/** What `--person` says of rows that are of one person each. */
export const personOf = ({ person }: Pick<ReportScope, "person">) =>
  person ? [{ column: "person_id", is: "=", value: person.id } as const] : [];

/** What `--from` and `--to` say of a column with dates. */
export function daysOf<Name extends string>(
  column: Name,
  { from, to }: Pick<ReportScope, "from" | "to">,
) {
  return [
    ...(from ? [{ column, is: ">=", value: from.toString() } as const] : []),
    ...(to ? [{ column, is: "<=", value: to.toString() } as const] : []),
  ];
}

/** What `--from` and `--to` say of a column with instants: whole days of the reader's zone. */
export function instantsOf<Name extends string>(
  column: Name,
  { from, to, zone }: Pick<ReportScope, "from" | "to" | "zone">,
) {
  const text = (day: Temporal.PlainDate) =>
    day.toZonedDateTime(zone).toInstant().toString({ smallestUnit: "millisecond" });
  return [
    ...(from ? [{ column, is: ">=", value: text(from) } as const] : []),
    ...(to ? [{ column, is: "<", value: text(to.add({ days: 1 })) } as const] : []),
  ];
}

/** Says the names of a JSON array of ids; the same few arrays come again and again. */
export function namer(names: ReadonlyMap<number, string>): (ids: string) => string | null {
  const known = new Map<string, string | null>([["[]", null]]);
  return (text) => {
    const said = known.get(text);
    if (said !== undefined) return said;
    const ids: readonly number[] = JSON.parse(text);
    const list = ids.map((id) => names.get(id) ?? String(id)).join(", ");
    known.set(text, list);
    return list;
  };
}
