import { fail, ok, type Result } from "../domain/result.ts";

/** Where a text stops being JSON; line and column count from 1. Never quotes the text, which may hold secrets. */
export interface JsonFault {
  readonly line: number;
  readonly column: number;
  readonly reason: string;
}

/**
 * Parses JSON; a byte order mark is tolerated, comments and trailing commas are not.
 * Fails with the place, which JSON.parse names for some faults only, and then beside an excerpt of the text.
 */
export function parseJson(text: string): Result<unknown, JsonFault> {
  const clean = text.startsWith("\uFEFF") ? text.slice(1) : text;
  try {
    const value: unknown = JSON.parse(clean);
    return ok(value);
  } catch {
    const { offset, reason } = findFault(clean);
    const before = clean.slice(0, offset).split("\n");
    return fail({ line: before.length, column: (before.at(-1)?.length ?? 0) + 1, reason });
  }
}

type Wanted = "value" | "value or ]" | "name or }" | "name" | "colon" | "comma or close" | "end";
type Token = "string" | "scalar" | "{" | "}" | "[" | "]" | ":" | "," | "unknown" | "end of file";

const tokenPattern =
  /(?<string>"(?:[ !#-[\]-\uffff]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*")|(?<scalar>true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)|[{}[\]:,]/y;
const spacePattern = /[ \t\r\n]*/y;

function findFault(text: string): { readonly offset: number; readonly reason: string } {
  const open: ("{" | "[")[] = [];
  let wanted: Wanted = "value";
  let offset = 0;
  for (;;) {
    offset = skipSpace(text, offset);
    const { token, length } = tokenAt(text, offset);
    const next = advance({ wanted, token, open });
    if (next === null) return { offset, reason: reasonFor({ text, offset, wanted, token }) };
    if (token === "end of file") return { offset, reason: "cannot be parsed" };
    wanted = next;
    offset += length;
  }
}

function skipSpace(text: string, offset: number): number {
  spacePattern.lastIndex = offset;
  return offset + (spacePattern.exec(text)?.[0].length ?? 0);
}

function tokenAt(text: string, offset: number): { readonly token: Token; readonly length: number } {
  if (offset >= text.length) return { token: "end of file", length: 0 };
  tokenPattern.lastIndex = offset;
  const match = tokenPattern.exec(text);
  if (!match) return { token: "unknown", length: 0 };
  const length = match[0].length;
  if (match.groups?.["string"] !== undefined) return { token: "string", length };
  if (match.groups?.["scalar"] !== undefined) return { token: "scalar", length };
  const mark = marks.find((known) => known === match[0]);
  return { token: mark ?? "unknown", length };
}

const marks = ["{", "}", "[", "]", ":", ","] as const;

/** What may follow, or null when `token` is not what was wanted. Keeps `open` up to date. */
function advance(step: {
  readonly wanted: Wanted;
  readonly token: Token;
  readonly open: ("{" | "[")[];
}): Wanted | null {
  const { wanted, token, open } = step;
  const closed = (): Wanted => {
    open.pop();
    return open.length === 0 ? "end" : "comma or close";
  };
  switch (wanted) {
    case "value or ]":
    case "value":
      if (token === "]" && wanted === "value or ]") return closed();
      if (token === "string" || token === "scalar") {
        return open.length === 0 ? "end" : "comma or close";
      }
      if (token !== "{" && token !== "[") return null;
      open.push(token);
      return token === "{" ? "name or }" : "value or ]";
    case "name or }":
      if (token === "}") return closed();
      return token === "string" ? "colon" : null;
    case "name":
      return token === "string" ? "colon" : null;
    case "colon":
      return token === ":" ? "value" : null;
    case "comma or close": {
      const inObject = open.at(-1) === "{";
      if (token === ",") return inObject ? "name" : "value";
      return token === (inObject ? "}" : "]") ? closed() : null;
    }
    case "end":
      return token === "end of file" ? "end" : null;
  }
}

function reasonFor(place: {
  readonly text: string;
  readonly offset: number;
  readonly wanted: Wanted;
  readonly token: Token;
}): string {
  const { text, offset, wanted, token } = place;
  if (token === "end of file")
    return text.trim() === "" ? "the file is empty" : "the file ends early";
  if (/^(?:\/[/*]|#)/.test(text.slice(offset, offset + 2))) return "comments are not allowed";
  if (token === "}" && wanted === "name") return "a comma stands before }";
  if (token === "]" && wanted === "value") return "a comma stands before ]";
  if (text[offset] === '"' && token === "unknown")
    return "this text is not closed on its line, or holds a wrong escape";
  switch (wanted) {
    case "name":
    case "name or }":
      return "a name in double quotes is expected";
    case "colon":
      return "a colon is expected";
    case "comma or close":
      return "a comma or a closing bracket is expected";
    case "end":
      return "something follows the end of the value";
    case "value":
    case "value or ]":
      return "a value is expected";
  }
}
