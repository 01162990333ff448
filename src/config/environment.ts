import { resolve } from "node:path";
import type { ConfigProblem } from "./problems.ts";
import { isRecord } from "./schema-parts.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/** The file's content with the environment applied. */
export interface Overlaid {
  readonly raw: unknown;
  /** The environment variable of a path, so that a problem names what the operator wrote. */
  readonly origins: ReadonlyMap<string, string>;
  readonly problems: readonly ConfigProblem[];
}

interface Variable {
  readonly name: string;
  /** Section and key, or a key at the top level. */
  readonly at: readonly [key: string] | readonly [section: string, key: string];
  readonly kind: "text" | "number" | "path" | "secret";
}

const variables: readonly Variable[] = [
  { name: "DAYFERRY_DATA_DIR", at: ["dataDir"], kind: "path" },
  { name: "DAYFERRY_HOST", at: ["http", "host"], kind: "text" },
  { name: "DAYFERRY_PORT", at: ["http", "port"], kind: "number" },
  { name: "DAYFERRY_PUBLIC_URL", at: ["http", "publicUrl"], kind: "text" },
  { name: "DAYFERRY_API_KEY", at: ["service", "apiKey"], kind: "secret" },
  { name: "DAYFERRY_SMTP_PASSWORD", at: ["mail", "smtpPassword"], kind: "secret" },
  { name: "DAYFERRY_ADMIN_TOKEN", at: ["adminToken"], kind: "secret" },
  { name: "DAYFERRY_BACKUP_PASSPHRASE", at: ["backups", "passphrase"], kind: "secret" },
  { name: "DAYFERRY_LOG_LEVEL", at: ["log", "level"], kind: "text" },
];

/** The environment variable of a key, by its path; null if none. */
export function variableOf(path: string): string | null {
  const named = variables.find(({ at }) => at.join(".") === path);
  if (named) return named.name;
  const secret = variables.find(
    ({ at, kind }) => kind === "secret" && `${at.join(".")}File` === path,
  );
  return secret ? `${secret.name}_FILE` : null;
}

/**
 * Applies `DAYFERRY_…` to the file's content: the environment overrides the file, its relative paths are relative to `cwd`, and
 * an empty variable counts as unset. A secret from the environment replaces both ways to give it in the file.
 */
export function overlayEnvironment(
  file: unknown,
  from: { readonly env: Environment; readonly cwd: string },
): Overlaid {
  const origins = new Map<string, string>();
  const problems: ConfigProblem[] = [];
  let raw = file;
  for (const variable of variables) {
    const text = from.env[variable.name] || undefined;
    const secretFile = variable.kind === "secret" && from.env[`${variable.name}_FILE`];
    if (secretFile && text !== undefined) {
      const message = `is set as well as ${variable.name}: keep only one of them`;
      problems.push({ path: `${variable.name}_FILE`, message });
    }
    const key = variable.at.at(-1) ?? "";
    const section = variable.at.slice(0, -1);
    const put = (name: string, value: unknown, origin: string | null): void => {
      raw = place({ raw, at: [...section, name], value });
      if (origin !== null) origins.set([...section, name].join("."), origin);
    };
    if (text !== undefined) {
      put(key, readVariable({ kind: variable.kind, text, cwd: from.cwd }), variable.name);
      if (variable.kind === "secret") put(`${key}File`, null, null);
    } else if (secretFile) {
      put(key, null, null);
      put(`${key}File`, resolve(from.cwd, secretFile), `${variable.name}_FILE`);
    }
  }
  return { raw, origins, problems };
}

function readVariable(from: {
  readonly kind: Variable["kind"];
  readonly text: string;
  readonly cwd: string;
}): string | number {
  if (from.kind === "path") return resolve(from.cwd, from.text);
  if (from.kind === "number" && /^\d{1,9}$/.test(from.text)) return Number(from.text);
  return from.text;
}

/** A copy with one value set. A section that is no object stays as it is, for the schema to report. */
function place(change: {
  readonly raw: unknown;
  readonly at: readonly string[];
  readonly value: unknown;
}): unknown {
  const [key, ...inner] = change.at;
  if (key === undefined) return change.value;
  const target = change.raw ?? {};
  if (!isRecord(target)) return change.raw;
  return { ...target, [key]: place({ raw: target[key], at: inner, value: change.value }) };
}
