/** Columns as wide as their widest cell, two spaces apart; the last one is left as it is. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [head, ...rows];
  const widths = head.map((_, column) => Math.max(...all.map((row) => width(row[column] ?? ""))));
  return all
    .map((row) =>
      row.map((cell, column) => pad(cell, column === head.length - 1 ? 0 : (widths[column] ?? 0))),
    )
    .map((cells) => `${cells.join("  ").trimEnd()}\n`)
    .join("");
}

const pad = (cell: string, to: number) => cell + " ".repeat(Math.max(0, to - width(cell)));
const width = (text: string) => [...new Intl.Segmenter().segment(text)].length;
