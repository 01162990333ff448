import { readdirSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";

const at = (path: string): URL => new URL(`../../${path}`, import.meta.url);
const text = readFileSync(at("CONTRIBUTING.md"), "utf8");

/** The text below a heading of the second level. */
const section = (heading: string): string =>
  (text.split(`\n## ${heading}\n`)[1] ?? "").split(/^## /m)[0] ?? "";

/** Words alone, in lower case: `KeyRow` and "key row" are the same. */
const words = (said: string): string =>
  said
    .replace(/(?<=\p{Ll})(?=\p{Lu})/gu, " ")
    .toLowerCase()
    .replace(/[^\p{L}]+/gu, " ");

it("CONTRIBUTING.md explains at most 30 terms, all in use, each once", () => {
  const code = ["src", "packages"]
    .flatMap((folder) =>
      readdirSync(at(folder), { recursive: true, encoding: "utf8" })
        .filter((path) => path.endsWith(".ts"))
        .map((path) => words(readFileSync(at(`${folder}/${path}`), "utf8"))),
    )
    .join(" ");
  const rows = section("Glossary").matchAll(/^\| (?!word \|)([^|-][^|]*) \| .+ \| .+ \|$/gm);
  const terms = [...rows].map(([, said = ""]) => said);
  const explained = terms.flatMap((said) => said.split(", ").map(words));
  expect(explained.filter((word) => !new RegExp(` ${word}(?:e?s)? `).test(code))).toEqual([]);
  expect(terms.length).toBeGreaterThan(10);
  expect(terms.length).toBeLessThanOrEqual(30);
  expect(new Set(explained).size).toBe(explained.length);
});

it("CONTRIBUTING.md leads from outside in by about a dozen different files", () => {
  const steps = [...section("A reading order").matchAll(/^\d+\. `([\w/.-]+\.ts)`: /gm)];
  const files = steps.map(([, file]) => file);
  expect(files.length).toBeGreaterThanOrEqual(10);
  expect(new Set(files).size).toBe(files.length);
});

it("CONTRIBUTING.md names every script for people, and the README links to it", () => {
  const { scripts } = JSON.parse(readFileSync(at("package.json"), "utf8"));
  const byOthers = ["prepare", "dayferry", "coverage", "test"];
  const told = section("Set up");
  const silent = Object.keys(scripts).filter(
    (name) =>
      !byOthers.includes(name) &&
      !told.includes(`npm run ${name}`) &&
      !told.includes(`npm ${name}`),
  );
  expect(silent).toEqual([]);
  expect(readFileSync(at("README.md"), "utf8")).toContain("(CONTRIBUTING.md)");
});
