import { hash } from "node:crypto";
import { flatText } from "./flat-text.ts";

/** The first 32 hexadecimal digits of a text's SHA-256. */
export function fingerprint(text: string): string {
  return flatText(hash("sha256", text).slice(0, 32));
}
