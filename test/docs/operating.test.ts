import { readFileSync } from "node:fs";
import Database from "better-sqlite3";
import { describe, expect, it, onTestFinished } from "vitest";
import { reports } from "../../src/reports/catalogue/catalogue.ts";
import { migrate } from "../../src/store/migrate.ts";
import { migrations } from "../support/test-store.ts";

const read = (document: string): string =>
  readFileSync(new URL(`../../docs/${document}`, import.meta.url), "utf8");
const [operating, told] = [read("operating.md"), read("reports.md")];

function database() {
  const db = new Database(":memory:");
  onTestFinished(() => void db.close());
  migrate(db, migrations);
  return db;
}

/** The text below a heading, up to the next one of its level or above. */
function section(heading: string, text = operating): string {
  const [, below = ""] = text.split(`\n${heading}\n`);
  const level = heading.indexOf(" ");
  return below.split(new RegExp(`^#{1,${level}} `, "m"), 1).join("");
}

const quoted = (line: string): readonly string[] =>
  [...line.matchAll(/`([^`]+)`/g)].map(([, word]) => word ?? "");

it("docs/reports.md lists every report with its columns and filters, and no missing one", () => {
  for (const { name, columns, takes } of reports) {
    const about = section(`## ${name}`, told);
    const rows = [...about.matchAll(/^\| `(\w+)` \| (\w+) \| .+ \|$/gm)];
    expect([name, rows.map(([, key, type]) => [key, type])]).toEqual([
      name,
      columns.map(({ key, type }) => [key, type]),
    ]);
    const narrowed = /^Narrowed by: (.*)\.$/m.exec(about)?.[1] ?? "";
    const options = takes.flatMap((take) =>
      take === "dates" ? ["--from", "--to"] : [`--${take}`],
    );
    expect([name, quoted(narrowed)]).toEqual([name, options]);
  }
});

describe("docs/operating.md", () => {
  it("lists every view and documented table with its exact columns", () => {
    const db = database();
    const views = db
      .prepare("SELECT name FROM sqlite_schema WHERE type = 'view' ORDER BY name")
      .pluck()
      .all()
      .map(String);
    const entries = [...section("## Schema").matchAll(/^#### `(\w+)`$/gm)].map(
      ([, name]) => name ?? "",
    );
    expect(entries.filter((name) => views.includes(name)).toSorted()).toEqual(views);
    expect(entries.length).toBeGreaterThan(25);
    const columns = db.prepare("SELECT name FROM pragma_table_xinfo(?) WHERE hidden <> 1").pluck();
    for (const name of entries) {
      const listed = /^Columns: (.*)\.$/m.exec(section(`#### \`${name}\``))?.[1] ?? "";
      expect([name, quoted(listed)]).toEqual([name, columns.all(name)]);
    }
  });

  it("shows queries that work", () => {
    const db = database();
    const queries = [...operating.matchAll(/^```sql\n([^`]+)\n```$/gm)].map(([, sql]) => sql ?? "");
    expect(queries.length).toBeGreaterThan(10);
    for (const sql of queries) expect(() => db.prepare(sql).all()).not.toThrow();
  });
});
