import type { PersonId } from "../domain/ids.ts";
import type { Conditions, ReportQuery } from "../store/reading/report-reading.ts";
import type { ReportRow, ReportView } from "../store/rows/report-rows.ts";
import { type MessageId, say } from "../texts/say.ts";

/**
 * Type of a cell. `minutes`, `days`, `seconds`, `bytes`: whole numbers of that unit. `date`: `YYYY-MM-DD`. `instant`: an
 * instant in UTC, shown to people in their time zone. `flag`: 1 or 0. null is always empty.
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
  /** The words shown to people in place of a code of the database, such as `task`. Other texts stay unchanged. */
  readonly words?: Readonly<Record<string, string>>;
}

/** The part of a message id after this prefix. */
type AfterPrefix<Prefix extends string> =
  Extract<MessageId, `${Prefix}.${string}`> extends infer Id
    ? Id extends `${Prefix}.${infer Rest}`
      ? Rest
      : never
    : never;

/** A column as a report declares it, before its texts are in the reader's language. */
export interface DeclaredColumn<Key extends string = string>
  extends Omit<Column, "key" | "title" | "words"> {
  readonly key: Key;
  readonly title: `column.${AfterPrefix<"column">}`;
  readonly words?: Words;
}

/** The message for each code of a column. */
type Words = Readonly<
  Record<
    string,
    `${"kind" | "milestoneState" | "reportAct" | "reportSource"}.${string}` & MessageId
  >
>;

/** The words for codes, in the reader's language. */
export const wordsFor = (words: Words): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(words).map(([code, id]) => [code, say(id)]));

/** The kinds of items. */
export const kindWords = {
  event: "kind.event",
  milestone: "kind.milestone",
  task: "kind.task",
  subtask: "kind.subtask",
} as const satisfies Words;

/** A milestone on a timeline; days are `YYYY-MM-DD`. */
export interface TimelineRow {
  readonly name: string;
  /** Its first day, then the days it was moved to; the last is the current one. */
  readonly days: readonly string[];
  readonly state: "done" | "late" | "today" | "ahead";
  /** State and slip in words. */
  readonly said: string;
}

/** A chart beside the table, as numbers. */
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
      /** By row, then column; 0 is an empty cell. */
      readonly values: readonly (readonly number[])[];
    }
  | {
      readonly kind: "lines";
      readonly title: string;
      readonly about: string;
      /** First and last day of the time axis. */
      readonly from: string;
      readonly to: string;
      /** Steps over time: the day that was valid from an instant on; the first step is valid from the beginning. */
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
      /** One value per series, and its text. */
      readonly bars: readonly {
        readonly name: string;
        readonly values: readonly number[];
        readonly texts: readonly string[];
      }[];
    };

/** Content of a report: rows in column order, and remarks about them. */
export interface ReportContent {
  readonly rows: readonly (readonly Cell[])[];
  /**
   * The key of each row's item, to which a page links; null for an item that does not exist. Absent if the rows are not items.
   */
  readonly items?: readonly (number | null)[];
  /** The oldest reading of the rows' sources; if absent, the oldest reading of the mirror. */
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
  /** What it is filtered by, such as `project Website`. */
  readonly filters: readonly string[];
  readonly freshness: MirrorAge;
}

/** Freshness of the mirror: ages in seconds at `madeAt`, of the sources that calendars need. */
export interface MirrorAge {
  readonly sources: number;
  readonly neverRead: number;
  readonly failing: number;
  readonly newestSeconds: number | null;
  readonly oldestSeconds: number | null;
  readonly oldestReadAt: string | null;
}

/** What a report can be filtered by. */
export const filterNames = ["project", "person", "label", "dates", "since", "as-of"] as const;
export type FilterName = (typeof filterNames)[number];

/** Something found by id or name. */
export interface Named {
  readonly id: number;
  readonly name: string;
}

/** Such a thing as a row of the database. */
export interface KnownName extends Named {
  /** 1 if it no longer exists. */
  readonly gone: number;
}

