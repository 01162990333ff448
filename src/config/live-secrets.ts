import { statSync } from "node:fs";
import { resolve } from "node:path";
import { createHider, type Hide } from "../domain/hidden-secrets.ts";
import type { Config } from "./config.ts";
import { secretsIn } from "./known-secrets.ts";
import { type LoadedConfig, rereadSecrets } from "./load.ts";
import { describeProblems } from "./problems.ts";
import { isRecord } from "./schema-parts.ts";
import { readSecretFile } from "./secrets.ts";

/** What a look at the files of secrets has found. */
export type SecretsLook =
  | { readonly kind: "same" }
  /** `keys`: those whose files have another content, as `service.apiKeyFile`. */
  | { readonly kind: "changed"; readonly keys: readonly string[] }
  /** The former secrets stay in force. `problem`: sentences that name keys and files, never a content. */
  | { readonly kind: "unusable"; readonly problem: string };

/** A configuration whose secrets follow the files that hold them; everything else stays as it was at the start. */
export interface LiveSecrets {
  /** The configuration with the secrets as they are in force now. */
  readonly current: () => Config;
  /** Takes every secret out of a text that was in force at any time. */
  readonly hide: Hide;
  /**
   * Looks at the files. One that has just changed is read at the next look that finds it as it was, so that nothing is taken
   * up that is written by half.
   */
  readonly look: () => SecretsLook;
  /** Somebody says that the files are whole: the next look reads them at once. */
  readonly ask: () => void;
}

/** A configuration of which nothing is read again, such as that of a command. */
export function stillSecrets(config: Config): LiveSecrets {
  const hide = createHider(secretsIn(config));
  return { current: () => config, hide, look: () => ({ kind: "same" }), ask: () => {} };
}

/**
 * Follows the files by what the file system says of them (links are followed, so that it sees when Kubernetes or an editor puts
 * another file in the place of one), which needs no watching and works on every file system. What cannot be read, is empty or
 * could not be used at a start either changes nothing and is told once for as long as it stays so.
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

/** Every file of a secret that a configuration names; no other key ends in `File`. */
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

/** Another text whenever a file was written, or another one stands in its place. */
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
