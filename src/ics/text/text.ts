import { looksLikeHtml, renderHtml } from "./html-to-text.ts";

export { looksLikeHtml } from "./html-to-text.ts";

/** The text without control characters (except line feed and tab) and lone surrogates; line ends become LF. */
export function cleanText(text: string): string {
  return text.replace(/\r\n?/g, "\n").replace(/[[\p{Cc}\p{Cs}]--[\n\t]]/gv, "");
}

/** The text on one line: line breaks and tabs become spaces, ends are trimmed. */
export function oneLine(text: string): string {
  return cleanText(text)
    .replace(/[\n\t\u2028\u2029]+/g, " ")
    .trim();
}

/** HTML as calendars show it: text with line breaks, links behind their words. Takes time linear in the length. */
export function htmlToText(html: string): string {
  return cleanText(renderHtml(html));
}

/** A description as calendars show it: HTML rendered, plain text cleaned, white space at the end cut; "" for none. */
export function plainDescription(description: string | null): string {
  if (description === null) return "";
  const text = looksLikeHtml(description) ? htmlToText(description) : cleanText(description);
  return text.trimEnd();
}

/**
 * A TEXT value as a content line holds it.
 * Source: RFC 5545 3.3.11.
 */
export function escapeText(text: string): string {
  return cleanText(text)
    .replace(/[\\;,]/g, "\\$&")
    .replaceAll("\n", "\\n");
}

/**
 * What a TEXT value says. Escaped backslashes are set apart first, so that `\\\\n` is a backslash and an "n"; a backslash
 * before any other character stands for itself.
 * Source: RFC 5545 3.3.11.
 */
export function decodeText(value: string): string {
  if (!value.includes("\\")) return value;
  if (!value.includes("\\\\")) return decodeSingles(value);
  return value.split("\\\\").map(decodeSingles).join("\\");
}

/** The members of a list of TEXT values, decoded and trimmed; empty ones are dropped. */
export function decodeList(value: string): readonly string[] {
  return splitAtCommas(value)
    .map((part) => decodeText(part).trim())
    .filter((part) => part !== "");
}

/** An address that may stand in a URI value: what TEXT escaping or a new line would spoil is percent-encoded. */
export function encodeUrl(url: string): string {
  return url
    .toWellFormed()
    .trim()
    .replace(/[^!-~]|[,;\\"<>^`{|}]/gu, encodeCharacter);
}

const longestLine = 75;

/**
 * A content line, folded after at most 75 octets and never inside a character, without the final CRLF.
 * Source: RFC 5545 3.1.
 */
export function foldLine(line: string): string {
  if (line.length * 3 <= longestLine || Buffer.byteLength(line) <= longestLine) return line;
  const parts: string[] = [];
  let start = 0;
  let octets = 0;
  let at = 0;
  while (at < line.length) {
    const code = line.codePointAt(at) ?? 0;
    const size = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    if (octets + size > longestLine) {
      parts.push(line.slice(start, at));
      start = at;
      octets = 1;
    }
    octets += size;
    at += size === 4 ? 2 : 1;
  }
  parts.push(line.slice(start));
  return parts.join("\r\n ");
}

function decodeSingles(part: string): string {
  if (!part.includes("\\")) return part;
  const text = part.replaceAll("\\,", ",").replaceAll("\\;", ";");
  return text.replaceAll("\\n", "\n").replaceAll("\\N", "\n");
}

function splitAtCommas(value: string): readonly string[] {
  if (!value.includes("\\")) return value.split(",");
  const parts: string[] = [];
  let start = 0;
  for (let at = value.indexOf(","); at >= 0; at = value.indexOf(",", at + 1)) {
    let slashes = 0;
    while (value[at - 1 - slashes] === "\\") slashes++;
    if (slashes % 2 === 1) continue;
    parts.push(value.slice(start, at));
    start = at + 1;
  }
  return [...parts, value.slice(start)];
}

function encodeCharacter(character: string): string {
  return [...Buffer.from(character)]
    .map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, "0")}`)
    .join("");
}
