import { readdirSync, readFileSync } from "node:fs";
import { glob } from "node:fs/promises";
import { posix, sep } from "node:path";
import { describe, expect, it } from "vitest";
import { offences } from "./layers/layers.ts";
import { readSource } from "./layers/source-code.ts";

const root = new URL("../src/", import.meta.url);

/** A shorter file is a part of another file's story, unless it is shared or tested by itself. */
const fewestLines = 60;

describe("layers", () => {
  it("hold for every module", () => {
    expect(sources().flatMap(({ path, text }) => offences(path, text))).toEqual([]);
  });

  it("are checked on every import: the scan misses none", () => {
    const blind = sources().filter(({ text }) => {
      const naive = [...text.matchAll(/^(?:import|export)\b[^;"]*?\bfrom "([^"]+)";$/gm)];
      const seen = new Set(readSource(text).imports.map(({ specifier }) => specifier));
      return naive.some((match) => !seen.has(match[1] ?? ""));
    });
    expect(blind.map(({ path }) => path)).toEqual([]);
    expect(sources().length).toBeGreaterThan(40);
  });
});

describe("files", () => {
  const tests = testNames();

  it("are long enough to stand alone, or have two importers or a test of their own", () => {
    const all = sources();
    const importers = new Map<string, number>();
    for (const target of all.flatMap(importsOf)) {
      importers.set(target, (importers.get(target) ?? 0) + 1);
    }
    const thin = all.filter(({ path, text }) => {
      const isThin = text.split("\n").length <= fewestLines && (importers.get(path) ?? 0) < 2;
      return isThin && !isEntry(path) && !tests.some((name) => isTestOf(name, path));
    });
    expect(thin.map(({ path }) => path)).toEqual([]);
  });

  it("have unique names outside commands/, routes/ and resources/", () => {
    const paths = sources()
      .map(({ path }) => path)
      .filter((path) => !/\/(?:commands|routes|resources)\//.test(path));
    const shared = Map.groupBy(paths, (path) => posix.basename(path));
    expect([...shared.values()].filter(({ length }) => length > 1)).toEqual([]);
  });
  it("export no name that means something else in another file", () => {
    const exported = sources().flatMap(({ path, text }) => {
      const declared = /^export (?:async )?(?:function\*?|const|class|interface|type) (\w+)/gm;
      // A type and the function that makes it may share a name, as may the overloads of one.
      return [...new Set([...text.matchAll(declared)].map(([, name = ""]) => name))].map(
        (name) => ({ name, path }),
      );
    });
    const byName = Map.groupBy(exported, ({ name }) => name);
    expect([...byName.values()].filter(({ length }) => length > 1)).toEqual([]);
    expect(byName.size).toBeGreaterThan(1000);
  });

  it("import each other in no circle, not even by type", () => {
    const imports = sources().map((file) => [file.path, importsOf(file)] as const);
    expect(filesInCircles(new Map(imports))).toEqual([]);
  });

  it("are found in a circle that others lead to and from", () => {
    const imports = { a: ["b"], b: ["c", "e"], c: ["b"], d: ["a"], e: [] };
    expect(filesInCircles(new Map(Object.entries(imports)))).toEqual(["b", "c"]);
  });
});

it("tests set no time limit below the general one, as a busy machine is no defect", async () => {
  const here = new URL("..", import.meta.url);
  const limit = /\}(?:, \{ timeout: (\d[\d_]*) \}|,\s*(\d[\d_]*),?\s*\);)/g;
  const short: string[] = [];
  for (const path of await Array.fromAsync(glob("test/**/*.test.ts", { cwd: here }))) {
    const text = readFileSync(new URL(path, here), "utf8");
    for (const [found, option, last] of text.matchAll(limit)) {
      const ms = Number((option ?? last ?? "").replaceAll("_", ""));
      // A timer of a single tick does not count.
      if (ms > 1000 && ms < 180_000) short.push(`${path}: ${found}`);
    }
  }
  expect(short).toEqual([]);
});

describe("offences()", () => {
  const planted: readonly [string, string, string, string][] = [
    ["a climb", "domain/x.ts", 'import { a } from "../store/view.ts";', "store is above domain"],
    ["a climb by type", "store/x.ts", 'import type { A } from "../sync/plan.ts";', "sync is above"],
    ["a sibling", "feeds/x.ts", 'import { a } from "../edits/diff.ts";', "siblings"],
    ["a sibling file", "log.ts", 'import { a } from "./loop.ts";', "siblings"],
    ["a sibling by re-export", "ics/x.ts", 'export { a } from "../mail/mail.ts";', "siblings"],
    ["export all", "ics/x.ts", 'export * from "../mail/mail.ts";', "siblings"],
    ["export as", "ics/x.ts", 'export * as m from "../mail/mail.ts";', "siblings"],
    ["export types", "ics/x.ts", 'export type { A } from "../mail/mail.ts";', "siblings"],
    ["a dynamic import", "ics/x.ts", 'const m = await import("../mail/mail.ts");', "siblings"],
    ["an inline type", "ics/x.ts", 'let m: import("../mail/mail.ts").Mail;', "siblings"],
    ["a bare import", "ics/x.ts", 'import "../mail/mail.ts";', "siblings"],
    ["single quotes", "ics/x.ts", "import a from '../mail/mail.ts';", "siblings"],
    ["no spaces", "ics/x.ts", 'import{a}from"../mail/mail.ts";', "siblings"],
    ["many lines", "ics/x.ts", 'import {\n  a,\n  type B,\n} from "../mail/mail.ts";', "siblings"],
    ["both kinds", "ics/x.ts", 'import a, { b as c } from "../mail/mail.ts";', "siblings"],
    ["the way out", "http/x.ts", 'import { a } from "../../test/x.ts";', "leaves src/"],
    ["no ending", "http/x.ts", 'import { a } from "../store/view";', "does not end in .ts"],
    [
      "a strange module",
      "extras/x.ts",
      'import { a } from "../domain/when.ts";',
      "no known module",
    ],
    ["to nowhere", "http/x.ts", 'import { a } from "../extras/x.ts";', "no known module"],
    ["a package abroad", "http/x.ts", 'import D from "better-sqlite3";', "belongs to store"],
    ["its subpath", "http/x.ts", 'import z from "zod/v4";', "belongs to config"],
    ["the sandbox", "http/a.ts", 'import { a } from "@dayferry/sandbox";', "belongs to demo"],
    ["a new package", "http/x.ts", 'import l from "lodash";', "no listed package"],
    ["a scoped one", "http/x.ts", 'import l from "@a/b/c";', "@a/b is no listed package"],
    ["require", "http/x.ts", 'const l = require("lodash");', "no listed package"],
    ["a builtin", "domain/x.ts", 'import { readFileSync } from "node:fs";', "node:crypto only"],
    ["a computed name", "http/x.ts", "await import(name);", "computed name"],
    ["a template name", "http/x.ts", "await import(`./x.ts`);", "computed name"],
    ["a cast", "http/x.ts", "const a = b as string;", "says as"],
    ["a double cast", "http/x.ts", "const a = (b as unknown) as { c: 1 };", "says as"],
    ["the clock", "http/x.ts", "const a = Temporal.Now.instant();", "says Temporal.Now"],
    ["the old clock", "http/x.ts", "const a = Date.now();", "says Date.now"],
    ["a date", "http/x.ts", "const a = new Date();", "says new Date("],
    ["chance", "http/x.ts", "const a = Math.random();", "says Math.random"],
    ["a UUID", "http/x.ts", 'import { randomUUID } from "node:crypto";', "chance of node:crypto"],
    ["a timer", "http/x.ts", "setTimeout(a, 5);", "says a timer"],
    ["its module", "http/x.ts", 'import { setTimeout } from "node:timers/promises";', "runtime.ts"],
    [
      "a time limit",
      "http/x.ts",
      "fetch(a, { signal: AbortSignal.timeout(5) });",
      "says AbortSignal",
    ],
    ["a stopwatch", "main.ts", "const a = performance.now();", "says performance"],
    ["the environment", "config/x.ts", "const a = process.env.A;", "says process.env"],
    ["inside a template", "http/x.ts", `const a = \`x $${"{"}Math.random()} y\`;`, "Math.random"],
    ["behind a pattern", "http/x.ts", "const a = /[/`]/.test(b) || Math.random();", "Math.random"],
  ];

  it.each(planted)("names file and reason when %s is planted", (_what, path, text, reason) => {
    const found = offences(path, text);
    expect(found.length).toBeGreaterThan(0);
    expect(found.join("\n")).toContain(`src/${path}:1 `);
    expect(found.join("\n")).toContain(reason);
  });

  const allowed: readonly [string, string, string][] = [
    ["itself", "feeds/a.ts", 'import { b } from "./b.ts";'],
    ["itself from a folder", "upstream/resources/a.ts", 'import { b } from "../call.ts";'],
    ["a lower layer", "http/pages/a.ts", 'import { b } from "../../store/view.ts";'],
    ["log and loop", "sync/a.ts", 'import { b } from "../log.ts"; import "../loop.ts";'],
    ["a package at home", "store/a.ts", 'import D from "better-sqlite3";'],
    ["node:crypto", "domain/a.ts", 'import { createHash } from "node:crypto";'],
    ["time and chance", "http/a.ts", 'import { now } from "../runtime.ts";'],
    ["a socket's time", "http/a.ts", "socket.setTimeout(5);"],
    ["main", "main.ts", 'import "./http/app.ts"; const a = process.env.A ?? "";'],
    ["casts at home", "store/rows/items.ts", "const a = b as string;"],
    ["as const", "http/a.ts", "const a = [1] as const satisfies readonly number[];"],
    ["renaming", "http/a.ts", 'import { b as c } from "./b.ts"; export { c as d };'],
    ["comments", "ics/a.ts", '// import "../mail/mail.ts"\n/* Date.now() as string */'],
    ["strings", "ics/a.ts", "const a = 'Math.random() as string'; const b = `new Date()`;"],
    ["patterns", "ics/a.ts", "const a = /\\/\\/ as if/; const b = 4 / 2;"],
    ["a shebang", "main.ts", '#!/usr/bin/env node\nimport "./serve.ts";'],
    ["names", "ics/a.ts", "const as = { as: 1 }; const b = as.as; const mapped = x.import;"],
  ];

  it.each(allowed)("accepts %s", (_what, path, text) => {
    expect(offences(path, text)).toEqual([]);
  });
});

interface Source {
  /** Relative to `src/`, with forward slashes. */
  readonly path: string;
  readonly text: string;
}

function sources(): readonly Source[] {
  return readdirSync(root, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".ts"))
    .map((path) => path.split(sep).join("/"))
    .map((path) => ({ path, text: readFileSync(new URL(path, root), "utf8") }));
}

/** The modules of `src/` that a module imports, by value or by type. */
function importsOf({ path, text }: Source): readonly string[] {
  const own = readSource(text).imports.filter(({ specifier }) => specifier.startsWith("."));
  return [...new Set(own.map(({ specifier }) => posix.join(posix.dirname(path), specifier)))];
}

/** Files found by their name: started by a shell or as a thread, or one entry of a register, which names each. */
const isEntry = (path: string): boolean =>
  /(?:^main|^dayferry|-worker|-child)\.ts$|\/(?:commands|catalogue)\//.test(path);

function testNames(): readonly string[] {
  return readdirSync(new URL("./", import.meta.url), { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".test.ts"))
    .map((path) => path.split(sep).join("/"));
}

/** Whether a test of the same folder has the file's name, or its name and a topic. */
function isTestOf(test: string, path: string): boolean {
  const own = path.replace(/\.ts$/, "");
  const module = posix.dirname(own).split("/")[0] ?? "";
  const name = posix.basename(own);
  const called = posix.basename(test, ".test.ts");
  return test.startsWith(`${module}/`) && (called === name || called.startsWith(`${name}-`));
}

/** The files of all circles, and of what leads from one to another. */
function filesInCircles(imports: ReadonlyMap<string, readonly string[]>): readonly string[] {
  const rest = new Map(imports);
  for (let size = -1; size !== rest.size; ) {
    size = rest.size;
    const imported = new Set([...rest.values()].flat());
    for (const [path, targets] of rest) {
      const isEnd = !targets.some((target) => rest.has(target));
      if (isEnd || !imported.has(path)) rest.delete(path);
    }
  }
  return [...rest.keys()].toSorted();
}
