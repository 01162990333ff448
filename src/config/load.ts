import { existsSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { fail, ok, type Result } from "../domain/result.ts";
import type { Config } from "./config.ts";
import type { WrittenConfig } from "./effective.ts";
import { type Environment, overlayEnvironment } from "./environment.ts";
import { type JsonText, parseConfigJson } from "./json.ts";
import { type ConfigProblem, explainIssue, toProblems } from "./problems.ts";
import { configSchema } from "./schema.ts";
import { isRecord, valueAt } from "./schema-parts.ts";
import { readTextFile } from "./secrets.ts";

/** A configuration with its source. */
export interface LoadedConfig extends Config {
  readonly written: WrittenConfig;
}

/** What a configuration depends on besides its file. */
export interface ConfigContext {
  readonly env: Environment;
  /** Absolute; base of relative paths in the environment. */
  readonly cwd: string;
  /** True for read-only use, which needs none of the secrets for fetching, writing or sending. */
  readonly isReader?: boolean;
}

/**
 * The configuration file to read: `option` (from `--config`), else DAYFERRY_CONFIG, else `config.json` in the current folder if
 * it exists. Null = none.
 */
export function findConfigFile(option: string | null, { env, cwd }: ConfigContext): string | null {
  const named = option ?? env["DAYFERRY_CONFIG"];
  if (named) return resolve(cwd, named);
  const usual = resolve(cwd, "config.json");
  return existsSync(usual) ? usual : null;
}

/** Reads the file (null = environment only), the environment and all secret files. Fails with every problem at once. */
export function loadConfig(
  sources: ConfigContext & { readonly file: string | null },
): Result<LoadedConfig, readonly ConfigProblem[]> {
  const { env, cwd, isReader = false } = sources;
  if (sources.file === null) return parseConfig({}, { folder: cwd, env, cwd, isReader });

  const file = resolve(cwd, sources.file);
  const base = { folder: dirname(file), env, cwd, isReader };
  const text = readTextFile(file);
  if (!text.ok) {
    return fail([{ path: sources.file, message: text.failure }, ...environmentProblems(base)]);
  }
  const json = parseConfigJson(text.value);
  if (json.ok) {
    const { value, placeOf } = json.value;
    return parseConfig(value, { ...base, placeOf });
  }
  const { reason, ...at } = json.failure;
  const message = `not valid JSON: ${reason}`;
  return fail([{ path: sources.file, message, at }, ...environmentProblems(base)]);
}

/**
 * Validates a configuration parsed elsewhere. `folder`: base of relative paths; `placeOf`: positions in its file. Fails with
 * every problem at once.
 */
export function parseConfig(
  raw: unknown,
  base: ConfigContext & { readonly folder: string; readonly placeOf?: JsonText["placeOf"] },
): Result<LoadedConfig, readonly ConfigProblem[]> {
  const overlaid = overlayEnvironment(raw, base);
  const schema = configSchema(base.folder);
  const given = base.isReader === true ? forReader(overlaid.raw) : overlaid.raw;
  const parsed = schema.safeParse(given, { error: explainIssue, reportInput: true });
  const { placeOf = () => null } = base;
  const setting = { schema, origins: overlaid.origins, placeOf };
  const issues = parsed.error ? toProblems(parsed.error.issues, setting) : [];
  const problems = [...issues, ...overlaid.problems];
  if (!parsed.success || problems.length > 0) return fail(problems);
  const written = { raw: given, origins: overlaid.origins, folder: base.folder };
  return ok({ ...parsed.data, written });
}

/**
 * The same configuration with its secret files read again, but neither its own file nor the environment. Fails with every
 * problem at once, as at startup.
 */
export function rereadSecrets({
  written: { raw, origins, folder },
}: LoadedConfig): Result<Config, readonly ConfigProblem[]> {
  const schema = configSchema(folder);
  const parsed = schema.safeParse(raw, { error: explainIssue, reportInput: true });
  if (parsed.success) return ok(parsed.data);
  return fail(toProblems(parsed.error.issues, { schema, origins, placeOf: () => null }));
}

/**
 * The same without settings that only the writing daemon uses, as its secrets need not exist where a copy is served. The
 * service's key must be something.
 */
function forReader(raw: unknown): unknown {
  if (!isRecord(raw)) return raw;
  const { service, people, edits, mail, http, operator: _, ...rest } = raw;
  const without = (value: unknown, keys: readonly string[]): unknown =>
    isRecord(value)
      ? Object.fromEntries(Object.entries(value).filter(([key]) => !keys.includes(key)))
      : value;
  const sharedCache = valueAt(http, "sharedCache");
  return {
    ...rest,
    service: isRecord(service)
      ? { ...Object(without(service, ["apiKeyFile"])), apiKey: "none" }
      : service,
    ...(people !== undefined && {
      people: Array.isArray(people)
        ? people.map((person) => without(person, ["apiKey", "apiKeyFile", "webhook", "webhooks"]))
        : people,
    }),
    ...(edits !== undefined && { edits: without(edits, ["inbox", "subscriptions"]) }),
    ...(mail !== undefined && {
      mail: without(mail, ["smtpUrl", "smtpPassword", "smtpPasswordFile"]),
    }),
    ...(isRecord(http) && {
      http: isRecord(sharedCache)
        ? { ...http, sharedCache: without(sharedCache, ["purge"]) }
        : http,
    }),
  };
}

/** Problems of the environment alone, if the file cannot be read. */
function environmentProblems(
  base: ConfigContext & { readonly folder: string },
): readonly ConfigProblem[] {
  const parsed = parseConfig({}, base);
  return parsed.ok ? [] : parsed.failure.filter(({ path }) => path.startsWith("DAYFERRY_"));
}
