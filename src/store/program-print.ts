import { createHash } from "node:crypto";
import { readdirSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";

/** What is built of the sources is begun by a file of this name. */
const built = "dayferry.mjs";

/**
 * A text that is the same for two starts of the same program on the same Node, and another one once a file beside `script`, the path
 * of the program, is another one. Null where the program runs from its sources, which lie in many folders and change at any time.
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
  // Clocks of zones are those of Node, and its own copy of the zones may be replaced.
  for (const name of ["node", "icu", "tz"]) hash.update(`${name} ${versions[name] ?? ""}\n`);
  return hash.digest("base64url");
}
