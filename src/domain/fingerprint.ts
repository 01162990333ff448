import { createHash } from "node:crypto";

/** Hash of a text: 32 hexadecimal digits of its SHA-256. */
export function fingerprint(text: string): string {
  return createHash("sha256").update(text, "utf8").digest("hex").slice(0, 32);
}
