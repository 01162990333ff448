import { existsSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { fail, ok, type Result } from "../domain/result.ts";
import type { Config } from "./config.ts";
import { type Environment, overlayEnvironment } from "./environment.ts";
import { type JsonText, parseJson } from "./json.ts";
import { type ConfigProblem, explainIssue, toProblems } from "./problems.ts";
import { configSchema } from "./schema.ts";
import { readText } from "./secrets.ts";

/** What a configuration depends on besides its file. */
export interface ConfigContext {
  readonly env: Environment;
  /** Absolute; relative paths in the environment count from here. */
  readonly cwd: string;
}

/**
 * The configuration file to read: `option` (from `--config`), else DAYFERRY_CONFIG, else `config.json` in the current
 * folder when there is one. Null = none.
 */
export function findConfigFile(option: string | null, { env, cwd }: ConfigContext): string | null {
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
  sources: ConfigContext & { readonly file: string | null },
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
  if (json.ok) {
    const { value, placeOf } = json.value;
    return parseConfig(value, { ...base, placeOf });
  }
  const { reason, ...at } = json.failure;
  const message = `not valid JSON: ${reason}`;
  return fail([{ path: sources.file, message, at }, ...environmentProblems(base)]);
}

/**
 * Checks a configuration that was parsed or made elsewhere. `folder` is where relative paths in it count from; `placeOf`
 * says where in its file something stands. Fails with every problem at once.
 */
export function parseConfig(
  raw: unknown,
  base: ConfigContext & { readonly folder: string; readonly placeOf?: JsonText["placeOf"] },
): Result<Config, readonly ConfigProblem[]> {
  const overlaid = overlayEnvironment(raw, base);
  const schema = configSchema(base.folder);
  const parsed = schema.safeParse(overlaid.raw, { error: explainIssue, reportInput: true });
  const { placeOf = () => null } = base;
  const setting = { schema, origins: overlaid.origins, placeOf };
  const issues = parsed.error ? toProblems(parsed.error.issues, setting) : [];
  const problems = [...issues, ...overlaid.problems];
  return parsed.success && problems.length === 0 ? ok(parsed.data) : fail(problems);
}

/** What is wrong with the environment alone, where the file cannot be looked at. */
function environmentProblems(
  base: ConfigContext & { readonly folder: string },
): readonly ConfigProblem[] {
  const parsed = parseConfig({}, base);
  return parsed.ok ? [] : parsed.failure.filter(({ path }) => path.startsWith("DAYFERRY_"));
}
