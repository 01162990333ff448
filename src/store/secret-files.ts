import { existsSync, linkSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Thrown for a secret that is there and cannot be one; the message is a sentence for people. */
export class SpoiltSecretError extends Error {
  override readonly name = "SpoiltSecretError";
}

/**
 * A secret that lives in the data directory beside the database, never in it: read, or made on the first start by
 * `make` and written with mode 0600; `least`: its characters. Throws `SpoiltSecretError` when the file is there and holds too little or what is no text.
 */
export function secretFile(
  place: { readonly dataDir: string; readonly name: string; readonly least?: number },
  make: () => string,
): string {
  const path = join(place.dataDir, place.name);
  if (!existsSync(path)) writeWhole(path, `${make()}\n`);
  const secret = readFileSync(path, "utf8").trim();
  const fault = faultOf(secret, place.least ?? shortest);
  if (fault !== null) {
    throw new SpoiltSecretError(
      `${path} ${fault}: \`dayferry restore --keys-only\` with a backup that holds the keys brings it back; else remove it, and a new secret is made`,
    );
  }
  return secret;
}

/** A disk that is full leaves a file that holds nothing, which would be taken for a secret that somebody has spoilt. */
function writeWhole(path: string, text: string): void {
  const beside = `${path}.${process.pid}.new`;
  try {
    writeFileSync(beside, text, { mode: 0o600, flush: true });
    linkSync(beside, path);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
  } finally {
    rmSync(beside, { force: true });
  }
}

function faultOf(secret: string, least: number): string | null {
  if (secret === "") return "is empty";
  if (!/^[\x21-\x7e]+$/.test(secret)) return "holds what is no text, as after a fault of the disk";
  if (secret.length >= least) return null;
  return `has ${secret.length} characters, too few for a secret`;
}

/** As many as 128 bits take in hexadecimal digits; those made here have more. */
const shortest = 32;
