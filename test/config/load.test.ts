import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Environment as Env } from "../../src/config/environment.ts";
import { findConfigFile, loadConfig } from "../../src/config/load.ts";
import { describeProblems } from "../../src/config/problems.ts";
import { configRig, least, paths, withService } from "./support.ts";

const rig = configRig();
const { good, bad, write } = rig;

describe("loadConfig()", () => {
  const load = (content: string, env: Env = {}) =>
    loadConfig({ file: write("sub/config.json", content), env, cwd: rig.folder });

  test("loadConfig() result when paths are relative", () => {
    write("sub/secrets/key", "\uFEFFthe-key\r\n");
    const { apiKey: _, ...service } = least.service;
    const content = {
      dataDir: "./state",
      service: { ...service, apiKeyFile: "./secrets/key" },
      edits: { inbox: "../in" },
      mail: { directory: "out" },
    };
    const loaded = load(`\uFEFF${JSON.stringify(content)}`);
    if (!loaded.ok) throw new Error(describeProblems(loaded.failure));
    expect(loaded.value.dataDir).toBe(join(rig.folder, "sub/state"));
    expect(loaded.value.edits.inbox).toBe(join(rig.folder, "in"));
    expect(loaded.value.mail.directory).toBe(join(rig.folder, "sub/out"));
    expect(loaded.value.service.apiKey).toBe("the-key");
  });

  test.each([
    ["{\n  // my key\n}", 2, 3, "comments are not allowed"],
    ['{\n  "dataDir": "./d",\n}', 3, 1, "a comma stands before }"],
    ['{ "a": [1, 2,] }', 1, 14, "a comma stands before ]"],
    ['{\n "apiKey": "hush-hush" "b": 1 }', 2, 24, "a comma or a closing bracket is expected"],
    ['{ "a": hush-hush }', 1, 8, "a value is expected"],
    [
      '{ "a": "hush-hush\n" }',
      1,
      8,
      "this text is not closed on its line, or holds a wrong escape",
    ],
    ['{ "a" 1 }', 1, 7, "a colon is expected"],
    ["{ 'a': 1 }", 1, 3, "a name in double quotes is expected"],
    ['{ "a": 1', 1, 9, "the file ends early"],
    ["{} {}", 1, 4, "something follows the end of the value"],
    ["  ", 1, 3, "the file is empty"],
  ])("loadConfig() problem when the file reads %j", (content, line, column, reason) => {
    const loaded = load(content, { DAYFERRY_PORT: "x" });
    if (loaded.ok) throw new Error("loaded");
    expect(loaded.failure[0]).toEqual({
      path: join(rig.folder, "sub/config.json"),
      message: `line ${line}: not valid JSON (column ${column}: ${reason})`,
    });
    expect(paths(loaded.failure)).toContain("DAYFERRY_PORT");
    expect(describeProblems(loaded.failure)).not.toContain("hush");
  });

  test("loadConfig() problem when the named file is missing", () => {
    const loaded = loadConfig({ file: "nowhere.json", env: {}, cwd: rig.folder });
    expect(loaded).toEqual({
      ok: false,
      failure: [
        {
          path: "nowhere.json",
          message: `cannot be read: ${join(rig.folder, "nowhere.json")} (there is no such file)`,
        },
      ],
    });
  });

  test("loadConfig() result when there is no file and the environment lacks the rest", () => {
    const loaded = loadConfig({ file: null, env: { DAYFERRY_API_KEY: "k" }, cwd: rig.folder });
    expect(loaded.ok ? [] : paths(loaded.failure)).toEqual([
      "service.baseUrl",
      "service.contact",
      "service.timeZone",
    ]);
  });

  test.each([
    ["missing", "there is no such file"],
    [".", "it is a folder"],
  ])("loadConfig() problem when a secret file is %s", (apiKeyFile, reason) => {
    const problems = bad(withService({ apiKey: undefined, apiKeyFile }));
    expect(paths(problems)).toEqual(["service.apiKeyFile"]);
    expect(problems[0]?.message).toContain(reason);
  });

  test("loadConfig() problem when a secret file is empty", () => {
    write("empty", " \n");
    const problems = bad(withService({ apiKey: undefined, apiKeyFile: "empty" }));
    expect(problems).toEqual([
      { path: "service.apiKeyFile", message: `names an empty file: ${join(rig.folder, "empty")}` },
    ]);
  });
});

test("findConfigFile() result when option, variable and usual file compete", () => {
  const at = (option: string | null, env: Env) => findConfigFile(option, { env, cwd: rig.folder });
  expect(at(null, {})).toBe(null);
  write("config.json", "{}");
  expect(at(null, {})).toBe(join(rig.folder, "config.json"));
  expect(at(null, { DAYFERRY_CONFIG: "b.json" })).toBe(join(rig.folder, "b.json"));
  expect(at("/a.json", { DAYFERRY_CONFIG: "b.json" })).toBe("/a.json");
});

describe("config.example.json", () => {
  const text = readFileSync(new URL("../../config.example.json", import.meta.url), "utf8");

  test("loadConfig() result when the example has its secret files", () => {
    write("secrets/api-key", "key-1\n");
    write("secrets/ana", "key-ana\n");
    write("secrets/ana-ics", "webcal://calendar.example.com/private-1/basic.ics\n");
    write("secrets/smtp-password", "pass word\n");
    const loaded = loadConfig({ file: write("config.json", text), env: {}, cwd: "/" });
    if (!loaded.ok) throw new Error(describeProblems(loaded.failure));
    expect(loaded.value.people[0]?.apiKey).toBe("key-ana");
    expect(loaded.value.edits.subscriptions[0]?.url).toBe(
      "https://calendar.example.com/private-1/basic.ics",
    );
    expect(loaded.value.mail.smtpPassword).toBe("pass word");
  });

  test("config.example.json names every key when compared with the defaults", () => {
    const shown: unknown = JSON.parse(text);
    const hidden = new Set(["discoverPeople", "adminToken", "apiKey", "smtpPassword"]);
    const missing = Object.entries(good(least)).flatMap(([section, value]) => {
      const here: unknown = Object(shown)[section];
      if (hidden.has(section)) return [];
      if (here === undefined) return [section];
      if (typeof value !== "object" || value === null || Array.isArray(value)) return [];
      return Object.keys(value)
        .filter((key) => !hidden.has(key) && !(key in Object(here)))
        .map((key) => `${section}.${key}`);
    });
    expect(missing).toEqual([]);
  });
});
