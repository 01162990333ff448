import { unreachable } from "../domain/result.ts";
import { say } from "../texts/say.ts";
import { escapeMarkup } from "./formats/markup.ts";
import { shorten } from "./formats/text-formats.ts";
import type { Chart } from "./report.ts";

/** Content and size of a drawing. */
interface Drawing {
  readonly width: number;
  readonly height: number;
  readonly body: string;
}

/**
 * The chart as a figure with inline SVG, with a title and a description for screen readers. Everything except a heat map is
 * drawn a second time for narrow screens, with the class `narrow`; the page's style sheet shows one of them.
 */
export function chartSvg(chart: Chart): string {
  const [{ width, height, body }, narrow] = drawingsOf(chart);
  const [title, about] = [escapeMarkup(chart.title), escapeMarkup(chart.about)];
  const said = `${about} ${escapeMarkup(say("chart.figures"))}`;
  return `<figure>
<svg role="img" aria-labelledby="chart-title chart-about" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}">
<title id="chart-title">${title}</title>
<desc id="chart-about">${said}</desc>
${body}
</svg>
${
  narrow === null
    ? ""
    : `<svg class="narrow" role="img" aria-label="${title}. ${said}" viewBox="0 0 ${narrow.width} ${narrow.height}">
${narrow.body}
</svg>
`
}<figcaption>${title}. ${about}</figcaption>
</figure>
`;
}

/** The drawings for wide and narrow screens; null if the wide one is used for both. */
function drawingsOf(chart: Chart): readonly [wide: Drawing, narrow: Drawing | null] {
  switch (chart.kind) {
    case "heat-map":
      return [heatMapSvg(chart), null];
    case "lines":
      return [linesSvg(chart, wideLines), linesSvg(chart, narrowLines)];
    case "bars":
      return [barsSvg(chart, wideBars), barsSvg(chart, narrowBars)];
    case "timeline":
      return [timelineSvg(chart, wideTimeline), timelineSvg(chart, narrowTimeline)];
    default:
      return unreachable(chart);
  }
}

/** Where bars begin, the width of bars and their values, and the heights of bars, gaps, names and legend. */
interface BarForm {
  readonly x: number;
  readonly longest: number;
  readonly texts: number;
  readonly bar: number;
  readonly gap: number;
  /** 0 if names are to the left of their bars. */
  readonly nameAbove: number;
  readonly longestName: number;
  readonly legend: number;
}

const wideBars: BarForm = {
  ...{ x: 210, longest: 520, texts: 110 },
  ...{ bar: 13, gap: 9, nameAbove: 0, longestName: 30, legend: 24 },
};
const narrowBars: BarForm = {
  ...{ x: 4, longest: 216, texts: 100 },
  ...{ bar: 13, gap: 9, nameAbove: 18, longestName: 46, legend: 24 },
};
const seriesLooks = ["a", "b"] as const;

/** Bars grouped by name, one for each series, followed by the value. */
function barsSvg(
  { series, bars }: Extract<Chart, { readonly kind: "bars" }>,
  { x: left, longest, texts, bar, gap, nameAbove, longestName, legend }: BarForm,
): Drawing {
  const most = Math.max(1, ...bars.flatMap(({ values }) => values));
  const group = nameAbove + series.length * bar + gap;
  const key = series.flatMap((name, nth) => {
    const x = left + nth * 130;
    return [
      box({ x, y: 4, width: 12, height: 12 }, { look: seriesLooks[nth] ?? "a", hint: name }),
      textAt({ x: x + 18, y: 14 }, { text: name, look: "faint" }),
    ];
  });
  const groups = bars.flatMap(({ name, values, texts: said }, row) => {
    const top = legend + row * group + nameAbove;
    const middle = top + (series.length * bar) / 2 + 4;
    const text = shorten(name, longestName);
    const label =
      nameAbove > 0
        ? textAt({ x: left, y: top - 5 }, { text })
        : textAt({ x: left - 8, y: middle }, { text, anchor: "end" });
    const shapes = values.map((value, nth) => {
      const width = Math.max(1, (value / most) * longest);
      const y = top + nth * bar;
      const text = said[nth] ?? String(value);
      const hint = `${name}, ${series[nth] ?? ""}: ${text}`;
      return (
        box({ x: left, y, width, height: bar - 2 }, { look: seriesLooks[nth] ?? "a", hint }) +
        textAt({ x: left + width + 6, y: y + bar - 3 }, { text, look: "faint" })
      );
    });
    return [label, ...shapes];
  });
  return {
    width: left + longest + texts,
    height: legend + bars.length * group + 8,
    body: [...key, ...groups].join("\n"),
  };
}

