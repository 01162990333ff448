import { existsSync, linkSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Thrown for an existing secret that is invalid. The message is a sentence for people. */
export class SpoiltSecretError extends Error {
  override readonly name = "SpoiltSecretError";
}

/**
 * A secret in a file beside the database: read, or created on first start by `make` with mode 0600; `least`: its minimal
 * length. Throws `SpoiltSecretError` if the file exists and is too short or not text.
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

/** A full disk leaves an empty file, which would count as an invalid secret. */
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

/** 128 bits in hexadecimal digits. Secrets created here are longer. */
const shortest = 32;
