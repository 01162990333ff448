import { allMetrics } from "../src/http/metric-list.ts";

/** The table of all metrics, as in docs/metrics.md between its two marks. */
export const metricsTable = (): string =>
  [
    "| metric | type | labels | in `/api/status` | meaning |",
    "|---|---|---|---|---|",
    ...allMetrics.map(({ name, type, labels = [], status, help }) =>
      [
        "",
        ` \`${name}\` `,
        ` ${type} `,
        labels.length === 0 ? " " : ` ${labels.map((label) => `\`${label}\``).join(", ")} `,
        status === undefined ? " " : ` \`/${status.replaceAll(".", "/")}\` `,
        ` ${help} `,
        "",
      ].join("|"),
    ),
  ].join("\n");

export const tableMarks = ["<!-- made by npm run reference -->", "<!-- end -->"] as const;

/** The document with the current table between its marks. Throws if a mark is missing. */
export function withTable(document: string, table: string): string {
  const [begin, end] = tableMarks.map((mark) => document.indexOf(mark));
  if (begin === undefined || end === undefined || begin < 0 || end < begin) {
    throw new Error("the document lacks the marks around its table");
  }
  const head = document.slice(0, begin + tableMarks[0].length);
  return `${head}\n\n${table}\n\n${document.slice(end)}`;
}