/** The plot area and its margins. */
interface LineForm {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
  readonly right: number;
  readonly bottom: number;
  /** Every n-th day of the axis is labeled. */
  readonly written: number;
  /** Where lines are named: at their ends, or in a legend below. */
  readonly names: "ends" | "below";
}

const wideLines: LineForm = {
  ...{ left: 90, top: 12, width: 480, height: 300, right: 250, bottom: 30 },
  ...{ written: 1, names: "ends" },
};
const narrowLines: LineForm = {
  ...{ left: 78, top: 12, width: 234, height: 220, right: 8, bottom: 36 },
  ...{ written: 2, names: "below" },
};
/** Height of a line's name. */
const nameHeight = 16;

/** Steps over time, each line with its name; a rising line slips. */
function linesSvg(
  chart: Extract<Chart, { readonly kind: "lines" }>,
  { left, top, width, height, right, bottom, written, names }: LineForm,
): Drawing {
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
    nth % written > 0
      ? ""
      : textAt(
          { x: x(on), y: top + height + 20 },
          { text: on, anchor: anchorOf(nth, moments.ticks.length), look: "faint" },
        ),
  );
  const below = top + height + bottom;
  const named =
    names === "below"
      ? lines.map((_, nth) => below + nth * (nameHeight + 2))
      : spread(lines.map(({ steps }) => y(steps.at(-1)?.day ?? "")));
  const tracks = lines.flatMap(({ name, steps }, nth) => {
    // A day is valid until it is moved, and the last one until the end.
    const corners = steps.flatMap(({ on, day }, step) => {
      const before = steps[step - 1]?.day;
      const here = { x: x(on), y: y(day) };
      return before === undefined ? [here] : [{ x: x(on), y: y(before) }, here];
    });
    const end = { x: left + width, y: corners.at(-1)?.y ?? top };
    const hint = `${name}: ${steps.map(({ day }) => day).join(" → ")}`;
    const look = lookOf(nth);
    const at = named[nth] ?? end.y;
    const sample = [4, 28].map((there) => ({ x: there, y: at }));
    return [
      path([...corners, end], { look, hint }),
      ...(names === "below"
        ? [path(sample, { look, hint }), textAt({ x: 36, y: at + 4 }, { text: shorten(name, 40) })]
        : [textAt({ x: left + width + 8, y: at + 4 }, { text: shorten(name, 34) })]),
    ];
  });
  return {
    width: left + width + right,
    height: Math.max(top + height + bottom, Math.max(0, ...named) + nameHeight),
    body: [...grid, ...across, ...tracks].join("\n"),
  };
}

/** Keeps the first and the last label of an axis inside. */
function anchorOf(nth: number, count: number): "start" | "middle" | "end" {
  if (count > 1 && nth === 0) return "start";
  return count > 1 && nth === count - 1 ? "end" : "middle";
}

/** Four colors, solid and dashed, for eight distinguishable lines. */
const lookOf = (nth: number): string => `track t${nth % 4}${nth % 8 > 3 ? " dashed" : ""}`;

/** Keeps names one row apart, in the order of their lines' ends. */
function spread(heights: readonly number[]): readonly number[] {
  const placed: number[] = [];
  let lowest = Number.NEGATIVE_INFINITY;
  for (const [nth, height] of [...heights.entries()].toSorted(([, a], [, b]) => a - b)) {
    lowest = Math.max(height, lowest + nameHeight);
    placed[nth] = lowest;
  }
  return placed;
}

/** Positions of dates between the first and the last, from 0 to 1, and which are labeled. */
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

/** Width of the names, height of the header, and size of a cell. */
const heatMap = { names: 170, head: 24, cell: { width: 46, height: 24 } };

/** Cells whose shade is their value; each also shows the value, so that color alone carries no information. */
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
      // Above this, light text is easier to read than dark text, in both color schemes.
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

/** Layout of a timeline: positions from the left and from the middle of a row, in pixels. */
interface TimelineForm {
  readonly width: number;
  /** Heights of the header and the rows. */
  readonly head: number;
  readonly row: number;
  /** Start and width of the time axis. */
  readonly days: { readonly x: number; readonly width: number };
  /** Every n-th day of the axis is labeled. */
  readonly written: number;
  readonly name: Place & { readonly anchor: "start" | "end"; readonly longest: number };
  readonly words: Place;
}

/** Names to the left of the axis, words to the right. */
const wideTimeline: TimelineForm = {
  width: 930,
  head: 30,
  row: 28,
  days: { x: 212, width: 436 },
  written: 1,
  name: { x: 192, y: 4, anchor: "end", longest: 30 },
  words: { x: 668, y: 4 },
};

