import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { promisify } from "node:util";
import { expect, it } from "vitest";

it("README: the example prints what it says", async () => {
  const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");
  const [, code = ""] = /```ts\n([\s\S]*?)```/.exec(readme) ?? [];
  const [, expected] = /console\.log\(.*\/\/ (.*)$/m.exec(code) ?? [];
  const args = ["--input-type=module-typescript", "--eval", code];
  const { stdout } = await promisify(execFile)(process.execPath, args, {
    cwd: import.meta.dirname,
  });
  expect(stdout.trim()).toBe(expected);
});
