import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Environment as Env } from "../../src/config/environment.ts";
import { findConfigFile, loadConfig } from "../../src/config/load.ts";
import { describeProblems } from "../../src/config/problems.ts";
import { configRig, least, paths, withService } from "./support.ts";

const rig = configRig();
const { good, bad, write } = rig;

describe("loading the configuration", () => {
  const load = (content: string, env: Env = {}) =>
    loadConfig({ file: write("sub/config.json", content), env, cwd: rig.folder });

  test("resolves relative paths", () => {
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

  test("accepts comments and trailing commas", () => {
    const { service } = least;
    const lines = Object.entries(service).map(([key, value]) => `"${key}": "${value}", // ${key}`);
    const loaded = load(`{ /* all */ "service": {\n${lines.join("\n")}\n},\n}`);
    expect(loaded.ok && loaded.value.service.contact).toBe("you@example.com");
  });

  test.each([
    ['{\n "apiKey": "hush-hush" "b": 1 }', 2, 24, "expected a comma or a closing bracket"],
    ['{ "a": hush-hush }', 1, 8, "expected a value or a name in double quotes"],
    ['{ "a": "hush-hush\n" }', 1, 8, "this text is not closed on its line"],
    ['{ "a": "C:\\hush" }', 1, 8, "this text has an invalid escape; write a backslash as \\\\"],
    ['{ "a" 1 }', 1, 7, "a colon is expected"],
    ["{ 'a': 1 }", 1, 3, "expected a value or a name in double quotes"],
    ['{ "a": 1', 1, 9, "the file ends early"],
    ["{} {}", 1, 4, "there is something after the end of the value"],
    ["{} /* hush", 1, 4, "this comment is not closed"],
    ["  ", 1, 3, "the file is empty"],
    ["", 1, 1, "the file is empty"],
    ['{ "http": { "port": 1,\n  "port": 2 } }', 2, 3, 'the key "port" occurs twice in one object'],
  ])("names the problem of a file that reads %j", (content, line, column, reason) => {
    const loaded = load(content, { DAYFERRY_PORT: "x" });
    if (loaded.ok) throw new Error("loaded");
    expect(loaded.failure[0]).toEqual({
      path: join(rig.folder, "sub/config.json"),
      message: `not valid JSON: ${reason}`,
      at: { line, column },
    });
    expect(paths(loaded.failure)).toContain("DAYFERRY_PORT");
    expect(describeProblems(loaded.failure)).not.toContain("hush");
  });

  test("names wrong keys and values with path, reason and suggestion", () => {
    const text = `{
  "service": {
    "baseUrl": "https://company.example.com/api/v3", "apiKey": "k", "contact": "you@example.com",
    "timezone": "Europe/Berlin"
  },
  "http": { "port": "8080",
            "publicURL": "https://x.example" },
  "people": [{ "id": 11, "mial": {} }]
}`;
    const loaded = load(text, { DAYFERRY_LOG_LEVEL: "loud" });
    expect(describeProblems(loaded.ok ? [] : loaded.failure).split("\n")).toEqual([
      "service.timeZone: is missing",
      'service.timezone: is not a known key; did you mean "timeZone"? (line 4, column 17)',
      'people[0].mial: is not a known key; did you mean "mail"? (line 8, column 34)',
      'http.port: must be a number, not "8080" (line 6, column 21)',
      'http.publicURL: is not a known key; did you mean "publicUrl"? (line 7, column 26)',
      'DAYFERRY_LOG_LEVEL: must be one of "trace", "debug", "info", "warn", "error", "fatal", "silent", not "loud"',
    ]);
  });

  test("names a missing file", () => {
    const loaded = loadConfig({ file: "nowhere.json", env: {}, cwd: rig.folder });
    expect(loaded).toEqual({
      ok: false,
      failure: [
        {
          path: "nowhere.json",
          message: `cannot be read: ${join(rig.folder, "nowhere.json")} (there is no such file or folder)`,
        },
      ],
    });
  });

  test("names what is missing without a file", () => {
    const loaded = loadConfig({ file: null, env: { DAYFERRY_API_KEY: "k" }, cwd: rig.folder });
    expect(loaded.ok ? [] : paths(loaded.failure)).toEqual([
      "service.baseUrl",
      "service.contact",
      "service.timeZone",
    ]);
  });

  test.each([
    ["missing", "there is no such file or folder"],
    [".", "it is a folder"],
  ])("names a secret file that is %s", (apiKeyFile, reason) => {
    const problems = bad(withService({ apiKey: undefined, apiKeyFile }));
    expect(paths(problems)).toEqual(["service.apiKeyFile"]);
    expect(problems[0]?.message).toContain(reason);
  });

  test("names an empty secret file", () => {
    write("empty", " \n");
    const problems = bad(withService({ apiKey: undefined, apiKeyFile: "empty" }));
    expect(problems).toEqual([
      { path: "service.apiKeyFile", message: `names an empty file: ${join(rig.folder, "empty")}` },
    ]);
  });
});

test("the option wins over the variable, and that over the usual file", () => {
  const at = (option: string | null, env: Env) => findConfigFile(option, { env, cwd: rig.folder });
  expect(at(null, {})).toBe(null);
  write("config.json", "{}");
  expect(at(null, {})).toBe(join(rig.folder, "config.json"));
  expect(at(null, { DAYFERRY_CONFIG: "b.json" })).toBe(join(rig.folder, "b.json"));
  expect(at("/a.json", { DAYFERRY_CONFIG: "b.json" })).toBe("/a.json");
});

describe("config.example.json", () => {
  const text = readFileSync(new URL("../../config.example.json", import.meta.url), "utf8");

  test("works as copied, with the key in the environment", () => {
    const file = write("config.json", text);
    const loaded = loadConfig({ file, env: { DAYFERRY_API_KEY: "key-1" }, cwd: "/" });
    if (!loaded.ok) throw new Error(describeProblems(loaded.failure));
    const { written, ...values } = loaded.value;
    const { written: _, ...expected } = good({
      ...least,
      service: { ...least.service, apiKey: "key-1" },
    });
    expect(values).toEqual(expected);
    expect(written.origins.get("service.apiKey")).toBe("DAYFERRY_API_KEY");
  });

  test("works with the line for the key's file", () => {
    write("secrets/api-key", "key-1\n");
    const file = write("config.json", text.replace('// "apiKeyFile"', '"apiKeyFile"'));
    const loaded = loadConfig({ file, env: {}, cwd: "/" });
    expect(loaded.ok && loaded.value.service.apiKey).toBe("key-1");
  });

  test("says how to give the key", () => {
    const loaded = loadConfig({ file: write("config.json", text), env: {}, cwd: "/" });
    expect(describeProblems(loaded.ok ? [] : loaded.failure)).toContain("DAYFERRY_API_KEY");
  });
});
