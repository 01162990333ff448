import { configSchema } from "./schema.ts";
import { isRecord } from "./schema-parts.ts";
import { knownKeys, type Setting } from "./settings.ts";

/** A configuration as written, with the environment applied to the file. */
export interface WrittenConfig {
  readonly raw: unknown;
  /** The environment variable of a key, by the key's path. */
  readonly origins: ReadonlyMap<string, string>;
  /** Base of relative paths. */
  readonly folder: string;
}

/** A key with its effective value, for people. */
export interface EffectiveSetting {
  readonly path: string;
  /** As written, except for secrets. */
  readonly value: string;
  /** `default`, `file`, or the environment variable. */
  readonly by: string;
  /** What it means. */
  readonly about: string;
}

/** Every key outside lists, in the schema's order, with its effective value and origin. Without secrets. */
export function effectiveSettings({
  raw,
  origins,
}: Pick<WrittenConfig, "raw" | "origins">): readonly EffectiveSetting[] {
  const keys = knownKeys(configSchema(""));
  const listed = new Set<string>();
  return keys.flatMap((setting) => {
    const { path, about, type } = setting;
    if (path.includes("[]") || type === "object" || listed.has(path)) return [];
    listed.add(path);
    const written = valueAt(raw, path.split("."));
    const isGiven = written !== undefined && (written !== null || !origins.has(path));
    const by = origins.get(path) ?? (isGiven ? "file" : "default");
    return [{ path, value: isGiven ? inWords(written, setting) : defaultOf(setting), by, about }];
  });
}

function valueAt(raw: unknown, path: readonly string[]): unknown {
  const [key, ...inner] = path;
  if (key === undefined) return raw;
  return isRecord(raw) ? valueAt(raw[key], inner) : undefined;
}

function inWords(value: unknown, { type }: Setting): string {
  if (value === null) return "none";
  if (type.includes("secret")) return "set, not shown";
  if (Array.isArray(value)) {
    return value.every((each) => typeof each === "string")
      ? value.join(", ") || "none"
      : `${value.length} ${value.length === 1 ? "entry" : "entries"}`;
  }
  if (typeof value === "string") return withoutPassword(value);
  return typeof value === "object" ? "set" : JSON.stringify(value);
}

/** A URL may contain a name and a password. */
function withoutPassword(text: string): string {
  const url = text.includes("://") ? URL.parse(text) : null;
  if (!url || (url.username === "" && url.password === "")) return text;
  url.username = "";
  url.password = "";
  return `${url.href} (with a login, not shown)`;
}

const defaultOf = ({ fallback }: Setting): string =>
  fallback === null || fallback === "null" ? "none" : fallback.replace(/^"(.*)"$/, "$1");
