import { hash } from "node:crypto";

/** The first 32 hexadecimal digits of a text's SHA-256. */
export function fingerprint(text: string): string {
  return flatText(hash("sha256", text).slice(0, 32));
}

/** A copy of a Latin 1 text in its own memory. A slice or a concatenation keeps the original strings alive. */
export const flatText = (text: string): string => Buffer.from(text, "latin1").toString("latin1");
