import { execFile } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { promisify } from "node:util";
import { expect, it } from "vitest";

const packages = new URL("../../packages/", import.meta.url);

it.each(readdirSync(packages))(
  "packages/%s/README.md: the example prints what it claims",
  async (name) => {
    const readme = readFileSync(new URL(`${name}/README.md`, packages), "utf8");
    const [, code = ""] = /```ts\n([\s\S]*?)```/.exec(readme) ?? [];
    const [, expected] = /console\.log\(.*\/\/ (.*)$/m.exec(code) ?? [];
    const args = ["--input-type=module-typescript", "--eval", code];
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: packages });
    expect(stdout.trim()).toBe(expected);
  },
);