/** Names above the axis, words below. */
const narrowTimeline: TimelineForm = {
  width: 320,
  head: 30,
  row: 66,
  days: { x: 10, width: 300 },
  written: 2,
  name: { x: 4, y: -14, anchor: "start", longest: 46 },
  words: { x: 4, y: 20 },
};

/** One row per milestone, from its first day through the days it was moved to, with a line for today. */
function timelineSvg(
  { today, rows }: Extract<Chart, { readonly kind: "timeline" }>,
  { width, head, row: height, days, written, name, words }: TimelineForm,
): Drawing {
  const range = rangeOf([today, ...rows.flatMap((row) => row.days)]);
  const x = (day: string) => days.x + range.share(day) * days.width;
  const bottom = head + rows.length * height;
  const lineAt = (day: string) => [head - 6, bottom].map((y) => ({ x: x(day), y }));
  const share = range.share(today);
  const todayAnchor = share < 0.1 ? "start" : share > 0.9 ? "end" : "middle";
  const across = range.ticks.flatMap((day, nth) => [
    path(lineAt(day), { look: "grid", hint: day }),
    nth % written > 0
      ? ""
      : textAt(
          { x: x(day), y: bottom + 16 },
          // Names to the left of the axis leave room beside it.
          {
            text: day,
            anchor: name.anchor === "end" ? "middle" : anchorOf(nth, range.ticks.length),
            look: "faint",
          },
        ),
  ]);
  const tracks = rows.flatMap((row, nth) => {
    const y = head + (nth + 0.5) * height;
    const [first = today, last = today] = [row.days[0], row.days.at(-1)];
    const hint = `${row.name}: ${row.days.join(" → ")}, ${row.said}`;
    const stops = row.days.map((day) => ({ x: x(day), y }));
    return [
      textAt(
        { x: name.x, y: y + name.y },
        { text: shorten(row.name, name.longest), anchor: name.anchor },
      ),
      row.days.length > 1 ? path(stops, { look: `slip ${row.state}`, hint }) : "",
      first === last && row.days.length === 1
        ? ""
        : dot({ x: x(first), y }, { look: "first", hint, size: 5 }),
      ...row.days
        .slice(1, -1)
        .map((day) => dot({ x: x(day), y }, { look: `stop ${row.state}`, hint, size: 3 })),
      dot({ x: x(last), y }, { look: row.state, hint, size: 6 }),
      textAt({ x: words.x, y: y + words.y }, { text: row.said, look: "faint" }),
    ];
  });
  return {
    width,
    height: bottom + 24,
    body: [
      ...across,
      path(lineAt(today), { look: "now", hint: say("chart.todayHint", { day: today }) }),
      textAt({ x: x(today), y: head - 12 }, { text: say("chart.today"), anchor: todayAnchor }),
      ...tracks,
    ]
      .filter((part) => part !== "")
      .join("\n"),
  };
}

/** A point of a drawing; coordinates are rounded to a tenth. */
interface Place {
  readonly x: number;
  readonly y: number;
}

interface Label {
  readonly text: string;
  readonly anchor?: "start" | "middle" | "end";
  readonly look?: string;
}

function textAt({ x, y }: Place, { text, anchor = "start", look = "" }: Label): string {
  const style = look === "" ? "" : ` class="${look}"`;
  return `<text x="${tenth(x)}" y="${tenth(y)}" text-anchor="${anchor}"${style}>${escapeMarkup(text)}</text>`;
}

/** The class and the tooltip of a shape. */
interface Look {
  readonly look: string;
  readonly hint: string;
}

function box(
  { x, y, width, height }: Place & { readonly width: number; readonly height: number },
  { look, hint, opacity = 1 }: Look & { readonly opacity?: number },
): string {
  const see = opacity === 1 ? "" : ` fill-opacity="${opacity.toFixed(2)}"`;
  return `<rect x="${tenth(x)}" y="${tenth(y)}" width="${tenth(width)}" height="${tenth(height)}" rx="2" class="${look}"${see}><title>${escapeMarkup(hint)}</title></rect>`;
}

function dot({ x, y }: Place, { look, hint, size }: Look & { readonly size: number }): string {
  return `<circle cx="${tenth(x)}" cy="${tenth(y)}" r="${size}" class="${look}"><title>${escapeMarkup(hint)}</title></circle>`;
}

function path(points: readonly Place[], { look, hint }: Look): string {
  const [first, ...rest] = points.map(({ x, y }) => `${tenth(x)} ${tenth(y)}`);
  if (first === undefined) return "";
  return `<path d="M${[first, ...rest].join(" L")}" class="${look}"><title>${escapeMarkup(hint)}</title></path>`;
}

const tenth = (value: number): string => String(Math.round(value * 10) / 10);
