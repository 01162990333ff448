import { createHash } from "node:crypto";
import { readdirSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";

/** Built files begin with this name. */
const built = "dayferry.mjs";

/**
 * A text that is equal for two starts of the same program on the same Node, and changes with any file beside `script`, the path
 * of the program. Null when running from sources, which change at any time.
 */
export function programPrint(
  script: string | undefined,
  versions: Readonly<Record<string, string | undefined>>,
): string | null {
  if (script === undefined || basename(script) !== built) return null;
  const path = realpathSync(script);
  const folder = dirname(path);
  const hash = createHash("sha256");
  for (const name of readdirSync(folder).toSorted()) {
    const { size, mtimeMs } = statSync(join(folder, name));
    hash.update(`${name} ${size} ${mtimeMs}\n`);
  }
  // Zone data comes with Node, and its own copy may be replaced.
  for (const name of ["node", "icu", "tz"]) hash.update(`${name} ${versions[name] ?? ""}\n`);
  return hash.digest("base64url");
}
