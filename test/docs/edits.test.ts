import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { editStates } from "../../src/domain/edit.ts";

const read = (path: string): string =>
  readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");
const text = read("docs/edits.md");

/** Codes of refusals and notes as the code writes them. */
function codesInCode(): ReadonlySet<string> {
  const sources = ["packages/ical/src", "src/ics", "src/edits"].flatMap((folder) =>
    readdirSync(new URL(`../../${folder}`, import.meta.url), { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".ts"))
      .map((name) => read(`${folder}/${name}`)),
  );
  const written = /\b(?:code: |fault\(|note\(|keptNote\()"([a-z]+(?:-[a-z0-9]+)*)"/g;
  return new Set(
    sources.flatMap((source) => [...source.matchAll(written)].map(([, code]) => code ?? "")),
  );
}

/** Codes in the first column of the tables below "Refusals and notes". */
function codesInText(): ReadonlySet<string> {
  const [, tables = ""] = text.split("\n## Refusals and notes\n");
  const rows = tables.split("\n").filter((line) => line.startsWith("| `"));
  const cells = rows.map((row) => row.split("|")[1] ?? "");
  return new Set(
    cells.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, code]) => code ?? "")),
  );
}

describe("docs/edits.md", () => {
  it("explains every code of a refusal or note, and no missing one", () => {
    expect([...codesInText()].toSorted()).toEqual([...codesInCode()].toSorted());
    expect(codesInCode().size).toBeGreaterThan(40);
  });

  it("explains every state of an edit", () => {
    for (const state of editStates) expect(text).toContain(`\n| \`${state}`);
  });
});
