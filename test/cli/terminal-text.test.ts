import { describe, expect, it } from "vitest";
import { rowsOf } from "../../src/cli/terminal-text.ts";

describe("rowsOf() result", () => {
  it.each([
    ["a list", [{ id: 1 }, { id: 2 }], [{ id: 1 }, { id: 2 }]],
    ["a single one", { id: 1 }, [{ id: 1 }]],
    ["an empty list", [], []],
    ["nothing", undefined, []],
  ])("for %s", (_what, answer, rows) => {
    expect(rowsOf(answer)).toEqual(rows);
  });
});
