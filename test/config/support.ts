import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach } from "vitest";
import type { Environment } from "../../src/config/environment.ts";
import { type LoadedConfig, parseConfig } from "../../src/config/load.ts";
import { type ConfigProblem, describeProblems } from "../../src/config/problems.ts";

/** What an operator must give, and nothing else. */
export const least = {
  service: {
    baseUrl: "https://company.example.com/api/v3",
    apiKey: "key-in-file",
    contact: "you@example.com",
    timeZone: "Europe/Berlin",
  },
};

export const withService = (part: object) => ({ service: { ...least.service, ...part } });

/** A separate folder for every test of a file, and a parser for configurations in it. */
export function configRig() {
  let folder = "";
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "dayferry-config-"));
  });
  afterEach(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  const parse = (raw: unknown, env: Environment) => parseConfig(raw, { folder, env, cwd: folder });
  return {
    get folder() {
      return folder;
    },
    good: (raw: unknown, env: Environment = {}): LoadedConfig => {
      const parsed = parse(raw, env);
      if (!parsed.ok) throw new Error(describeProblems(parsed.failure));
      return parsed.value;
    },
    bad: (raw: unknown, env: Environment = {}): readonly ConfigProblem[] => {
      const parsed = parse(raw, env);
      return parsed.ok ? [] : parsed.failure;
    },
    write: (name: string, content: string): string => {
      const path = join(folder, name);
      mkdirSync(join(path, ".."), { recursive: true });
      writeFileSync(path, content);
      return path;
    },
  };
}

export const paths = (problems: readonly ConfigProblem[]): readonly string[] =>
  problems.map(({ path }) => path);
