import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

const root = join(import.meta.dirname, "..");

it("a start caches its compiled code for the next one, beside the packages", () => {
  const file = join(root, "src/dayferry.ts");
  const { status, stdout } = spawnSync(process.execPath, [file, "--version"], { encoding: "utf8" });
  expect([status, stdout]).toEqual([0, "1.0.0\n"]);
  expect(readdirSync(join(root, "node_modules/.cache/dayferry"))).not.toEqual([]);
});
