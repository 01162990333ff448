import { describe, expect, it } from "vitest";
import { Count, Lengths } from "../../src/domain/tallies.ts";
import { formFor, metricText, type TextMetric } from "../../src/http/metric-text.ts";

const lengths = new Lengths([0.5, 1]);
for (const seconds of [0.25, 0.5, 0.75, 60, -3]) lengths.add(seconds);

const metrics: readonly TextMetric[] = [
  {
    name: "a_total",
    type: "counter",
    help: 'A \\ line\nand another "one".',
    samples: [
      { labels: {}, value: 3 },
      { labels: { of: 'b"\\\n', on: "c" }, value: 1.5 },
    ],
  },
  { name: "empty", type: "gauge", help: "Nothing.", samples: [] },
  { name: "d_seconds", type: "histogram", help: "Lengths.", samples: lengths.spreads() },
  { name: "e", type: "gauge", help: "Odd.", samples: [{ labels: {}, value: Number.NaN }] },
];

describe("metrics as text", () => {
  it("follow the format of Prometheus", () => {
    expect(metricText(metrics, "prometheus").split("\n")).toEqual([
      '# HELP a_total A \\\\ line\\nand another "one".',
      "# TYPE a_total counter",
      "a_total 3",
      'a_total{of="b\\"\\\\\\n",on="c"} 1.5',
      "# HELP d_seconds Lengths.",
      "# TYPE d_seconds histogram",
      'd_seconds_bucket{le="0.5"} 3',
      'd_seconds_bucket{le="1"} 4',
      'd_seconds_bucket{le="+Inf"} 5',
      "d_seconds_sum 61.5",
      "d_seconds_count 5",
      "# HELP e Odd.",
      "# TYPE e gauge",
      "e NaN",
      "",
    ]);
  });

  it("follow OpenMetrics: the family without _total, bounds as floats, and an end", () => {
    const lines = metricText(metrics, "openmetrics").split("\n");
    expect(lines.slice(0, 3)).toEqual([
      '# HELP a A \\\\ line\\nand another \\"one\\".',
      "# TYPE a counter",
      "a_total 3",
    ]);
    expect(lines).toContain('d_seconds_bucket{le="1.0"} 4');
    expect(lines.slice(-2)).toEqual(["# EOF", ""]);
  });
});

describe("the format of metrics", () => {
  const prometheus2 =
    "application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;q=0.75,text/plain;version=0.0.4;q=0.5,*/*;q=0.1";
  const prometheus3 =
    "application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.5,application/openmetrics-text;version=0.0.1;q=0.4,text/plain;version=1.0.0;escaping=allow-utf-8;q=0.3,text/plain;version=0.0.4;q=0.2,*/*;q=0.1";
  it.each([
    [undefined, "prometheus"],
    ["", "prometheus"],
    ["*/*", "prometheus"],
    ["text/html,application/xhtml+xml,*/*;q=0.8", "prometheus"],
    ["application/json", "prometheus"],
    ["text/plain", "prometheus"],
    ["application/openmetrics-text", "openmetrics"],
    ['Application/OpenMetrics-Text; version="1.0.0"; charset=utf-8', "openmetrics"],
    ["application/openmetrics-text; version=2.0.0", "prometheus"],
    ["application/openmetrics-text;q=0", "prometheus"],
    ["application/openmetrics-text;q=0.4, text/plain;q=0.5", "prometheus"],
    ["application/openmetrics-text;q=much", "prometheus"],
    [prometheus2, "openmetrics"],
    [prometheus3, "openmetrics"],
  ])("for %s is %s", (accept, form) => {
    expect(formFor(accept)).toBe(form);
  });
});

it("a counter starts at zero, and separates values by their labels", () => {
  const count = new Count([{ status: "200" }]);
  count.add({ status: "304" });
  count.add({ status: "304" }, 2);
  expect(count.samples()).toEqual([
    { labels: { status: "200" }, value: 0 },
    { labels: { status: "304" }, value: 3 },
  ]);
});
