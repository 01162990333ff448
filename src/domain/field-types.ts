import { type When, wholeMinutes } from "@dayferry/ical";
import {
  type LabelId,
  type ListId,
  labelId,
  listId,
  type PersonId,
  type ProjectId,
  personId,
  projectId,
  type ServiceId,
  serviceId,
} from "./ids.ts";
import {
  sameDay,
  sameDescription,
  sameLength,
  sameSet,
  sameTitle,
  sameWhen,
} from "./same-values.ts";

/**
 * How values of one type are stored as JSON and compared. `name` selects their form control and how they are displayed.
 */
export interface FieldType<Value, Plain = Value> {
  readonly name: FieldTypeName;
  /** True if values are stored unchanged. */
  readonly isPlain?: boolean;
  toPlain(value: Value): Plain;
  /** `zone`: the zone in which times are shown. */
  fromPlain(plain: Plain, zone: string): Value;
  /** True if two values are stored alike. */
  same(a: Value, b: Value): boolean;
  /** True if two values look alike to people, where that is less strict than `same`. */
  sameShown?(a: Value, b: Value): boolean;
}

export type FieldTypeName =
  | "count"
  | "custom"
  | "day"
  | "flag"
  | "labels"
  | "line"
  | "list"
  | "minutes"
  | "moment"
  | "parent"
  | "people"
  | "percent"
  | "person"
  | "project"
  | "prose"
  | "title"
  | "when";

/** A value stored unchanged. */
const asIs = <Value>(
  name: FieldTypeName,
  sameShown?: (a: Value, b: Value) => boolean,
): FieldType<Value> => ({
  name,
  isPlain: true,
  toPlain: (value) => value,
  fromPlain: (plain) => plain,
  same: (a, b) => a === b,
  ...(sameShown && { sameShown }),
});

/** A value that may be null. */
const optional = <Value, Plain>(
  of: FieldType<Value, Plain>,
): FieldType<Value | null, Plain | null> => ({
  name: of.name,
  toPlain: (value) => (value === null ? null : of.toPlain(value)),
  fromPlain: (plain, zone) => (plain === null ? null : of.fromPlain(plain, zone)),
  same: (a, b) => (a === null || b === null ? a === b : of.same(a, b)),
});

const id = <Id extends number>(
  name: FieldTypeName,
  make: (value: number) => Id,
): FieldType<Id, number> => ({
  name,
  toPlain: (value) => value,
  fromPlain: (plain) => make(plain),
  same: (a, b) => a === b,
});

/** Stored in ascending order, so that equal sets give equal text. */
const idSet = <Id extends number>(
  name: FieldTypeName,
  make: (value: number) => Id,
): FieldType<readonly Id[], readonly number[]> => ({
  name,
  toPlain: (ids) => ids.toSorted((a, b) => a - b),
  fromPlain: (plain) => plain.map(make),
  same: sameSet,
});

const instants: FieldType<Temporal.Instant, string> = {
  name: "moment",
  toPlain: (value) => value.toString(),
  fromPlain: (plain) => Temporal.Instant.from(plain),
  same: (a, b) => a.equals(b),
};

const dates: FieldType<Temporal.PlainDate, string> = {
  name: "day",
  toPlain: (value) => value.toString(),
  fromPlain: (plain) => Temporal.PlainDate.from(plain),
  same: sameDay,
};

const lengths: FieldType<Temporal.Duration, number> = {
  name: "minutes",
  toPlain: wholeMinutes,
  fromPlain: (minutes) => Temporal.Duration.from({ minutes }),
  same: sameLength,
};

/** A `When` in JSON: dates as `YYYY-MM-DD` (end exclusive), times as UTC instants. */
type PlainWhen =
  | { readonly startOn: string; readonly endOn: string }
  | { readonly startAt: string; readonly endAt: string | null };

const when: FieldType<When, PlainWhen> = {
  name: "when",
  toPlain(value) {
    if (value.kind === "dates") {
      return { startOn: value.start.toString(), endOn: value.end.toString() };
    }
    return {
      startAt: value.start.toInstant().toString(),
      endAt: value.end?.toInstant().toString() ?? null,
    };
  },
  fromPlain(plain, zone) {
    if ("startOn" in plain) {
      const start = Temporal.PlainDate.from(plain.startOn);
      return { kind: "dates", start, end: Temporal.PlainDate.from(plain.endOn) };
    }
    const start = Temporal.Instant.from(plain.startAt).toZonedDateTimeISO(zone);
    const end =
      plain.endAt === null ? null : Temporal.Instant.from(plain.endAt).toZonedDateTimeISO(zone);
    return { kind: "times", start, end };
  },
  same: sameWhen,
};

/** A custom field defined in the workspace. */
export interface CustomField {
  readonly id: ServiceId;
  readonly title: string;
  readonly type: string;
  /** As the service returns it: a text, or several values for tags and dropdowns. */
  readonly value: string | readonly string[];
}

type PlainCustomField = Omit<CustomField, "id"> & { readonly id: number };

const customFields: FieldType<readonly CustomField[], readonly PlainCustomField[]> = {
  name: "custom",
  toPlain: (all) =>
    all.map(({ id: own, title: name, type, value }) => ({ id: own, title: name, type, value })),
  fromPlain: (plain) => plain.map(({ id: own, ...rest }) => ({ id: serviceId(own), ...rest })),
  same: (a, b) => JSON.stringify(a) === JSON.stringify(b),
};

/** One line of text, never null. */
const title = asIs<string>("title", sameTitle);
/** Text that may be HTML. */
const prose = asIs<string | null>("prose", sameDescription);
/** One line of plain text. */
const line = asIs<string | null>("line", (a, b) => sameTitle(a ?? "", b ?? ""));
const flag = asIs<boolean>("flag");
const count = asIs<number>("count");
/** 0 to 100. */
const percent = asIs<number>("percent");
const day = optional(dates);
const moment = optional(instants);
const minutes = optional(lengths);
const project: FieldType<ProjectId, number> = id("project", projectId);
const list: FieldType<ListId, number> = id("list", listId);
const person = optional<PersonId, number>(id("person", personId));
/** The parent task of a subtask. */
const parent = optional<ServiceId, number>(id("parent", serviceId));
const people: FieldType<readonly PersonId[], readonly number[]> = idSet("people", personId);
const labels: FieldType<readonly LabelId[], readonly number[]> = idSet("labels", labelId);

/** The types that fields have. */
export const fieldTypes = {
  count,
  customFields,
  day,
  flag,
  labels,
  line,
  list,
  minutes,
  moment,
  parent,
  people,
  percent,
  person,
  project,
  prose,
  title,
  when,
} as const;
