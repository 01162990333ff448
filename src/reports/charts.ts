import { unreachable } from "../domain/result.ts";
import { escapeMarkup } from "./formats/markup.ts";
import { shorten } from "./formats/text-formats.ts";
import type { Chart } from "./report.ts";

/** A drawing's inside and its size. */
interface Drawing {
  readonly width: number;
  readonly height: number;
  readonly body: string;
}

/** The chart as a figure with inline SVG, with a title and a description for those who cannot see it. */
export function chartSvg(chart: Chart): string {
  const { width, height, body } = draw(chart);
  const [title, about] = [escapeMarkup(chart.title), escapeMarkup(chart.about)];
  return `<figure>
<svg role="img" aria-labelledby="chart-title chart-about" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}">
<title id="chart-title">${title}</title>
<desc id="chart-about">${about} The table below has the figures.</desc>
${body}
</svg>
<figcaption>${title}. ${about}</figcaption>
</figure>
`;
}

function draw(chart: Chart): Drawing {
  switch (chart.kind) {
    case "heat-map":
      return heatMapSvg(chart);
    case "lines":
      return linesSvg(chart);
    case "bars":
      return barsSvg(chart);
    default:
      return unreachable(chart);
  }
}

/** Widths of names, bars and their values, and heights of a bar, a gap and the legend. */
const barChart = { names: 210, longest: 520, texts: 110, bar: 13, gap: 9, legend: 24 };
const seriesLooks = ["a", "b"] as const;

