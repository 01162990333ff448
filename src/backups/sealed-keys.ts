import { createCipheriv, createDecipheriv, scryptSync } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fail, ok, type Result } from "../domain/result.ts";

/** The secret files in a data directory, and what stops working if one is lost. */
export const keyFiles: readonly { readonly name: string; readonly without: string }[] = [
  {
    name: "admin-token",
    without: "the admin token changes, and all browsers are logged out",
  },
  { name: "feed-key", without: "every feed has a new address and must be subscribed to again" },
  { name: "link-key", without: "existing links such as Done in calendars and mails stop working" },
  {
    name: "mail-key",
    without: "existing links in mails to unsubscribe and to log in stop working",
  },
];

/** Secrets by file name. */
export type Keys = ReadonlyMap<string, string>;

/** The keys that exist. */
export function readKeys(dataDir: string): Keys {
  const present = keyFiles.filter(({ name }) => existsSync(join(dataDir, name)));
  return new Map(present.map(({ name }) => [name, readFileSync(join(dataDir, name), "utf8")]));
}

/** A tenth of a second and 64 MB per guess. Source: RFC 7914 2 (N, r, p). */
const cost = { N: 65_536, r: 8, p: 1 } as const;
const mostMemory = 256 * 2 ** 20;

interface SealOptions {
  readonly passphrase: string;
  /** Returns this many random bytes. */
  readonly randomBytes: (size: number) => Uint8Array;
  /** Associated data: the text can only be decrypted with the same value. */
  readonly about: string;
}

/** Keys encrypted with a passphrase, as JSON: scrypt derives the key, AES-256-GCM encrypts and authenticates. */
export function sealKeys(keys: Keys, { passphrase, randomBytes, about }: SealOptions): string {
  const salt = randomBytes(16);
  const nonce = randomBytes(12);
  const cipher = createCipheriv("aes-256-gcm", derive(passphrase, { salt, ...cost }), nonce);
  cipher.setAAD(Buffer.from(about));
  const text = JSON.stringify(Object.fromEntries(keys));
  const sealed = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
  return JSON.stringify({
    kdf: "scrypt",
    ...cost,
    salt: base64(salt),
    cipher: "aes-256-gcm",
    nonce: base64(nonce),
    tag: base64(cipher.getAuthTag()),
    sealed: base64(sealed),
  });
}

/** Decrypts the keys; errors with a sentence if the passphrase is wrong. */
export function openKeys(
  text: string,
  { passphrase, about }: Omit<SealOptions, "randomBytes">,
): Result<Keys, string> {
  const wrong = fail(
    "the keys in it cannot be decrypted: the passphrase is wrong, or they were modified",
  );
  try {
    const parts = new Map<string, unknown>(Object.entries(JSON.parse(text)));
    const octets = (name: string) => Buffer.from(String(parts.get(name)), "base64");
    const [N, r, p] = ["N", "r", "p"].map((name) => Number(parts.get(name)));
    if (!N || !r || !p || parts.get("kdf") !== "scrypt" || parts.get("cipher") !== "aes-256-gcm") {
      return fail("the keys in it are encrypted in a way that this version does not know");
    }
    const key = derive(passphrase, { salt: octets("salt"), N, r, p });
    const decipher = createDecipheriv("aes-256-gcm", key, octets("nonce"), { authTagLength: 16 });
    decipher.setAAD(Buffer.from(about));
    decipher.setAuthTag(octets("tag"));
    const opened = Buffer.concat([decipher.update(octets("sealed")), decipher.final()]);
    const known = new Set(keyFiles.map(({ name }) => name));
    const keys = Object.entries(JSON.parse(opened.toString("utf8")));
    return ok(new Map(keys.filter(([name]) => known.has(name)).map(([n, v]) => [n, String(v)])));
  } catch {
    return wrong;
  }
}

const base64 = (octets: Uint8Array): string => Buffer.from(octets).toString("base64");

const derive = (
  passphrase: string,
  { salt, N, r, p }: { salt: Uint8Array; N: number; r: number; p: number },
): Buffer => scryptSync(passphrase.normalize("NFC"), salt, 32, { N, r, p, maxmem: mostMemory });
