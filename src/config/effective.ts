import { configSchema } from "./schema.ts";
import { isRecord } from "./schema-parts.ts";
import { knownKeys, type Setting } from "./settings.ts";

/** A configuration as it was written, with the environment laid over the file. */
export interface WrittenConfig {
  readonly raw: unknown;
  /** The variable that a key comes from, by the key's path. */
  readonly origins: ReadonlyMap<string, string>;
  /** Where relative paths count from. */
  readonly folder: string;
}

/** A key with what is in force for it, for people. */
export interface EffectiveSetting {
  readonly path: string;
  /** As it is written, but for secrets. */
  readonly value: string;
  /** `default`, `file`, or the variable of the environment. */
  readonly by: string;
  /** What it means. */
  readonly about: string;
}

/** Every key that is no list's, in the schema's order: what is in force, and where it comes from. No secret is told. */
export function effectiveSettings({
  raw,
  origins,
}: Pick<WrittenConfig, "raw" | "origins">): readonly EffectiveSetting[] {
  const keys = knownKeys(configSchema(""));
  const told = new Set<string>();
  return keys.flatMap((setting) => {
    const { path, about, type } = setting;
    if (path.includes("[]") || type === "object" || told.has(path)) return [];
    told.add(path);
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
  if (type.includes("secret")) return "set, and not shown";
  if (Array.isArray(value)) {
    return value.every((each) => typeof each === "string")
      ? value.join(", ") || "none"
      : `${value.length} ${value.length === 1 ? "entry" : "entries"}`;
  }
  if (typeof value === "string") return withoutPassword(value);
  return typeof value === "object" ? "set" : JSON.stringify(value);
}

/** An address may carry a name and a password. */
function withoutPassword(text: string): string {
  const url = text.includes("://") ? URL.parse(text) : null;
  if (!url || (url.username === "" && url.password === "")) return text;
  url.username = "";
  url.password = "";
  return `${url.href} (with a login, which is not shown)`;
}

const defaultOf = ({ fallback }: Setting): string =>
  fallback === null || fallback === "null" ? "none" : fallback.replace(/^"(.*)"$/, "$1");
