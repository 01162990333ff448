import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** Modules whose failures people read. The command line and the configuration are in English only. */
const modules = ["caldav", "edits", "feeds", "http", "mail", "operations", "people", "remote"];

/** A failure with a sentence in quotes: its constructor or its member, and the first words. */
const failure =
  /(?:\b(?:fail|invalid|missing|notFound|forbidden|badRequest|unauthorized|unfit|refuse)\(\s*|\b(?:detail|reason)(?:: | = ))(["`])(?<text>[^"`]*[a-z]{2,} [a-z]{2,}[^"`]*)\1/g;

it("failures that people read are messages of the catalogue", () => {
  const files = globSync(`src/{${modules.join(",")}}/**/*.ts`, { cwd: root });
  expect(files.length).toBeGreaterThan(150);
  const found = files.flatMap((file) =>
    [...readFileSync(join(root, file), "utf8").matchAll(failure)].map(
      ({ groups }) => `${file}: ${groups?.["text"]}`,
    ),
  );
  expect(found).toEqual([]);
});
