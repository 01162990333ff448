import { type ContentLine, param } from "../lines/content-line.ts";
import type { Component } from "../lines/tokens.ts";
import type { IncomingAttachment, Unstorable } from "./incoming.ts";

/**
 * The files that stand in the item itself, and the ATTACH lines that hold none: links, which the service cannot hold,
 * and contents that cannot be read. Source: RFC 5545 3.8.1.1.
 */
export function readAttachments(component: Component): {
  readonly attachments: readonly IncomingAttachment[];
  readonly unstorable: readonly Unstorable[];
} {
  const attachments: IncomingAttachment[] = [];
  const unstorable: Unstorable[] = [];
  for (const line of component.lines) {
    if (line.name !== "ATTACH" || line.value.trim() === "") continue;
    const content = isInline(line) ? decodeBase64(line.value) : null;
    if (content && content.byteLength > 0) {
      attachments.push({ line: line.line, ...labelsOf(line, attachments.length + 1), content });
    } else {
      unstorable.push({ line: line.line, name: "ATTACH", reason: reasonFor(line) });
    }
  }
  return { attachments, unstorable };
}

const isInline = (line: ContentLine): boolean =>
  param(line, "ENCODING")?.toUpperCase() === "BASE64" ||
  param(line, "VALUE")?.toUpperCase() === "BINARY";

const reasonFor = (line: ContentLine): string =>
  isInline(line)
    ? "its content is empty or no Base64"
    : "the service takes files, and this is a link to one";

/** Null for what is no Base64: Node's own reader passes over what it does not know. */
function decodeBase64(value: string): Uint8Array | null {
  const text = value.replace(/\s+/g, "");
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(text) || text.length % 4 === 1) return null;
  return new Uint8Array(Buffer.from(text, "base64"));
}

const nameParams = ["FILENAME", "X-FILENAME", "X-APPLE-FILENAME", "X-ORACLE-FILENAME", "LABEL"];

/** RFC 5545 has no parameter for a file's name; programs have several. */
function labelsOf(line: ContentLine, number: number): { name: string; type: string } {
  const type = mediaType(param(line, "FMTTYPE") ?? "");
  const given = nameParams.map((name) => fileName(param(line, name) ?? "")).find(Boolean);
  return { name: given ?? `attachment-${number}${endings.get(type) ?? ""}`, type };
}

function mediaType(text: string): string {
  const type = text.trim().toLowerCase();
  return /^[\w.+-]+\/[\w.+-]+$/.test(type) ? type : "application/octet-stream";
}

const longestName = 200;

/** Without folders, and without what no file's name may hold. */
function fileName(text: string): string {
  const last = text.split(/[\\/]/).at(-1) ?? "";
  return last
    .replace(/[\p{Cc}\p{Cs}"<>:|?*]/gu, "")
    .trim()
    .slice(0, longestName);
}

const endings: ReadonlyMap<string, string> = new Map([
  ["application/pdf", ".pdf"],
  ["image/gif", ".gif"],
  ["image/jpeg", ".jpg"],
  ["image/png", ".png"],
  ["text/csv", ".csv"],
  ["text/html", ".html"],
  ["text/plain", ".txt"],
]);
