import { alignedTable, visible } from "../reports/formats/text-formats.ts";

/** Head and rows in aligned columns; control characters and line breaks in cells are replaced. */
export function textTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const columns = head.map((title) => ({ title, type: "text" }) as const);
  return alignedTable(
    columns,
    rows.map((row) => row.map(visible)),
  );
}

/** An instant from the API in a zone, to the second; "-" for none. The heading names the zone. */
export function localTime(instant: string | null | undefined, zone: string): string {
  if (!instant) return "-";
  const local = Temporal.Instant.from(instant).toZonedDateTimeISO(zone);
  return local.toPlainDateTime().toString({ smallestUnit: "second" }).replace("T", " ");
}

/** The rows of an API answer, which is a list, a single row, or empty. */
export function rowsOf<Row>(answer: unknown): readonly Row[] {
  if (answer === undefined) return [];
  return Array.isArray(answer) ? answer : [Object(answer)];
}
