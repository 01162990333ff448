import { hash } from "node:crypto";
import { flatText } from "./flat-text.ts";

/** Hash of a text: 32 hexadecimal digits of its SHA-256. */
export function fingerprint(text: string): string {
  return flatText(hash("sha256", text).slice(0, 32));
}
