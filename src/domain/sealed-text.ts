import { createCipheriv, createDecipheriv, createHmac } from "node:crypto";

/** Encrypts texts for the database, and decrypts them. */
export type Seal = ReturnType<typeof createSeal>;

const mark = "sealed1:";
const nonceLength = 12;
const tagLength = 16;

/** True if a text was encrypted, with any key. */
export const isSealed = (text: string): boolean => text.startsWith(mark);

/**
 * `key`: a secret stored outside the database. AES-256-GCM with a keyed hash of the text as nonce, so that it needs no
 * randomness and no nonce is used for two texts. Source: RFC 8452 1 (the idea), NIST SP 800-38D 8.
 */
export function createSeal(key: Uint8Array, purpose: string) {
  const derived = (use: string) => createHmac("sha256", key).update(`${purpose} ${use}`).digest();
  const [cipherKey, nonceKey] = [derived("cipher"), derived("nonce")];
  return {
    /** Equal texts give equal results. */
    close(text: string): string {
      const nonce = createHmac("sha256", nonceKey).update(text).digest().subarray(0, nonceLength);
      const cipher = createCipheriv("aes-256-gcm", cipherKey, nonce);
      const body = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
      return mark + Buffer.concat([nonce, cipher.getAuthTag(), body]).toString("base64");
    },
    /** Null if the text was not encrypted with this key, or was changed since. */
    open(sealed: string): string | null {
      if (!isSealed(sealed)) return null;
      const bytes = Buffer.from(sealed.slice(mark.length), "base64");
      const [nonce, tag] = [
        bytes.subarray(0, nonceLength),
        bytes.subarray(nonceLength, nonceLength + tagLength),
      ];
      if (tag.byteLength < tagLength) return null;
      const decipher = createDecipheriv("aes-256-gcm", cipherKey, nonce, {
        authTagLength: tagLength,
      });
      decipher.setAuthTag(tag);
      try {
        const body = bytes.subarray(nonceLength + tagLength);
        return Buffer.concat([decipher.update(body), decipher.final()]).toString("utf8");
      } catch {
        return null;
      }
    },
  };
}
