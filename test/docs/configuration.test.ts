import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { configurationReference } from "../../src/config/reference.ts";
import { configSchema } from "../../src/config/schema.ts";
import { knownKeys } from "../../src/config/settings.ts";

const text = readFileSync(new URL("../../docs/configuration.md", import.meta.url), "utf8");
const keys = knownKeys(configSchema("/"));

it("docs/configuration.md matches the schema; `npm run reference` writes it", () => {
  expect(text).toBe(configurationReference());
});

it("docs/configuration.md explains every key", () => {
  const sections = new Set(["object"]);
  const silent = keys.filter(({ about, type }) => about === "" && !sections.has(type));
  expect(silent.map(({ path }) => path)).toEqual([]);
  expect(keys.length).toBeGreaterThan(70);
});

it("docs/configuration.md names every environment variable", () => {
  const source = readFileSync(new URL("../../src/config/environment.ts", import.meta.url), "utf8");
  const names = [...source.matchAll(/name: "(DAYFERRY_\w+)", at: .* kind: "(\w+)"/g)];
  expect(names.length).toBeGreaterThan(6);
  for (const [, name = "", kind] of names) {
    expect(text).toContain(`\`${name}\``);
    if (kind === "secret") expect(text).toContain(`\`${name}_FILE\``);
  }
});
