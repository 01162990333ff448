import Database from "better-sqlite3";
import { expect, it } from "vitest";
import { emptyDatabase } from "../../support/test-store.ts";
import { statementsOfStore } from "../statements.ts";

it("items between two days are found by the date indexes, for calendars, pages and important lists", () => {
  const db = new Database(emptyDatabase());
  const ofDays = statementsOfStore(db)
    .map(({ sql }) => sql)
    .filter((sql) => /due_on >= \+?@from/.test(sql));
  expect(ofDays).toHaveLength(2);
  const values = { from: "", after: "", fromOn: "", toOn: "", fromAt: "", toAt: "" };
  for (const sql of ofDays) {
    const steps = db
      .prepare<[typeof values], { detail: string }>(`EXPLAIN QUERY PLAN ${sql}`)
      .all(values)
      .map(({ detail }) => detail);
    expect(steps.filter((step) => /^SCAN (?:view_items|mirror_items|[vmi])\b/.test(step))).toEqual(
      [],
    );
    expect(steps.join("\n")).toMatch(/INDEX view_tasks_by_due/);
    expect(steps.join("\n")).toMatch(/INDEX view_events_by_span/);
  }
  db.close();
});

it.each([
  ["edits_by_project", "project_id"],
  ["edits_by_actor", "actor"],
])("%s names the states, so that other edits are not read", (index, column) => {
  const db = new Database(emptyDatabase());
  expect(db.prepare("SELECT name FROM pragma_index_info(?)").pluck().all(index)).toEqual([
    column,
    "id",
    "state",
  ]);
  db.close();
});