/** Bars side by side per name, one for each series, with their value behind them. */
function barsSvg(chart: Extract<Chart, { readonly kind: "bars" }>): Drawing {
  const { series, bars } = chart;
  const { names, longest, texts, bar, gap, legend } = barChart;
  const most = Math.max(1, ...bars.flatMap(({ values }) => values));
  const group = series.length * bar + gap;
  const key = series.flatMap((name, nth) => {
    const x = names + nth * 130;
    return [
      box({ x, y: 4, width: 12, height: 12 }, { look: seriesLooks[nth] ?? "a", hint: name }),
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
        box({ x: names, y, width, height: bar - 2 }, { look: seriesLooks[nth] ?? "a", hint }) +
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

/** Where the lines are drawn, and the room around them. */
const plot = { left: 90, top: 12, width: 480, height: 300, right: 250, bottom: 30 };
/** Height of a line's name. */
const nameHeight = 16;

/** Steps over time, each line named at its end; a line that climbs slips. */
function linesSvg(chart: Extract<Chart, { readonly kind: "lines" }>): Drawing {
  const { left, top, width, height, right, bottom } = plot;
  const lines = chart.lines.filter(({ steps }) => steps.length > 0);
  const moments = rangeOf([chart.from, chart.to]);
  const days = rangeOf(lines.flatMap(({ steps }) => steps.map(({ day }) => day)));
  const x = (on: string) => left + moments.share(on) * width;
  const y = (day: string) => top + (1 - days.share(day)) * height;
  const grid = days.ticks.map((day) => {
    const ends = [left, left + width].map((at) => ({ x: at, y: y(day) }));
    const label = textAt(
      { x: left - 8, y: y(day) + 4 },
      { text: day, anchor: "end", look: "faint" },
    );
    return path(ends, { look: "grid", hint: day }) + label;
  });
  const across = moments.ticks.map((on, nth) =>
    textAt(
      { x: x(on), y: top + height + 20 },
      {
        text: on,
        anchor: nth === 0 ? "start" : nth === moments.ticks.length - 1 ? "end" : "middle",
        look: "faint",
      },
    ),
  );
  const named = spread(lines.map(({ steps }) => y(steps.at(-1)?.day ?? "")));
  const tracks = lines.flatMap(({ name, steps }, nth) => {
    // The day holds until it is moved, and the last one until the end.
    const corners = steps.flatMap(({ on, day }, step) => {
      const before = steps[step - 1]?.day;
      const here = { x: x(on), y: y(day) };
      return before === undefined ? [here] : [{ x: x(on), y: y(before) }, here];
    });
    const end = { x: left + width, y: corners.at(-1)?.y ?? top };
    const hint = `${name}: ${steps.map(({ day }) => day).join(" → ")}`;
    return [
      path([...corners, end], { look: lookOf(nth), hint }),
      textAt({ x: left + width + 8, y: (named[nth] ?? end.y) + 4 }, { text: shorten(name, 34) }),
    ];
  });
  return {
    width: left + width + right,
    height: Math.max(top + height + bottom, Math.max(0, ...named) + nameHeight),
    body: [...grid, ...across, ...tracks].join("\n"),
  };
}

/** Four colours, and again dashed, so that eight lines can be told apart. */
const lookOf = (nth: number): string => `track t${nth % 4}${nth % 8 > 3 ? " dashed" : ""}`;

/** Names keep a row's distance from each other, in the order of their lines' ends. */
function spread(heights: readonly number[]): readonly number[] {
  const placed: number[] = [];
  let lowest = Number.NEGATIVE_INFINITY;
  for (const [nth, height] of [...heights.entries()].toSorted(([, a], [, b]) => a - b)) {
    lowest = Math.max(height, lowest + nameHeight);
    placed[nth] = lowest;
  }
  return placed;
}

/** Where dates lie between the first and the last of them, from 0 to 1, and which are written on the axis. */
function rangeOf(dates: readonly string[]): {
  readonly share: (date: string) => number;
  readonly ticks: readonly string[];
} {
  const sorted = [...new Set(dates)].toSorted();
  const [first, last] = [sorted[0], sorted.at(-1)];
  if (first === undefined || last === undefined) return { share: () => 0.5, ticks: [] };
  const start = Temporal.PlainDate.from(first);
  const length = start.until(last, { largestUnit: "days" }).days;
  if (length === 0) return { share: () => 0.5, ticks: [first] };
  const share = (date: string) => start.until(date, { largestUnit: "days" }).days / length;
  const steps = Math.min(4, length);
  const ticks = Array.from({ length: steps + 1 }, (_, nth) =>
    start.add({ days: Math.round((length * nth) / steps) }).toString(),
  );
  return { share, ticks };
}

/** Width of the names, height of the head, and the size of a field. */
const heatMap = { names: 170, head: 24, cell: { width: 46, height: 24 } };

/** Fields whose darkness is their value; the value stands in each, so that colour alone says nothing. */
function heatMapSvg(chart: Extract<Chart, { readonly kind: "heat-map" }>): Drawing {
  const { rows, columns, values } = chart;
  const { names, head, cell } = heatMap;
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

/** A point of a drawing; coordinates are written to a tenth. */
interface Place {
  readonly x: number;
  readonly y: number;
}

function textAt(
  { x, y }: Place,
  {
    text,
    anchor = "start",
    look = "",
  }: {
    readonly text: string;
    readonly anchor?: "start" | "middle" | "end";
    readonly look?: string;
  },
): string {
  const style = look === "" ? "" : ` class="${look}"`;
  return `<text x="${tenth(x)}" y="${tenth(y)}" text-anchor="${anchor}"${style}>${escapeMarkup(text)}</text>`;
}

/** `hint` is shown under the pointer. */
function box(
  { x, y, width, height }: Place & { readonly width: number; readonly height: number },
  {
    look,
    hint,
    opacity = 1,
  }: { readonly look: string; readonly hint: string; readonly opacity?: number },
): string {
  const see = opacity === 1 ? "" : ` fill-opacity="${opacity.toFixed(2)}"`;
  return `<rect x="${tenth(x)}" y="${tenth(y)}" width="${tenth(width)}" height="${tenth(height)}" rx="2" class="${look}"${see}><title>${escapeMarkup(hint)}</title></rect>`;
}

function path(
  points: readonly Place[],
  { look, hint }: { readonly look: string; readonly hint: string },
): string {
  const [first, ...rest] = points.map(({ x, y }) => `${tenth(x)} ${tenth(y)}`);
  if (first === undefined) return "";
  return `<path d="M${[first, ...rest].join(" L")}" class="${look}"><title>${escapeMarkup(hint)}</title></path>`;
}

const tenth = (value: number): string => String(Math.round(value * 10) / 10);
