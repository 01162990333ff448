import { unreachable } from "../../domain/result.ts";
import { escapeMarkup } from "../formats/markup.ts";
import type { Chart } from "../report.ts";
import { barsSvg } from "./bars.ts";
import { heatMapSvg } from "./heat-map.ts";
import { linesSvg } from "./lines.ts";

/** A drawing's inside and its size. */
export interface Drawing {
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
