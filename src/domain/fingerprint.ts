import { hash } from "node:crypto";

/** Hash of a text: 32 hexadecimal digits of its SHA-256. */
export function fingerprint(text: string): string {
  return hash("sha256", text).slice(0, 32);
}
