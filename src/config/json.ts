import {
  findNodeAtLocation,
  getNodeValue,
  type Node,
  type ParseError,
  parseTree,
  printParseErrorCode,
} from "jsonc-parser";
import { fail, ok, type Result } from "../domain/result.ts";

/** A position in a text; line and column count from 1. */
export interface TextPlace {
  readonly line: number;
  readonly column: number;
}

/** Where and why a text is no JSON. Never quotes the text, which may contain secrets. */
export interface JsonFault extends TextPlace {
  readonly reason: string;
}

/** A parsed text with positions. */
export interface JsonText {
  readonly value: unknown;
  /** The position of a key's value, or of the nearest enclosing object. */
  readonly placeOf: (path: readonly PropertyKey[]) => TextPlace | null;
}

/**
 * Parses JSON with comments, trailing commas and a byte order mark. Fails with the first error and its position. A duplicate
 * key is an error, as only the last one would count.
 */
export function parseConfigJson(text: string): Result<JsonText, JsonFault> {
  const clean = text.startsWith("\uFEFF") ? text.slice(1) : text;
  const errors: ParseError[] = [];
  const tree = parseTree(clean, errors, { allowTrailingComma: true });
  const [first] = errors;
  if (!tree || first) {
    const offset = first?.offset ?? 0;
    return fail({ ...placeIn(clean, offset), reason: reasonFor(clean, first) });
  }
  const twice = keyTwice(tree);
  if (twice) {
    const reason = `the key ${JSON.stringify(twice.value)} occurs twice in one object`;
    return fail({ ...placeIn(clean, twice.offset), reason });
  }
  const value: unknown = getNodeValue(tree);
  return ok({
    value,
    placeOf(path) {
      const steps = path.map((step) => (typeof step === "number" ? step : String(step)));
      const node = findNodeAtLocation(tree, steps);
      return node ? placeIn(clean, node.offset) : null;
    },
  });
}

function placeIn(text: string, offset: number): TextPlace {
  const before = text.slice(0, offset).split("\n");
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}

/** The second of two equal keys of one object. */
function keyTwice(node: Node): Node | null {
  const children = node.children ?? [];
  const names =
    node.type === "object" ? children.flatMap(({ children: [name] = [] }) => name ?? []) : [];
  const second = names.find((name, index) =>
    names.slice(0, index).some((earlier) => earlier.value === name.value),
  );
  if (second) return second;
  for (const child of children) {
    const found = keyTwice(child);
    if (found) return found;
  }
  return null;
}

function reasonFor(text: string, error: ParseError | undefined): string {
  if (text.trim() === "") return "the file is empty";
  if (!error) return "it cannot be parsed";
  if (error.offset >= text.trimEnd().length) return "the file ends early";
  return reasons.get(printParseErrorCode(error.error)) ?? "it cannot be parsed";
}

/** The library's error names, in words. */
const reasons: ReadonlyMap<string, string> = new Map([
  ["InvalidSymbol", "expected a value or a name in double quotes"],
  ["InvalidNumberFormat", "this is not a number"],
  ["PropertyNameExpected", "expected a name in double quotes"],
  ["ValueExpected", "a value is expected"],
  ["ColonExpected", "a colon is expected"],
  ["CommaExpected", "expected a comma or a closing bracket"],
  ["CloseBraceExpected", "a closing } is expected"],
  ["CloseBracketExpected", "a closing ] is expected"],
  ["EndOfFileExpected", "there is something after the end of the value"],
  ["UnexpectedEndOfComment", "this comment is not closed"],
  ["UnexpectedEndOfString", "this text is not closed on its line"],
  ["UnexpectedEndOfNumber", "this is not a number"],
  ["InvalidUnicode", "this text has an invalid escape"],
  ["InvalidEscapeCharacter", "this text has an invalid escape; write a backslash as \\\\"],
  ["InvalidCharacter", "this text has a control character"],
]);
