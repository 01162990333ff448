/** What the layers are checked against: a module's imports and the words that only some modules may use. */
export interface SourceFacts {
  readonly imports: readonly { readonly specifier: string; readonly line: number }[];
  /** Casts other than `as const`, calls of clocks and of randomness, and reads of the environment. */
  readonly words: readonly { readonly word: string; readonly line: number }[];
  /** A dynamic import whose name is not a plain string, so nobody can say what it loads. */
  readonly blindImports: readonly number[];
}

/** Reads a TypeScript module without running it: static, type-only, re-exporting and dynamic imports alike. */
export function readSource(text: string): SourceFacts {
  const { code, strings } = mask(text);
  const lineOf = (offset: number): number => code.slice(0, offset).split("\n").length;
  const imports: { readonly specifier: string; readonly line: number }[] = [];
  const blindImports: number[] = [];
  const chances: { readonly word: string; readonly line: number }[] = [];
  for (const match of code.matchAll(importPattern)) {
    const specifier = strings.get(match.index + match[0].length - 1);
    if (specifier !== undefined) imports.push({ specifier, line: lineOf(match.index) });
    if (specifier === "node:crypto" && /\b(?:random|getRandom|webcrypto)/.test(match[0])) {
      chances.push({ word: "chance of node:crypto", line: lineOf(match.index) });
    }
  }
  for (const match of code.matchAll(/(?<![.\w$])(?:import|require)\s*\(\s*(.)/gsu)) {
    const specifier = strings.get(match.index + match[0].length - 1);
    if (specifier !== undefined) imports.push({ specifier, line: lineOf(match.index) });
    else blindImports.push(lineOf(match.index));
  }
  const body = code.replace(importClause, (clause) => clause.replace(/[^\n]/g, " "));
  const words = wordPatterns.flatMap(({ word, pattern }) =>
    [...body.matchAll(pattern)].map(({ index }) => ({ word, line: lineOf(index) })),
  );
  return { imports, words: [...words, ...chances], blindImports };
}

/** `import "x"`, `import … from "x"`, `export … from "x"`: ends at the quote, which the mask leaves in place. */
const importPattern =
  /(?<![.\w$])(?:import\s*|(?:import|export)(?:\s+type)?\s*(?:[\w$*{][\w$*{},\s]*?\}?)\s*from\s*)"/gu;

/** The text between import or export and its name: its `as` renames and casts nothing. */
const importClause =
  /(?<![.\w$])(?:import|export)(?:\s+type)?\s*(?:[\w$]+\s*,\s*)?(?:\{[^}]*\}|\*\s*as\s+[\w$]+)/gu;

const wordPatterns = [
  { word: "as", pattern: /(?<![.\w$#])as\s+(?!const\b)(?=[\w$([{"'`-])/gu },
  { word: "process.env", pattern: /\bprocess\s*(?:\?\.|\.)\s*env\b/gu },
  { word: "Date.now", pattern: /\bDate\s*\.\s*now\b/gu },
  { word: "Temporal.Now", pattern: /\bTemporal\s*\.\s*Now\b/gu },
  { word: "Math.random", pattern: /\bMath\s*\.\s*random\b/gu },
  { word: "new Date(", pattern: /\bnew\s+Date\b/gu },
  { word: "performance", pattern: /(?<![.\w$])performance\s*\./gu },
  { word: "a timer", pattern: /(?<![.\w$])set(?:Timeout|Interval|Immediate)\b/gu },
  { word: "AbortSignal.timeout", pattern: /\bAbortSignal\s*\.\s*timeout\b/gu },
];

interface Masked {
  /** Comments, the insides of strings, templates and regular expressions are blank; every quote is `"`. */
  readonly code: string;
  /** The text of each string by the offset of its opening quote. */
  readonly strings: ReadonlyMap<number, string>;
}

/** Tokens that matter: comments, strings, a template's text, regular expressions after what no value ends with. */
function mask(text: string): Masked {
  const strings = new Map<number, string>();
  let code = "";
  let at = 0;
  /** Braces open in each template expression that the scan is inside of. */
  const templates: number[] = [];
  const blank = (end: number): void => {
    code += text.slice(at, end).replace(/[^\n]/g, " ");
    at = end;
  };
  /** The end of the token that begins here. A slash that begins no pattern is a separate token. */
  const find = (pattern: RegExp): number => {
    pattern.lastIndex = at;
    const found = pattern.exec(text);
    return found ? found.index + found[0].length : at + 1;
  };
  const template = (): void => {
    blank(find(/(?:[^\\`$]|\\.|\$(?!\{))*/suy));
    if (text[at] === "`") blank(at + 1);
    else if (at < text.length) {
      blank(at + 2);
      templates.push(0);
    }
  };
  while (at < text.length) {
    const character = text[at] ?? "";
    const pair = text.slice(at, at + 2);
    const depth = templates.at(-1);
    if (pair === "//" || (at === 0 && pair === "#!")) blank(find(/[^\n]*/uy));
    else if (pair === "/*") blank(find(/.*?\*\//suy));
    else if (character === '"' || character === "'") {
      const end = find(character === '"' ? /"(?:[^"\\]|\\.)*"/suy : /'(?:[^'\\]|\\.)*'/suy);
      strings.set(at, text.slice(at + 1, end - 1));
      code += `"${text.slice(at + 1, end - 1).replace(/[^\n]/g, " ")}"`;
      at = end;
    } else if (character === "`") {
      blank(at + 1);
      template();
    } else if (depth !== undefined && character === "}" && depth === 0) {
      templates.pop();
      blank(at + 1);
      template();
    } else if (character === "/" && !endsValue(code)) {
      blank(find(/\/(?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*/uy));
    } else {
      if (depth !== undefined && character === "{") templates.push((templates.pop() ?? 0) + 1);
      if (depth !== undefined && character === "}") templates.push((templates.pop() ?? 0) - 1);
      code += character;
      at += 1;
    }
  }
  return { code, strings };
}

/** Whether a slash after this is a division. */
function endsValue(code: string): boolean {
  const before = code.slice(-200).trimEnd();
  if (/[\])}"]$/u.test(before)) return true;
  const word = /[\w$]+$/u.exec(before)?.[0];
  return (
    word !== undefined && !/^(?:return|typeof|case|in|of|do|else|await|yield|void)$/u.test(word)
  );
}
