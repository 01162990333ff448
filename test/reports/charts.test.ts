import { describe, expect, it } from "vitest";
import { chartSvg } from "../../src/reports/charts.ts";

const numbers = (text: string) => [...text.matchAll(/-?\d+(?:\.\d+)?/g)].map(([digits]) => +digits);
const all = (svg: string, pattern: RegExp) => [...svg.matchAll(pattern)].map((found) => found);

/** The beginning of the drawing for narrow screens. */
const forNarrow = '<svg class="narrow"';

describe("chartSvg()", () => {
  it("draws and labels bars as long as their values", () => {
    const drawn = chartSvg({
      ...{ kind: "bars", title: "Hours", about: "All.", series: ["estimated", "logged"] },
      bars: [
        { name: "A & <B>", values: [400, 100], texts: ["6:40", "1:40"] },
        { name: "C", values: [0, 200], texts: ["0:00", "3:20"] },
      ],
    });
    const [svg = "", narrow = ""] = drawn.split(forNarrow);
    const widthsIn = (drawing: string) =>
      all(drawing, /<rect [^>]*width="([\d.]+)"[^>]*><title>[^<]*: (\d+:\d\d)</g);
    const shares = (drawing: string) => {
      const found = widthsIn(drawing).map(([, width, said]) => [said, Number(width)] as const);
      return found.map(([said, width]) => [said, width > 1 ? width / (found[0]?.[1] ?? 1) : 0]);
    };
    expect(shares(narrow)).toEqual(shares(svg));
    expect(narrow).toContain("A &amp; &lt;B&gt;");
    const widths = all(svg, /<rect [^>]*width="([\d.]+)"[^>]*><title>[^<]*: (\d+:\d\d)</g);
    const [most] = widths.map(([, width]) => Number(width));
    expect(widths.map(([, width, said]) => [said, Number(width) / (most ?? 1)])).toEqual([
      ["6:40", 1],
      ["1:40", 0.25],
      // One pixel, so that zero does not look like a missing value.
      ["0:00", expect.closeTo(1 / (most ?? 1))],
      ["3:20", 0.5],
    ]);
    expect(svg).toContain("A &amp; &lt;B&gt;");
  });

  it("draws a heat map that is darker for more, in the field of its row and column", () => {
    const svg = chartSvg({
      ...{ kind: "heat-map", title: "Open", about: "All.", rows: ["Ana", "Bo"] },
      columns: ["W47", "W48"],
      values: [
        [8, 0],
        [2, 4],
      ],
    });
    const fields = all(svg, /<rect x="([\d.]+)" y="([\d.]+)"([^>]*)><title>([^<]+)</g);
    const told = fields.map(([, x, y, rest = "", hint]) => ({
      ...{ hint, x: Number(x), y: Number(y) },
      opacity: Number(/fill-opacity="([\d.]+)"/.exec(rest)?.[1] ?? 1),
    }));
    expect(told.map(({ hint, opacity }) => [hint, opacity])).toEqual([
      ["Ana, W47: 8", 1],
      ["Bo, W47: 2", 0.36],
      ["Bo, W48: 4", 0.57],
    ]);
    const [first, below, beside] = told;
    expect([below?.x, beside?.y]).toEqual([first?.x, below?.y]);
    expect((beside?.x ?? 0) - (below?.x ?? 0)).toBe(46);
  });

  it("draws lines from edge to edge, a step up where a day moved later", () => {
    const drawn = chartSvg({
      ...{ kind: "lines", title: "Moves", about: "All.", from: "2026-11-01", to: "2026-11-21" },
      lines: [
        {
          name: "Launch",
          steps: [
            { on: "2026-11-01", day: "2026-12-01" },
            { on: "2026-11-11", day: "2026-12-11" },
          ],
        },
        {
          name: "Beta",
          steps: [
            { on: "2026-11-01", day: "2026-12-11" },
            { on: "2026-11-06", day: "2026-12-06" },
          ],
        },
      ],
    });
    const [svg = "", narrow = ""] = drawn.split(forNarrow);
    // There each name is below, beside a piece of the line.
    expect(
      all(narrow, /<text x="36" y="[\d.]+"[^>]*>(Launch|Beta)</g).map(([, name]) => name),
    ).toEqual(["Launch", "Beta"]);
    expect(all(narrow, /class="track/g)).toHaveLength(4);
    const [launch = "", beta = ""] = all(svg, /<path d="([^"]+)" class="track/g).map(([, d]) => d);
    expect(numbers(launch)).toEqual([90, 312, 330, 312, 330, 12, 570, 12]);
    expect(numbers(beta)).toEqual([90, 12, 210, 12, 210, 162, 570, 162]);
    // The names are at the ends of their lines.
    expect(svg).toMatch(/<text x="578" y="16"[^>]*>Launch<[\s\S]*<text x="578" y="166"[^>]*>Beta</);
    expect(svg).toContain("Beta: 2026-12-11 → 2026-12-06");
  });

  it("does not divide by zero when everything moved on the only day", () => {
    const steps = [{ on: "2026-11-21", day: "2026-12-01" }];
    const svg = chartSvg({
      ...{ kind: "lines", title: "Moves", about: "All.", from: "2026-11-21", to: "2026-11-21" },
      lines: [{ name: "Launch", steps }],
    });
    expect(svg).not.toMatch(/NaN|Infinity|undefined/);
  });
});