/** A report's parameters, with all names resolved. */
export interface ReportScope {
  readonly now: Temporal.Instant;
  /** The day of the report's state, in `zone`. */
  readonly today: Temporal.PlainDate;
  /** Time zone of the viewer, else of the account. */
  readonly zone: string;
  readonly asOf: Temporal.Instant | null;
  /** Whose permissions apply; null for all. */
  readonly viewerId: PersonId | null;
  readonly project: Named | null;
  readonly person: Named | null;
  readonly label: Named | null;
  /** Both inclusive; null for the report's default period. */
  readonly from: Temporal.PlainDate | null;
  readonly to: Temporal.PlainDate | null;
  readonly since: { readonly revision: number } | { readonly at: Temporal.Instant } | null;
  /** Current names by id; of projects and lists only those that `viewerId` may see. */
  readonly people: ReadonlyMap<number, string>;
  readonly labels: ReadonlyMap<number, string>;
  readonly projects: ReadonlyMap<number, string>;
  readonly lists: ReadonlyMap<number, string>;
}

/** Reads a view as it was at the report's time. */
export type ReadView = <Name extends ReportView, List extends string>(
  reading: Omit<ReportQuery<Name, List>, "at">,
) => readonly ReportRow<Name, List>[];

/** Groups of reports, in the order they are offered. */
export const reportGroups = ["upcoming", "delays", "time", "history", "data"] as const;

/** Names of reports: their title, subject and question are in the catalogue of messages. */
export type ReportName = AfterPrefix<"report">;

/** One report: a pure function over the rows of its view. */
export interface Report {
  readonly name: ReportName;
  readonly group: (typeof reportGroups)[number];
  readonly takes: readonly FilterName[];
  readonly columns: readonly DeclaredColumn[];
  /** Reads in one database transaction; the returned function computes the report afterwards. */
  readonly read: (view: ReadView, scope: ReportScope) => () => ReportContent;
}

/** Content of a report whose rows have a value for each column key. */
interface KeyedContent<Key extends string> extends Omit<ReportContent, "rows" | "items"> {
  /** `item`: the key of the row's item; null for an item that does not exist. Absent if the rows are not items. */
  readonly rows: readonly (Readonly<Record<Key, Cell>> & { readonly item?: number | null })[];
}

/** Makes a report from rows with a value for each column key. */
export function report<const Key extends string>(
  declared: Omit<Report, "columns" | "read"> & {
    readonly columns: readonly DeclaredColumn<Key>[];
    readonly read: (view: ReadView, scope: ReportScope) => () => KeyedContent<NoInfer<Key>>;
  },
): Report {
  const keys = declared.columns.map(({ key }) => key);
  return {
    ...declared,
    read(view, scope) {
      const compute = declared.read(view, scope);
      return () => {
        const { rows, ...others } = compute();
        const areItems = rows.some(({ item }) => item !== undefined);
        return {
          ...others,
          rows: rows.map((row) => keys.map((key) => row[key])),
          ...(areItems && { items: rows.map(({ item = null }) => item) }),
        };
      };
    },
  };
}

/** Sorts texts by their UTF-16 code units. */
export const compareTexts = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** Restricts items by `--project`, `--person` and `--label`. */
export function itemsOf(scope: ReportScope): NonNullable<Conditions["report_items"]> {
  const { person, label } = scope;
  return [
    ...projectOf(scope),
    ...(person ? [{ column: "assigned", is: "holds", value: person.id } as const] : []),
    ...(label ? [{ column: "labels", is: "holds", value: label.id } as const] : []),
  ];
}

/** Restricts rows by `--project`. */
export const projectOf = ({ project }: Pick<ReportScope, "project">) =>
  project ? [{ column: "project_id", is: "=", value: project.id } as const] : [];

/** Restricts rows by `--person`. */
export const personOf = ({ person }: Pick<ReportScope, "person">) =>
  person ? [{ column: "person_id", is: "=", value: person.id } as const] : [];

/** Restricts a date column by `--from` and `--to`. */
export function daysOf<Name extends string>(
  column: Name,
  { from, to }: Pick<ReportScope, "from" | "to">,
) {
  return [
    ...(from ? [{ column, is: ">=", value: from.toString() } as const] : []),
    ...(to ? [{ column, is: "<=", value: to.toString() } as const] : []),
  ];
}

/** Restricts an instant column by `--from` and `--to`: whole days of the viewer's time zone. */
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

/** Maps a JSON array of ids to names; caches, because the same arrays repeat. */
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
