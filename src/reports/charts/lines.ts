import { shorten } from "../formats/shorten.ts";
import type { Chart } from "../report.ts";
import type { Drawing } from "./chart.ts";
import { path, textAt } from "./svg.ts";

const left = 90;
const plot = { width: 480, height: 300 };
const right = 250;
const top = 12;
const bottom = 30;
const rows = 16;

/** Steps over time, each line named at its end; a line that climbs slips. */
export function linesSvg(chart: Extract<Chart, { readonly kind: "lines" }>): Drawing {
  const lines = chart.lines.filter(({ steps }) => steps.length > 0);
  const moments = rangeOf([chart.from, chart.to]);
  const days = rangeOf(lines.flatMap(({ steps }) => steps.map(({ day }) => day)));
  const x = (on: string) => left + moments.share(on) * plot.width;
  const y = (day: string) => top + (1 - days.share(day)) * plot.height;
  const grid = days.ticks.map((day) => {
    const ends = [left, left + plot.width].map((at) => ({ x: at, y: y(day) }));
    const label = textAt(
      { x: left - 8, y: y(day) + 4 },
      { text: day, anchor: "end", look: "faint" },
    );
    return path(ends, { look: "grid", hint: day }) + label;
  });
  const across = moments.ticks.map((on, nth) =>
    textAt(
      { x: x(on), y: top + plot.height + 20 },
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
    const end = { x: left + plot.width, y: corners.at(-1)?.y ?? top };
    const hint = `${name}: ${steps.map(({ day }) => day).join(" → ")}`;
    return [
      path([...corners, end], { look: lookOf(nth), hint }),
      textAt(
        { x: left + plot.width + 8, y: (named[nth] ?? end.y) + 4 },
        { text: shorten(name, 34) },
      ),
    ];
  });
  return {
    width: left + plot.width + right,
    height: Math.max(top + plot.height + bottom, Math.max(0, ...named) + rows),
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
    lowest = Math.max(height, lowest + rows);
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
