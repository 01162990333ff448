import { alignedTable, visible } from "../reports/formats/text-formats.ts";

/** Head and rows in columns as wide as their widest cell; nothing of a cell steers the terminal or breaks the line. */
export function textTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const columns = head.map((title) => ({ title, type: "text" }) as const);
  return alignedTable(
    columns,
    rows.map((row) => row.map(visible)),
  );
}

/** An instant from the API on the clocks of a zone, to the second; "-" for none. The zone is for the heading to say. */
export function localTime(instant: string | null | undefined, zone: string): string {
  if (!instant) return "-";
  const local = Temporal.Instant.from(instant).toZonedDateTimeISO(zone);
  return local.toPlainDateTime().toString({ smallestUnit: "second" }).replace("T", " ");
}

/** The rows of an answer of the API, which is a list of such rows, a single one, or nothing. */
export function rowsOf<Row>(answer: unknown): readonly Row[] {
  if (answer === undefined) return [];
  return Array.isArray(answer) ? answer : [Object(answer)];
}
