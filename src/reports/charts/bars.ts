import { shorten } from "../formats/shorten.ts";
import type { Chart } from "../report.ts";
import type { Drawing } from "./chart.ts";
import { box, textAt } from "./svg.ts";

const names = 210;
const longest = 520;
const texts = 110;
const bar = 13;
const gap = 9;
const legend = 24;
const looks = ["a", "b"] as const;

/** Bars side by side per name, one for each series, with their value behind them. */
export function barsSvg(chart: Extract<Chart, { readonly kind: "bars" }>): Drawing {
  const { series, bars } = chart;
  const most = Math.max(1, ...bars.flatMap(({ values }) => values));
  const group = series.length * bar + gap;
  const key = series.flatMap((name, nth) => {
    const x = names + nth * 130;
    return [
      box({ x, y: 4, width: 12, height: 12 }, { look: looks[nth] ?? "a", hint: name }),
      textAt({ x: x + 18, y: 14 }, { text: name, look: "faint" }),
    ];
  });
  const groups = bars.flatMap(({ name, values, texts: said }, row) => {
    const top = legend + row * group;
    const middle = top + (series.length * bar) / 2 + 4;
    const label = textAt({ x: names - 8, y: middle }, { text: shorten(name, 30), anchor: "end" });
    const shapes = values.map((value, nth) => {
      const width = Math.max(1, (value / most) * longest);
      const y = top + nth * bar;
      const text = said[nth] ?? String(value);
      const hint = `${name}, ${series[nth] ?? ""}: ${text}`;
      return (
        box({ x: names, y, width, height: bar - 2 }, { look: looks[nth] ?? "a", hint }) +
        textAt({ x: names + width + 6, y: y + bar - 3 }, { text, look: "faint" })
      );
    });
    return [label, ...shapes];
  });
  return {
    width: names + longest + texts,
    height: legend + bars.length * group + 8,
    body: [...key, ...groups].join("\n"),
  };
}
