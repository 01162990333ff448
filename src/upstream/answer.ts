import { STATUS_CODES } from "node:http";
import { fail, ok, type Result } from "../domain/result.ts";

/**
 * The JSON value of an answer's body, whatever its Content-Type claims.
 * Fails with a sentence that tells an HTML page, an empty body and cut or wrong JSON apart.
 */
export function parseJson(body: string): Result<unknown, string> {
  const text = body.trim();
  if (text === "") return fail("the body is empty");
  if (text.startsWith("<")) return fail(`an HTML page came instead of JSON: ${plain(text)}`);
  try {
    return ok(JSON.parse(text));
  } catch {
    return fail(`no complete JSON in ${text.length} characters: ${plain(text.slice(0, 200))}`);
  }
}

/** The `{code, message}` that the service may answer with status 200; null when the value is an ordinary one. */
export function refusalIn(
  value: unknown,
): { readonly code: number; readonly message: string } | null {
  if (typeof value !== "object" || value === null || "id" in value) return null;
  if (!("code" in value) || !("message" in value)) return null;
  const { code, message } = value;
  const number = typeof code === "string" && /^\d{1,9}$/.test(code) ? Number(code) : code;
  if (typeof number !== "number") return null;
  return { code: number, message: typeof message === "string" ? plain(message) : "no message" };
}

/** What an error body says, for people: its JSON message, else its text without markup, else the status in words. */
export function messageOf(status: number, body: string | null): string {
  const said = body === null ? "" : (jsonMessage(body) ?? plain(body));
  return said === "" ? (STATUS_CODES[status] ?? `status ${status}`) : said;
}

function jsonMessage(body: string): string | null {
  const parsed = parseJson(body);
  return parsed.ok ? messageIn(parsed.value, 3) : null;
}

function messageIn(value: unknown, depth: number): string | null {
  if (typeof value === "string") return plain(value);
  if (typeof value !== "object" || value === null || depth === 0) return null;
  const parts: readonly unknown[] = Array.isArray(value)
    ? value
    : ["message", "error", "errors", "detail", "title"].map((name) =>
        new Map<string, unknown>(Object.entries(value)).get(name),
      );
  const texts = parts.map((part) => messageIn(part, depth - 1)).filter((text) => text);
  if (texts.length === 0) return null;
  return Array.isArray(value) ? plain(texts.join("; ")) : (texts[0] ?? null);
}

/** Text without markup and control characters, on one line and at most 300 characters long. */
function plain(text: string): string {
  const bare = text
    .slice(0, 20_000)
    .replace(/<(script|style)\b[\s\S]*?<\/\1\s*>/gi, " ")
    .replace(/<[^>]*>/g, " ")
    .replace(/[\p{Cc}\s]+/gu, " ")
    .trim();
  return bare.length > 300 ? `${bare.slice(0, 299)}…` : bare;
}
