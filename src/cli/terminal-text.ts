import { alignedTable, visible } from "../reports/formats/text-formats.ts";

/** The terminal that a text is for. */
export interface Terminal {
  /** Its width; null if it is not a terminal. */
  readonly columns: number | null;
  /** Makes a text bold or colored, or returns it as it is. */
  readonly style: (style: "bold" | "green" | "yellow" | "red", text: string) => string;
}

// Marks for tables and colors, made of Unicode noncharacters, which do not occur in text. The process that knows the terminal
// replaces them.
const cellEnd = "\uFDD0";
const toneEnd = "\uFDD4";
const toneStarts = { green: "\uFDD1", yellow: "\uFDD2", red: "\uFDD3" } as const;
const marks = /[\uFDD0-\uFDD4]/g;

/** Head and rows of a table, for `layOut`. Control characters and line breaks in cells are replaced. */
export const textTable = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, ...rows]
    .map((cells) => `${cells.map((cell) => visible(cell.replace(marks, ""))).join(cellEnd)}\n`)
    .map((line) => (line.includes(cellEnd) ? line : line.replace("\n", `${cellEnd}\n`)))
    .join("");

/** A word in a color, for `layOut`. */
export const toned = (tone: keyof typeof toneStarts, text: string): string =>
  `${toneStarts[tone]}${text}${toneEnd}`;

/** Aligns the tables in a text, within the terminal's width, and colors its words. */
export function layOut(text: string, terminal: Terminal): string {
  if (!/[\uFDD0-\uFDD4]/.test(text)) return text;
  const parts: string[] = [];
  let table: string[][] = [];
  const endTable = () => {
    if (table.length > 0) parts.push(tableText(table, terminal));
    table = [];
  };
  for (const line of text.split(/(?<=\n)/)) {
    if (line.includes(cellEnd)) table.push(line.replace("\n", "").split(cellEnd));
    else {
      endTable();
      parts.push(line);
    }
  }
  endTable();
  return parts
    .join("")
    .replaceAll(/([\uFDD1-\uFDD3])([^\uFDD4]*)\uFDD4/g, (_, start: string, word: string) => {
      const [tone] = Object.entries(toneStarts).find(([, mark]) => mark === start) ?? [];
      return tone === "green" || tone === "yellow" || tone === "red"
        ? terminal.style(tone, word)
        : word;
    });
}

function tableText([head = [], ...rows]: readonly string[][], terminal: Terminal): string {
  const columns = head.map((title) => ({ title, type: "text" }) as const);
  const [first = "", ...others] = alignedTable(columns, rows, terminal.columns).split(/(?<=\n)/);
  return `${terminal.style("bold", first.trimEnd())}\n${others.join("")}`;
}

/** An instant from the API in a zone, to the second; "-" for none. The heading names the zone. */
export function localTime(instant: string | null | undefined, zone: string): string {
  if (!instant) return "-";
  const local = Temporal.Instant.from(instant).toZonedDateTimeISO(zone);
  return local.toPlainDateTime().toString({ smallestUnit: "second" }).replace("T", " ");
}

/** The rows of an API answer, which is a list or a single row. */
export const rowsOf = <Row extends object>(answer: Row | readonly Row[]): readonly Row[] =>
  isList(answer) ? answer : [answer];

const isList = <Row>(answer: Row | readonly Row[]): answer is readonly Row[] =>
  Array.isArray(answer);

/** An API answer as a table with a function for each column; a null cell is "-". `empty`: the text without rows. */
export function listText<Row extends object>(
  answer: Row | readonly Row[],
  empty: string,
  columns: Readonly<Record<string, (row: Row) => string | number | null>>,
): string {
  const rows = rowsOf(answer);
  if (rows.length === 0) return empty;
  const cells = Object.values(columns);
  return textTable(
    Object.keys(columns),
    rows.map((row) => cells.map((cell) => String(cell(row) ?? "-"))),
  );
}
