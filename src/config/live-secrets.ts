import { statSync } from "node:fs";
import { resolve } from "node:path";
import { createHider, type Hide } from "../domain/hidden-secrets.ts";
import type { Config } from "./config.ts";
import { secretsIn } from "./known-secrets.ts";
import { type LoadedConfig, rereadSecrets } from "./load.ts";
import { describeProblems } from "./problems.ts";
import { isRecord } from "./schema-parts.ts";
import { readSecretFile } from "./secrets.ts";

/** The result of checking the secret files. */
export type SecretsLook =
  | { readonly kind: "same" }
  /** `keys`: those whose files have new content, as `service.apiKeyFile`. */
  | { readonly kind: "changed"; readonly keys: readonly string[] }
  /** The previous secrets stay in effect. `problem`: sentences with keys and files, never a content. */
  | { readonly kind: "unusable"; readonly problem: string };

/** A configuration whose secrets follow their files. Everything else stays as at the start. */
export interface LiveSecrets {
  /** The configuration with the current secrets. */
  readonly current: () => Config;
  /** Removes every secret from a text that was ever in effect. */
  readonly hide: Hide;
  /**
   * Checks the files. A changed file is read at the next check that finds it unchanged, so that no half-written file is used.
   */
  readonly look: () => SecretsLook;
  /** Declares the files complete: the next check reads them at once. */
  readonly ask: () => void;
}

/** A configuration that is never reread, as for a command. */
export function stillSecrets(config: Config): LiveSecrets {
  const hide = createHider(secretsIn(config));
  return { current: () => config, hide, look: () => ({ kind: "same" }), ask: () => {} };
}

/**
 * Follows the files by their metadata, including symbolic link targets, so that it notices when Kubernetes or an editor
 * replaces one. Needs no file watching and works on every file system. Unreadable, empty or invalid files change nothing and
 * are reported once.
 */
export function followSecrets(loaded: LoadedConfig): LiveSecrets {
  const files = secretFilesIn(loaded.written);
  let current: Config = loaded;
  let known = new Set(secretsIn(loaded));
  let hide = createHider([...known]);
  let contents = contentsOf(files);
  let read = signatureOf(files);
  let seen = read;
  let isAsked = false;

  return {
    current: () => current,
    hide: (text) => hide(text),
    ask() {
      isAsked = true;
    },
    look() {
      const now = signatureOf(files);
      const isWhole = isAsked || (now !== read && now === seen);
      seen = now;
      isAsked = false;
      if (!isWhole) return { kind: "same" };
      read = now;
      const reread = rereadSecrets(loaded);
      if (!reread.ok) return { kind: "unusable", problem: describeProblems(reread.failure) };
      current = reread.value;
      known = new Set([...known, ...secretsIn(current)]);
      hide = createHider([...known]);
      const former = contents;
      contents = contentsOf(files);
      const keys = files.flatMap(({ key }) => (contents.get(key) === former.get(key) ? [] : [key]));
      return keys.length === 0 ? { kind: "same" } : { kind: "changed", keys };
    },
  };
}

interface SecretFile {
  /** `people[0].apiKeyFile`. */
  readonly key: string;
  readonly file: string;
}

/** Every secret file in a configuration. No other key ends in `File`. */
function secretFilesIn({ raw, folder }: LoadedConfig["written"]): readonly SecretFile[] {
  return filesBelow(raw, "").map(({ key, file }) => ({ key, file: resolve(folder, file) }));
}

function filesBelow(value: unknown, path: string): readonly SecretFile[] {
  if (Array.isArray(value)) {
    return value.flatMap((entry, index) => filesBelow(entry, `${path}[${index}]`));
  }
  if (!isRecord(value)) return [];
  return Object.entries(value).flatMap(([name, inner]) => {
    const key = path === "" ? name : `${path}.${name}`;
    const isFile = typeof inner === "string" && name.endsWith("File");
    return isFile ? [{ key, file: inner }] : filesBelow(inner, key);
  });
}

/** Changes whenever a file is written or replaced. */
function signatureOf(files: readonly SecretFile[]): string {
  return files
    .map(({ file }) => {
      const stat = statSync(file, { bigint: true, throwIfNoEntry: false });
      return stat ? [stat.dev, stat.ino, stat.size, stat.mtimeNs, stat.ctimeNs].join(" ") : "none";
    })
    .join("\n");
}

const contentsOf = (files: readonly SecretFile[]): ReadonlyMap<string, string> =>
  new Map(
    files.map(({ key, file }) => {
      const content = readSecretFile(file);
      return [key, content.ok ? content.value : ""];
    }),
  );
