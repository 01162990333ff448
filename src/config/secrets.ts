import { readFileSync } from "node:fs";
import { fail, ok, type Result } from "../domain/result.ts";

/**
 * Reads a secret from its file: white space around it and a byte order mark are taken off.
 * Fails with a sentence that names the file, never its content.
 */
export function readSecretFile(file: string): Result<string, string> {
  const content = readText(file);
  if (!content.ok) return content;
  const secret = content.value.replace(/^\uFEFF/, "").trim();
  return secret === "" ? fail(`names an empty file: ${file}`) : ok(secret);
}

/** Reads a text file. Fails with a sentence that names the file and the reason. */
export function readText(file: string): Result<string, string> {
  try {
    return ok(readFileSync(file, "utf8"));
  } catch (error) {
    return fail(`cannot be read: ${file} (${reasonOf(error)})`);
  }
}

function reasonOf(error: unknown): string {
  const code = error instanceof Error && "code" in error ? error.code : null;
  switch (code) {
    case "ENOENT":
      return "there is no such file";
    case "EACCES":
    case "EPERM":
      return "permission denied";
    case "EISDIR":
      return "it is a folder";
    default:
      return typeof code === "string" ? code : String(error);
  }
}
