import { mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { programPrint } from "../../src/store/program-print.ts";

const versions = { node: "26.10.0", tz: "2026a" };

function program() {
  const folder = mkdtempSync(join(tmpdir(), "dayferry-test-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const put = (name: string, text: string) => writeFileSync(join(folder, name), text);
  put("dayferry.mjs", "1");
  put("other-abc.mjs", "22");
  const script = join(folder, "dayferry.mjs");
  return { folder, put, print: (with_ = versions) => programPrint(script, with_) };
}

it("stays the same as long as program and Node do", () => {
  const { print } = program();
  expect(print()).toMatch(/^[\w-]{43}$/);
  expect(print()).toBe(print());
});

it("changes once a file is longer, newer, present or renamed", () => {
  const { folder, put, print } = program();
  const seen = new Set([print()]);
  put("other-abc.mjs", "333");
  seen.add(print());
  utimesSync(join(folder, "other-abc.mjs"), 1, 1);
  seen.add(print());
  put("third.mjs", "");
  seen.add(print());
  rmSync(join(folder, "third.mjs"));
  put("fourth.mjs", "");
  seen.add(print());
  expect(seen.size).toBe(5);
});

it("changes with another Node, or with other zones", () => {
  const { print } = program();
  const seen = [
    print(),
    print({ ...versions, node: "27.0.0" }),
    print({ ...versions, tz: "2026b" }),
  ];
  expect(new Set(seen).size).toBe(3);
});

it("is missing for sources", () => {
  expect(programPrint(import.meta.filename, versions)).toBeNull();
  expect(programPrint(undefined, versions)).toBeNull();
});
