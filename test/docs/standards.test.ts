import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

const at = (path: string): URL => new URL(`../../${path}`, import.meta.url);
const text = readFileSync(at("test/caldav/standards.md"), "utf8");

interface Row {
  readonly clause: string;
  readonly state: string;
  readonly here: string;
  readonly shownBy: string;
  /** Of all columns. */
  readonly width: number;
}

/** The rows of the tables that have a state. */
const rows: readonly Row[] = text
  .split("\n")
  .filter((line) => line.startsWith("| "))
  .map((line) => line.split("|").slice(1, -1))
  .map((cells) => cells.map((cell) => cell.trim()))
  .filter(
    ([first, second, third]) => first !== "Clause" && second !== undefined && third !== "Clause",
  )
  .filter((cells) => cells.length >= 5)
  .map(([clause = "", , state = "", here = "", shownBy = "", ...more]) => ({
    clause,
    state,
    here,
    shownBy,
    width: 5 + more.length,
  }));

const states = ["done", "partly", "otherwise", "not"];

describe("test/caldav/standards.md", () => {
  it("has a state in every row, a test for what is done, and a reason for what is not", () => {
    expect(rows.length).toBeGreaterThan(150);
    expect(rows.filter(({ width }) => width !== 5)).toEqual([]);
    expect(rows.filter(({ state }) => !states.includes(state))).toEqual([]);
    expect(rows.filter(({ state, here }) => state !== "done" && here === "")).toEqual([]);
    expect(
      rows.filter(({ state, shownBy }) => state === "done" && !shownBy.includes(" › ")),
    ).toEqual([]);
  });

  it("names only tests in the last column", () => {
    const odd = rows.filter(
      ({ shownBy }) => shownBy.replace(/`[\w/-]+ › [^`]+`/g, "").trim() !== "",
    );
    expect(odd).toEqual([]);
  });
});

it("docs/standards.md counts the rows of each standard", () => {
  const sections = text.split(/^## /m).slice(1);
  const counted = sections.flatMap((section) => {
    const [title = ""] = section.split("\n");
    const found = [...section.matchAll(/^\|(?:[^|]*\|){2} (\w+) \|/gm)].map(([, state]) => state);
    const counts = states.map((state) => found.filter((one) => one === state).length);
    return counts.some((count) => count > 0) ? [`| ${[title, ...counts].join(" | ")} |`] : [];
  });
  const summary = readFileSync(at("docs/standards.md"), "utf8");
  expect(counted.length).toBeGreaterThan(10);
  for (const row of counted) expect(summary).toContain(row);
});
