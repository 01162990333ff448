import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { metricsTable, withTable } from "../../scripts/metrics-table.ts";
import { missingPromtool, promtool } from "../clients/promtool.ts";
import { type Installation, install } from "../support/dayferry.ts";
import { serveHere } from "../support/in-process.ts";
import { testSandbox } from "../support/sandbox.ts";

const pathOf = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const read = (path: string): string => readFileSync(pathOf(path), "utf8");

const document = read("docs/metrics.md");
const rules = read("deploy/alerts.yaml");
const dashboard: unknown = JSON.parse(read("deploy/grafana-dashboard.json"));

it("docs/metrics.md matches the list of metrics; `npm run reference` writes it", () => {
  expect(document).toBe(withTable(document, metricsTable()));
  expect(document).toContain("| `dayferry_edit_delay_seconds` | histogram |");
});

it("docs/metrics.md explains each alert and what to do, and no other", () => {
  const alerts = [...rules.matchAll(/- alert: (\w+)/g)].map(([, name]) => name);
  const rows = [...document.matchAll(/^\| `(Dayferry\w+)` \| .{20,} \| .{20,} \|$/gm)];
  expect(rows.map(([, name]) => name)).toEqual(alerts);
  expect(alerts.length).toBeGreaterThan(15);
});

describe.skipIf(missingPromtool)("deploy/alerts.yaml", () => {
  it("passes promtool", async () => {
    const { code, output } = await promtool(["check", "rules", pathOf("deploy/alerts.yaml")]);
    expect([code, output]).toEqual([0, expect.stringContaining("SUCCESS: 24 rules found")]);
  });

  it("fires where it should, and nowhere else", async () => {
    const { code, output } = await promtool([
      "test",
      "rules",
      pathOf("test/deploy/alerts.promtool.yaml"),
    ]);
    expect([code, output]).toEqual([0, expect.stringContaining("SUCCESS")]);
  });
});

/** A query and its place. */
interface Query {
  readonly place: string;
  readonly expression: string;
}

const queriesOfRules: readonly Query[] = [
  ...rules.matchAll(/- alert: (\w+)\n\s+expr: (.+)\n/g),
].map(([, place = "", expression = ""]) => ({ place, expression }));

/** Every `expr` and `definition` in the dashboard, however deep. */
function queriesIn(value: unknown, title = ""): readonly Query[] {
  if (typeof value !== "object" || value === null) return [];
  if (Array.isArray(value)) return value.flatMap((each) => queriesIn(each, title));
  const here = "title" in value && typeof value.title === "string" ? value.title : title;
  return Object.entries(value).flatMap(([key, inner]) =>
    (key === "expr" || key === "definition") && typeof inner === "string"
      ? [{ place: here, expression: inner }]
      : queriesIn(inner, here),
  );
}

describe("queries of alerts and dashboard", () => {
  let close: () => Promise<void>;
  /** The labels and values that a running daemon gives, by the name of the series. */
  const told = new Map<string, Map<string, Set<string>>>();

  beforeAll(async () => {
    const sandbox = await testSandbox();
    const installation: Installation = install(sandbox);
    const daemon = await serveHere(installation);
    const text = await (await fetch(`${daemon.url}/metrics`)).text();
    for (const [, name = "", labels = ""] of text.matchAll(/^(\w+)(?:\{(.*)\})? \S+$/gm)) {
      const known = told.get(name) ?? new Map<string, Set<string>>();
      told.set(name, known);
      for (const [, label = "", value = ""] of labels.matchAll(/(\w+)="([^"]*)"/g)) {
        known.set(label, (known.get(label) ?? new Set()).add(value));
      }
    }
    close = async () => {
      await daemon.stop();
      await sandbox.close();
      installation.dispose();
    };
  });
  afterAll(() => close());

  /** What in a query names no existing series. */
  function unknownIn({ place, expression }: Query): readonly string[] {
    const series = expression.matchAll(/\b((?:dayferry|process|nodejs)_\w+)(?:\{([^}]*)\})?/g);
    return [...series].flatMap(([, name = "", matchers = ""]) => {
      const known = told.get(name);
      if (!known) return [`${place}: ${name}`];
      return [...matchers.matchAll(/(\w+)(=~|!=|!~|=)"([^"]*)"/g)].flatMap(
        ([, label = "", , value = ""]) => {
          if (label === "instance") return [];
          const values = known.get(label);
          const wrong = value.split("|").filter((each) => values?.has(each) !== true);
          return wrong.map((each) => `${place}: ${name}{${label}="${each}"}`);
        },
      );
    });
  }

  /** Labels by which a query groups and that no series in it has. */
  function unknownGroups({ place, expression }: Query): readonly string[] {
    const names = [...expression.matchAll(/\b(?:dayferry|process|nodejs)_\w+/g)].map(
      ([name]) => name,
    );
    const groups = [...expression.matchAll(/\b(?:by|on) \(([^)]*)\)/g)].flatMap(([, list = ""]) =>
      list.split(",").map((label) => label.trim()),
    );
    return groups
      .filter((label) => label !== "instance")
      .filter((label) => !names.some((name) => told.get(name)?.has(label)))
      .map((label) => `${place}: by ${label}`);
  }

  it("use only names, labels and values of a running daemon", () => {
    const queries = [...queriesOfRules, ...queriesIn(dashboard)];
    expect(queriesOfRules).toHaveLength(24);
    expect(queries.length).toBeGreaterThan(60);
    expect(queries.flatMap(unknownIn)).toEqual([]);
    expect(queries.flatMap(unknownGroups)).toEqual([]);
  });

  it("are reported if their metric is missing", () => {
    const of = (expression: string) => unknownIn({ place: "x", expression });
    expect(of('rate(dayferry_feed_fetches_total{status="304"}[5m])')).toEqual([]);
    expect(of("rate(dayferry_fed_fetches_total[5m])")).toEqual(["x: dayferry_fed_fetches_total"]);
    expect(of('dayferry_edits{state=~"pending|lost"}')).toEqual([
      'x: dayferry_edits{state="lost"}',
    ]);
    expect(of('dayferry_edits{stat="pending"}')).toEqual(['x: dayferry_edits{stat="pending"}']);
    expect(unknownGroups({ place: "x", expression: "sum by (kind) (dayferry_edits)" })).toEqual([
      "x: by kind",
    ]);
  });

  it("have legends with existing labels", () => {
    const legends = [
      ...JSON.stringify(dashboard).matchAll(/"expr":"((?:[^"\\]|\\.)*)","legendFormat":"([^"]*)"/g),
    ];
    expect(legends.length).toBeGreaterThan(35);
    const wrong = legends.flatMap(([, expression = "", legend = ""]) =>
      [...legend.matchAll(/\{\{(\w+)\}\}/g)].flatMap(([, label = ""]) =>
        expression.includes(`(${label})`) ||
        new RegExp(`by \\([^)]*\\b${label}\\b`).test(expression) ||
        label === "version"
          ? []
          : [`${expression}: ${label}`],
      ),
    );
    expect(wrong).toEqual([]);
  });

  it("are in panels that do not overlap", () => {
    const panels = Object(dashboard).panels.map((panel: unknown) => Object(panel).gridPos);
    const cells = panels.flatMap((at: Readonly<Record<"x" | "y" | "w" | "h", number>>) =>
      Array.from({ length: at.w * at.h }, (_, cell) =>
        [at.x + (cell % at.w), at.y + Math.floor(cell / at.w)].join(),
      ),
    );
    expect(new Set(cells).size).toBe(cells.length);
    expect(panels.length).toBeGreaterThan(20);
  });
});
