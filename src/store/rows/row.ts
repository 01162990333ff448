import type { Tables } from "./tables.ts";

// The files in rows/ are the only place where a row of SQLite is cast to a type. Rows of one table have the types that the
// migrations give its columns; a decoder of a join or a calculation names the columns it reads. The STRICT tables with their
// CHECKs guarantee both.

/** A row of a query that reads columns of one table, or of that table and more. */
export const tableRow = <Table extends keyof Tables>(row: unknown): Tables[Table] =>
  row as Tables[Table];

/** The column of a field: `askedAt` is stored in `asked_at`. */
type ColumnOf<Field> = Field extends `${infer Head}${infer Tail}`
  ? `${Head extends Lowercase<Head> ? Head : `_${Lowercase<Head>}`}${ColumnOf<Tail>}`
  : Field;

/** `same` copies the column's value, a function converts it. */
type Conversion<Stored> = "same" | ((stored: Stored) => unknown);

/** How a field is read; with the name of its column if that differs. */
type Reading<Columns, Field> =
  | (ColumnOf<Field> extends keyof Columns ? Conversion<Columns[ColumnOf<Field>]> : never)
  | { [Column in keyof Columns]: readonly [Column, Conversion<Columns[Column]>] }[keyof Columns];

type Value<Columns, Column, By> = By extends (stored: never) => infer Converted
  ? Converted
  : Columns[Column & keyof Columns];

type Read<Columns, Fields> = {
  readonly [Field in keyof Fields]: Fields[Field] extends readonly [infer Column, infer By]
    ? Value<Columns, Column, By>
    : Value<Columns, ColumnOf<Field>, Fields[Field]>;
};

/** Makes the decoder of a query's rows. Each field is named once, and its type follows from its column. */
export const rowReader =
  <Columns>() =>
  <const Fields extends { readonly [Field in keyof Fields]: Reading<Columns, Field> }>(
    fields: Fields,
  ) => {
    const readings = Object.entries(fields as Readonly<Record<string, Reading<never, never>>>).map(
      ([field, reading]) => {
        const [column, by] = Array.isArray(reading) ? reading : [columnOf(field), reading];
        return { field, column, convert: typeof by === "function" ? by : null };
      },
    );
    return (row: unknown): Read<Columns, Fields> => {
      const raw = row as Readonly<Record<string, unknown>>;
      const read: Record<string, unknown> = {};
      for (const { field, column, convert } of readings)
        read[field] = convert ? convert(raw[column]) : raw[column];
      return read as Read<Columns, Fields>;
    };
  };

const columnOf = (field: string): string =>
  field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** Reads a nullable column. */
export const orNull =
  <Stored, Converted>(convert: (stored: Stored) => Converted) =>
  (stored: Stored | null): Converted | null =>
    stored === null ? null : convert(stored);

export const toInstant = (text: string): Temporal.Instant => Temporal.Instant.from(text);
export const instantOf = orNull(toInstant);

export const toFlag = (stored: 0 | 1): boolean => stored === 1;

/** Reads JSON that Dayferry has written. */
export const json =
  <Type>() =>
  (text: string): Type =>
    JSON.parse(text) as Type;

/** Reads a column without a CHECK that only ever holds these texts. */
export const textOf =
  <Text extends string>() =>
  (stored: string): Text =>
    stored as Text;
