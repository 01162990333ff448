import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { withTable } from "../../scripts/metrics-table.ts";
import { operationsTable } from "../../scripts/operations-table.ts";
import { accessTable } from "../../src/http/access.ts";
import { command } from "../support/in-process.ts";

// docs/api.md has every request of the API with who may make it, and every command.

const text = readFileSync(new URL("../../docs/api.md", import.meta.url), "utf8");

const inCapitals = (path: string): string =>
  path.replace(/:(\w+)/g, (_, name: string) => name.toUpperCase());

it("lists every request of the API with its permission, and no missing one", () => {
  const told = [...text.matchAll(/^\| `([A-Z]+ \/api\/[^`]+)` \| (\w+) \| .+ \|$/gm)].map(
    ([, request, who]) => `${request}: ${who}`,
  );
  const served = accessTable
    .filter(({ path }) => path.startsWith("/api/"))
    .flatMap(({ methods, path, who }) =>
      methods.map((method) => `${method} ${inCapitals(path)}: ${who}`),
    );
  expect(told.toSorted()).toEqual(served.toSorted());
});

it("has the table of operations that `npm run reference` writes", () => {
  expect(text).toBe(withTable(text, operationsTable()));
});

it("lists every command and subcommand", async () => {
  const nowhere = { folder: "", configFile: "", dataDir: "", dispose: () => undefined };
  const namesOf = async (...path: readonly string[]) => {
    const { stdout } = await command([...path, "--help"], { installation: nowhere });
    // The program's own are in groups.
    const [, list = ""] = path.length === 0 ? ["", stdout] : stdout.split("\nCommands:\n");
    const names = [...list.matchAll(/^ {2}([a-z][\w-]*)/gm)].map(([, name = ""]) => name);
    return names.filter((name) => name !== "help");
  };
  const [, table = ""] = text.split("\n## Commands\n");
  const rows = [...table.matchAll(/^\| (`[a-z].*`) \| .+ \|$/gm)].map(([, cell = ""]) => cell);
  const told = rows.flatMap((cell) =>
    [...cell.matchAll(/`([a-z]+)(?: ([a-z-]+(?:\/[a-z-]+)+))?/g)].map(([, name, inner = ""]) =>
      `${name} ${inner}`.trim(),
    ),
  );
  const outer = await namesOf();
  const there = await Promise.all(
    outer.map(async (name) => `${name} ${(await namesOf(name)).join("/")}`.trim()),
  );
  expect(told.toSorted()).toEqual(there.toSorted());
});
