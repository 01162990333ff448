import { shorten } from "../formats/shorten.ts";
import type { Chart } from "../report.ts";
import type { Drawing } from "./chart.ts";
import { box, textAt } from "./svg.ts";

const names = 170;
const cell = { width: 46, height: 24 };
const head = 24;

/** Fields whose darkness is their value; the value stands in each, so that colour alone says nothing. */
export function heatMapSvg(chart: Extract<Chart, { readonly kind: "heat-map" }>): Drawing {
  const { rows, columns, values } = chart;
  const most = Math.max(1, ...values.flat());
  const titles = columns.map((column, nth) =>
    textAt(
      { x: names + (nth + 0.5) * cell.width, y: head - 8 },
      { text: column, anchor: "middle", look: "faint" },
    ),
  );
  const fields = rows.flatMap((name, row) => {
    const y = head + row * cell.height;
    const label = textAt({ x: names - 8, y: y + 16 }, { text: shorten(name, 24), anchor: "end" });
    const boxes = columns.map((column, nth) => {
      const value = values[row]?.[nth] ?? 0;
      if (value === 0) return "";
      const x = names + nth * cell.width;
      const share = value / most;
      const shape = { x: x + 1, y: y + 1, width: cell.width - 2, height: cell.height - 2 };
      const hint = `${name}, ${column}: ${value}`;
      const opacity = 0.15 + 0.85 * share;
      // From there on ink on the colour is harder to read than paper, in the light as in the dark.
      const look = share > 0.7 ? "on" : "";
      const said = { text: String(value), anchor: "middle", look } as const;
      return (
        box(shape, { look: "a", hint, opacity }) +
        textAt({ x: x + cell.width / 2, y: y + 16 }, said)
      );
    });
    return [label, ...boxes];
  });
  return {
    width: names + columns.length * cell.width + 8,
    height: head + rows.length * cell.height + 8,
    body: [...titles, ...fields].filter((part) => part !== "").join("\n"),
  };
}
