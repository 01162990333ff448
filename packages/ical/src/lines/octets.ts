import type { IcsProblem } from "../ics-problem.ts";
import { fail, ok, type Result } from "../result.ts";
import { sentence } from "../sentences.ts";

/** Largest file that is read, in bytes. */
export const largestFile = 5_000_000;

const tab = 9;
const lf = 10;
const cr = 13;
const space = 32;

/**
 * Decodes a file: UTF-8, without byte order mark and control characters, with lines ending in CRLF or LF. Fails if the file is
 * too large, empty, a web page or not UTF-8. Source: RFC 5545 3.1 (lines and folding), 3.1.4 (UTF-8).
 */
export function readText(bytes: Uint8Array): Result<string, IcsProblem> {
  if (bytes.length > largestFile) {
    const message = sentence("ical.tooLarge", { bytes: bytes.length, most: largestFile });
    return fail({ line: null, uid: null, code: "too-large", message });
  }
  if (isUtf16(bytes)) {
    const message = sentence("ical.utf16");
    return fail({ line: null, uid: null, code: "not-utf-8", message });
  }
  const written = decode(bytes);
  if (written === null) {
    const message = sentence("ical.notUtf8");
    return fail({ line: null, uid: null, code: "not-utf-8", message });
  }
  const text = withoutControls(written);
  const start = text.trimStart();
  if (start === "") {
    return fail({ line: null, uid: null, code: "empty", message: sentence("ical.empty") });
  }
  if (start.startsWith("<") && !/^BEGIN:VCALENDAR/im.test(text)) {
    const message = sentence("ical.webPage");
    return fail({ line: 1, uid: null, code: "html", message });
  }
  return ok(text);
}

/**
 * Removes characters that a calendar may not contain and no program shows. A single CR is a line end, as in node-ical; CR CR LF
 * is one line end.
 */
const withoutControls = (text: string): string =>
  anyControl.test(text)
    ? text
        .replace(/\r+(?=\r\n)/g, "")
        .replace(/\r(?!\n)/g, "\r\n")
        .replace(controls, "")
    : text;

/** The same for UTF-8 bytes; returns the same buffer if nothing changes. */
export const withoutControlOctets = (bytes: Buffer): Buffer =>
  hasControls(bytes) ? Buffer.from(withoutControls(bytes.toString("utf8"))) : bytes;

/** True if bytes contain control characters or a single CR. */
export const hasControls = (bytes: Uint8Array): boolean =>
  anyControl.test(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("latin1"));

const anyControl = /[[\p{Cc}&&\p{ASCII}]--[\t\n\r]]|\r(?!\n)/v;
const controls = /[[\p{Cc}&&\p{ASCII}]--[\t\n\r]]/gv;

/** Detects UTF-16 by its byte order mark, or because every other byte of the beginning is zero. */
function isUtf16(bytes: Uint8Array): boolean {
  const [first, second] = bytes;
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)) return true;
  const start = bytes.subarray(0, 32);
  return (
    start.length >= 4 &&
    [0, 1].some((odd) => start.every((byte, at) => (at % 2 === odd ? byte === 0 : byte !== 0)))
  );
}

/** Decodes an accepted file, including its byte order mark. null if not UTF-8. */
export function decodeOctets(bytes: Uint8Array): string | null {
  const mark = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? "\ufeff" : "";
  const text = decode(bytes);
  return text === null ? null : `${mark}${text}`;
}

function decode(bytes: Uint8Array): string | null {
  return tryDecode(bytes) ?? tryDecode(joinSplitCharacters(bytes));
}

function tryDecode(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}

/**
 * Simple programs fold between the bytes of one character. The continuation bytes are moved before the fold, so that line
 * numbers stay the same.
 */
function joinSplitCharacters(bytes: Uint8Array): Uint8Array {
  const joined = new Uint8Array(bytes.length);
  let written = 0;
  let at = 0;
  while (at < bytes.length) {
    const fold = foldLength(bytes, at);
    let rest = at + fold;
    if (fold > 0) while (isContinuation(bytes[rest])) joined[written++] = bytes[rest++] ?? 0;
    const copied = Math.max(fold, 1);
    for (let offset = 0; offset < copied; offset++) joined[written++] = bytes[at + offset] ?? 0;
    at = fold > 0 ? rest : at + 1;
  }
  return joined;
}

function foldLength(bytes: Uint8Array, at: number): number {
  const breakLength = bytes[at] === lf ? 1 : bytes[at] === cr && bytes[at + 1] === lf ? 2 : 0;
  if (breakLength === 0) return 0;
  const next = bytes[at + breakLength];
  return next === space || next === tab ? breakLength + 1 : 0;
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && byte >= 0x80 && byte < 0xc0;
}
