import { readFileSync } from "node:fs";
import { fileReason } from "../domain/file-reason.ts";
import { fail, ok, type Result } from "../domain/result.ts";

/**
 * Reads a secret from its file, without surrounding white space and a byte order mark. Fails with a sentence that names the
 * file, never its content.
 */
export function readSecretFile(file: string): Result<string, string> {
  const content = readTextFile(file);
  if (!content.ok) return content;
  const secret = content.value.replace(/^\uFEFF/, "").trim();
  return secret === "" ? fail(`names an empty file: ${file}`) : ok(secret);
}

/** Reads a text file. Fails with a sentence that names the file and the reason. */
export function readTextFile(file: string): Result<string, string> {
  try {
    return ok(readFileSync(file, "utf8"));
  } catch (error) {
    return fail(`cannot be read: ${file} (${fileReason(error)})`);
  }
}
