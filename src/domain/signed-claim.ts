import { createHmac, timingSafeEqual } from "node:crypto";

/** How the claims of one kind of link are written as bytes. */
export interface ClaimLayout<Claim> {
  /** Names the kind, so that no text of one kind passes for another under the same key. */
  readonly purpose: string;
  readonly claimLength: number;
  readonly encode: (claim: Claim) => Uint8Array;
  /** Null for bytes that say nothing that `encode` writes. */
  readonly decode: (bytes: Buffer) => Claim | null;
}

/** Writes and reads the signed part of a link: letters, digits, hyphens and underscores alone. */
export interface ClaimSigner<Claim> {
  /** Equal claims give equal text. */
  sign(claim: Claim): string;
  /** Null for any text that `sign` has not written with this key. */
  read(text: string): Claim | null;
}

/** Thrown for a key from which signatures could be guessed. */
export class WeakKeyError extends Error {
  override readonly name = "WeakKeyError";
  constructor(purpose: string, bytes: number) {
    super(`the key of ${purpose}s has ${bytes} bytes; at least ${shortestKey} are needed`);
  }
}

const shortestKey = 32;
const tagLength = 16;

/** `key`: at least 32 bytes, kept outside the database. Throws `WeakKeyError`. Signatures are 128 bits of HMAC-SHA-256. */
export function createClaimSigner<Claim>(
  key: Uint8Array,
  { purpose, claimLength, encode, decode }: ClaimLayout<Claim>,
): ClaimSigner<Claim> {
  if (key.byteLength < shortestKey) throw new WeakKeyError(purpose, key.byteLength);
  const tagOf = (claim: Uint8Array) =>
    createHmac("sha256", key).update(purpose).update(claim).digest().subarray(0, tagLength);
  return {
    sign(claim) {
      const bytes = encode(claim);
      return Buffer.concat([bytes, tagOf(bytes)]).toString("base64url");
    },
    read(text) {
      const bytes = Buffer.from(text, "base64url");
      // Reading is tolerant: only the one way of writing these bytes counts.
      if (bytes.byteLength !== claimLength + tagLength || bytes.toString("base64url") !== text) {
        return null;
      }
      const claim = bytes.subarray(0, claimLength);
      return timingSafeEqual(bytes.subarray(claimLength), tagOf(claim)) ? decode(claim) : null;
    },
  };
}
