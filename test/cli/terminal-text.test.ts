import { describe, expect, it } from "vitest";
import { layOut, rowsOf, textTable, toned } from "../../src/cli/terminal-text.ts";

const terminal = (columns: number | null, style = false) => ({
  columns,
  style: (name: string, text: string) => (style ? `<${name}>${text}</${name}>` : text),
});
const table = textTable(
  ["ID", "TITLE", "STATE"],
  [
    ["1", "A rather long title of an item", "confirmed"],
    ["2", "会議の議題を準備する会議の議題", "pending"],
  ],
);

describe("text on a terminal", () => {
  it("has aligned columns, and truncates the widest to fit", () => {
    expect(layOut(`Edits\n\n${table}\nEnd\n`, terminal(null))).toBe(
      [
        "Edits",
        "",
        "ID  TITLE                           STATE",
        "1   A rather long title of an item  confirmed",
        "2   会議の議題を準備する会議の議題  pending",
        "",
        "End",
        "",
      ].join("\n"),
    );
    expect(layOut(table, terminal(30))).toBe(
      [
        "ID  TITLE            STATE",
        "1   A rather long…   confirmed",
        "2   会議の議題を準…  pending",
        "",
      ].join("\n"),
    );
    const narrow = layOut(table, terminal(5)).split("\n");
    expect(narrow[1]).toBe("1   A rathe…  confirm…");
  });

  it("has a bold heading and colored words if colors are supported", () => {
    expect(layOut(textTable(["A", "B"], [["1", "2"]]), terminal(80, true))).toBe(
      "<bold>A  B</bold>\n1  2\n",
    );
    expect(layOut(`${toned("red", "FAIL")} disk\n`, terminal(80, true))).toBe(
      "<red>FAIL</red> disk\n",
    );
    expect(layOut(`${toned("red", "FAIL")} disk\n`, terminal(80))).toBe("FAIL disk\n");
  });

  it("is otherwise unchanged, without marks in tables", () => {
    expect(layOut("a\nb", terminal(2, true))).toBe("a\nb");
    expect(layOut(textTable(["A"], [["x\uFDD0y"]]), terminal(null))).toBe("A\nxy\n");
  });
});

it.each([
  ["a list", [{ id: 1 }, { id: 2 }], [{ id: 1 }, { id: 2 }]],
  ["a single one", { id: 1 }, [{ id: 1 }]],
  ["an empty list", [], []],
])("takes %s", (_what, answer, rows) => {
  expect(rowsOf(answer)).toEqual(rows);
});
