import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/**
 * A secret that lives in the data directory beside the database, never in it: read, or made on the first start by
 * `make` and written with mode 0600. Throws when the file is there and holds too little.
 */
export function secretFile(
  place: { readonly dataDir: string; readonly name: string },
  make: () => string,
): string {
  const path = join(place.dataDir, place.name);
  try {
    writeFileSync(path, `${make()}\n`, { flag: "wx", mode: 0o600 });
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
  }
  const secret = readFileSync(path, "utf8").trim();
  if (secret.length < shortest) {
    const what =
      secret === "" ? "is empty" : `has ${secret.length} characters, too few for a secret`;
    throw new Error(`${path} ${what}: remove it, and a new secret is made`);
  }
  return secret;
}

/** As many as 128 bits take in hexadecimal digits; those made here have more. */
const shortest = 32;
