import Database from "better-sqlite3";
import { expect, onTestFinished, test } from "vitest";
import {
  instantOf,
  json,
  orNull,
  rowReader,
  toFlag,
  toInstant,
} from "../../../src/store/rows/row.ts";
import { bound, upsert } from "../../../src/store/rows/write-row.ts";

interface Columns {
  readonly person_id: number;
  readonly is_open: 0 | 1;
  readonly made_at: string;
  readonly ended_at: string | null;
  readonly labels: string;
  readonly known_as: string | null;
}

const read = rowReader<Columns>()({
  personId: "same",
  isOpen: toFlag,
  madeAt: toInstant,
  endedAt: instantOf,
  labels: json<readonly string[]>(),
  name: ["known_as", orNull((text: string) => text.toUpperCase())],
});

const stored: Columns = {
  person_id: 11,
  is_open: 1,
  made_at: "2026-11-20T12:00:00.000Z",
  ended_at: null,
  labels: '["a","b"]',
  known_as: "ana",
};

test("rowReader() finds the column of each field and converts its value", () => {
  expect(read(stored)).toEqual({
    personId: 11,
    isOpen: true,
    madeAt: Temporal.Instant.from("2026-11-20T12:00:00Z"),
    endedAt: null,
    labels: ["a", "b"],
    name: "ANA",
  });
  expect(read({ ...stored, is_open: 0, known_as: null })).toMatchObject({
    isOpen: false,
    name: null,
  });
});

test("bound() stores flags as numbers, moments as text and lists as JSON", () => {
  expect(bound(read(stored))).toEqual({
    personId: 11,
    isOpen: 1,
    madeAt: stored.made_at,
    endedAt: null,
    labels: stored.labels,
    name: "ANA",
  });
});

test("upsert() adds a row, then updates its columns but not those written once", () => {
  const db = new Database(":memory:");
  onTestFinished(() => void db.close());
  db.exec(
    `CREATE TABLE feed_fetches (feed, program, agent, first_at, last_at, PRIMARY KEY (feed, program))`,
  );
  const put = db.prepare(
    upsert("feed_fetches", {
      key: ["feed", "program"],
      columns: ["agent", "last_at"],
      once: ["first_at"],
    }),
  );
  const row = { feed: 1, program: "x", agent: "x/1", firstAt: "a", lastAt: "a" };
  put.run(row);
  put.run({ ...row, agent: "x/2", firstAt: "b", lastAt: "b" });
  expect(db.prepare("SELECT * FROM feed_fetches").all()).toEqual([
    { feed: 1, program: "x", agent: "x/2", first_at: "a", last_at: "b" },
  ]);
});
