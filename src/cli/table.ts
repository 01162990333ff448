/** Columns as wide as their widest cell, two spaces apart; the last one is left as it is. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [head, ...rows.map((row) => row.map(visible))];
  const widths = head.map((_, column) => Math.max(...all.map((row) => width(row[column] ?? ""))));
  return all
    .map((row) =>
      row.map((cell, column) => pad(cell, column === head.length - 1 ? 0 : (widths[column] ?? 0))),
    )
    .map((cells) => `${cells.join("  ").trimEnd()}\n`)
    .join("");
}

/** One line for a terminal. Titles may hold anything: nothing of it may steer the terminal or break the line. */
export const visible = (cell: string) =>
  cell.replace(/[\p{Cc}\p{Zl}\p{Zp}\u202A-\u202E\u2066-\u2069]+/gu, " ");
const pad = (cell: string, to: number) => cell + " ".repeat(Math.max(0, to - width(cell)));
const width = (text: string) => [...new Intl.Segmenter().segment(text)].length;
