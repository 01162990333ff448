import { existsSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { fail, ok, type Result } from "../domain/result.ts";
import type { Config } from "./config.ts";
import { type Environment, overlayEnvironment } from "./environment.ts";
import { parseJson } from "./json.ts";
import { type ConfigProblem, explainIssue, toProblems } from "./problems.ts";
import { configSchema } from "./schema.ts";
import { readText } from "./secrets.ts";

/** Where a configuration comes from besides its file. */
export interface ConfigSurroundings {
  readonly env: Environment;
  /** Absolute; relative paths in the environment count from here. */
  readonly cwd: string;
}

/**
 * The configuration file to read: `option` (from `--config`), else DAYFERRY_CONFIG, else `config.json` in the current
 * folder when there is one. Null = none.
 */
export function findConfigFile(
  option: string | null,
  { env, cwd }: ConfigSurroundings,
): string | null {
  const named = option ?? env["DAYFERRY_CONFIG"];
  if (named) return resolve(cwd, named);
  const usual = resolve(cwd, "config.json");
  return existsSync(usual) ? usual : null;
}

/**
 * Reads the file (null = none, everything comes from the environment), the environment and all secret files.
 * Fails with every problem at once.
 */
export function loadConfig(
  sources: ConfigSurroundings & { readonly file: string | null },
): Result<Config, readonly ConfigProblem[]> {
  const { env, cwd } = sources;
  if (sources.file === null) return parseConfig({}, { folder: cwd, env, cwd });

  const file = resolve(cwd, sources.file);
  const base = { folder: dirname(file), env, cwd };
  const text = readText(file);
  if (!text.ok) {
    return fail([{ path: sources.file, message: text.failure }, ...environmentProblems(base)]);
  }
  const json = parseJson(text.value);
  if (json.ok) return parseConfig(json.value, base);
  const { line, column, reason } = json.failure;
  const message = `line ${line}: not valid JSON (column ${column}: ${reason})`;
  return fail([{ path: sources.file, message }, ...environmentProblems(base)]);
}

/**
 * Checks a configuration that was parsed or made elsewhere. `folder` is where relative paths in it count from.
 * Fails with every problem at once.
 */
export function parseConfig(
  raw: unknown,
  base: ConfigSurroundings & { readonly folder: string },
): Result<Config, readonly ConfigProblem[]> {
  const overlaid = overlayEnvironment(raw, base);
  const parsed = configSchema(base.folder).safeParse(overlaid.raw, { error: explainIssue });
  const issues = parsed.error ? toProblems(parsed.error.issues, overlaid.origins) : [];
  const problems = [...issues, ...overlaid.problems];
  return parsed.success && problems.length === 0 ? ok(parsed.data) : fail(problems);
}

/** What is wrong with the environment alone, where the file cannot be looked at. */
function environmentProblems(
  base: ConfigSurroundings & { readonly folder: string },
): readonly ConfigProblem[] {
  const parsed = parseConfig({}, base);
  return parsed.ok ? [] : parsed.failure.filter(({ path }) => path.startsWith("DAYFERRY_"));
}
