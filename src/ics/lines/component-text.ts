import { cleanText, foldLine } from "../text/text.ts";

/** Content lines as a file holds them: folded, each with its CRLF. */
export function foldLines(lines: readonly string[]): string {
  return lines.map((line) => `${foldLine(line)}\r\n`).join("");
}

/** The UID as it may be written, before its TEXT escapes; "" when nothing of it is left. */
export const writableUid = (uid: string): string => cleanText(uid).replace(/[\n\t]/g, "");

/** Categories as they may be written, before their TEXT escapes; blank ones are dropped. */
export function writableCategories(categories: readonly string[]): readonly string[] {
  return categories.map((name) => cleanText(name).trim()).filter((name) => name !== "");
}

/** A UTC time of whole seconds. Source: RFC 5545 3.3.5, form 2. */
export function writeStamp(at: Temporal.Instant): string {
  const text = at.round({ smallestUnit: "second", roundingMode: "floor" }).toString();
  return text.replace(/[-:]/g, "");
}

/** A DATE value. Source: RFC 5545 3.3.4. */
export const writeDate = (on: Temporal.PlainDate): string => on.toString().replaceAll("-", "");
