import type { XmlElement } from "./xml-names.ts";

/** Limits of a document. The full parser explains violations. */
interface Limits {
  readonly deepest: number;
  readonly mostElements: number;
  /** Per element. */
  readonly mostAttributes: number;
}

/** Non-ASCII text, references, comments, CDATA and document types, and the end of a CDATA section. */
const special = /[^\t\n\r\x20-\x7e]|&|<!|\]\]>/;
const declaration =
  /^<\?xml\s+version\s*=\s*(?:"1\.0"|'1\.0')(?:\s+encoding\s*=\s*(?:"[Uu][Tt][Ff]-8"|'[Uu][Tt][Ff]-8'))?\s*\?>/;
const head = /<([A-Za-z_][\w.-]*)(?::([A-Za-z_][\w.-]*))?/y;
const attribute =
  /\s+([A-Za-z_][\w.-]*)(?::([A-Za-z_][\w.-]*))?\s*=\s*(?:"([^"<\t\n]*)"|'([^'<\t\n]*)')/y;
const headEnd = /\s*(\/?)>/y;
const tailEnd = /\s*>/y;
/** Reserved prefixes and namespaces. */
const reserved = /^(?:xml|http:\/\/www\.w3\.org\/(?:XML\/1998\/namespace|2000\/xmlns\/))/i;

/** Elements that take a fraction of a millisecond. */
const elementsPerStep = 256;

/** By prefix, "" for none. */
type Namespaces = ReadonlyMap<string, string>;

/** An element that has not ended yet. */
interface Open {
  readonly children: (XmlElement | string)[];
  /** Its name with its prefix. */
  readonly written: string;
  readonly namespaces: Namespaces;
}

const noNamespaces: Namespaces = new Map([["", ""]]);
const noAttributes: ReadonlyMap<string, string> = new Map();

/**
 * Parses the simple XML of almost all requests: elements, attributes without prefixes, namespaces and text, all in ASCII. Null
 * for anything else or any error, which is left to the full parser; that takes many times as long and gives the same result for
 * this subset.
 */
export function* readPlainXml(
  text: string,
  limits: Limits,
): Generator<undefined, XmlElement | null, undefined> {
  if (special.test(text)) return null;
  // Source: XML 1.0 2.11.
  const source = text.includes("\r") ? text.replaceAll(/\r\n?/g, "\n") : text;
  const stack: Open[] = [];
  let root: XmlElement | null = null;
  let count = 0;
  for (let at = declaration.exec(source)?.[0].length ?? 0; ; ) {
    const outer = stack.at(-1);
    const tag = source.indexOf("<", at);
    const between = source.slice(at, tag < 0 ? undefined : tag);
    if (!outer && between.trim() !== "") return null;
    if (tag < 0) return outer ? null : root;
    if (between !== "") outer?.children.push(between);
    if (source.startsWith("</", tag)) {
      const end = outer ? endOfTail(source, { tag, written: outer.written }) : null;
      if (end === null) return null;
      stack.pop();
      at = end;
      continue;
    }
    if (++count > limits.mostElements || stack.length >= limits.deepest) return null;
    if (count % elementsPerStep === 0) yield;
    const begun = readHead(source, { tag, namespaces: outer?.namespaces ?? noNamespaces, limits });
    if (!begun || (root && !outer)) return null;
    if (outer) outer.children.push(begun.element);
    else root = begun.element;
    if (!begun.isEmpty) stack.push(begun);
    at = begun.end;
  }
}

const closing = ">".charCodeAt(0);

/** End of an element's closing tag; null if it belongs to another. */
function endOfTail(
  source: string,
  { tag, written }: { readonly tag: number; readonly written: string },
): number | null {
  const after = tag + 2 + written.length;
  if (!source.startsWith(written, tag + 2)) return null;
  if (source.charCodeAt(after) === closing) return after + 1;
  tailEnd.lastIndex = after;
  return tailEnd.test(source) ? tailEnd.lastIndex : null;
}

interface Begun extends Open {
  readonly element: XmlElement;
  readonly isEmpty: boolean;
  readonly end: number;
}

function readHead(
  source: string,
  within: { readonly tag: number; readonly namespaces: Namespaces; readonly limits: Limits },
): Begun | null {
  head.lastIndex = within.tag;
  const [found = "", first = "", second] = head.exec(source) ?? [];
  if (found === "") return null;
  const named = readAttributes(source, { ...within, at: head.lastIndex });
  if (!named) return null;
  headEnd.lastIndex = named.end;
  const ending = headEnd.exec(source);
  const namespace = named.namespaces.get(second === undefined ? "" : first);
  if (!ending || namespace === undefined) return null;
  const children: (XmlElement | string)[] = [];
  const element = { namespace, name: second ?? first, attributes: named.attributes, children };
  const isEmpty = ending[1] === "/";
  const { namespaces } = named;
  return {
    element,
    children,
    written: found.slice(1),
    namespaces,
    isEmpty,
    end: headEnd.lastIndex,
  };
}

interface Attributes {
  readonly attributes: ReadonlyMap<string, string>;
  /** Those in effect from this element on. */
  readonly namespaces: Namespaces;
  readonly end: number;
}

function readAttributes(
  source: string,
  within: { readonly at: number; readonly namespaces: Namespaces; readonly limits: Limits },
): Attributes | null {
  const { at, limits } = within;
  let end = at;
  if (source.charCodeAt(at) === closing) {
    return { attributes: noAttributes, namespaces: within.namespaces, end };
  }
  const attributes = new Map<string, string>();
  const bound = new Map<string, string>();
  for (;;) {
    attribute.lastIndex = end;
    const found = attribute.exec(source);
    if (!found) break;
    end = attribute.lastIndex;
    const [, first = "", second, double, single] = found;
    const value = double ?? single ?? "";
    if (first === "xmlns") {
      const prefix = second ?? "";
      if (bound.has(prefix) || !mayBind(prefix, value)) return null;
      bound.set(prefix, value);
    } else if (second !== undefined || attributes.has(first)) return null;
    else attributes.set(first, value);
    if (attributes.size + bound.size > limits.mostAttributes) return null;
  }
  const namespaces = bound.size > 0 ? new Map([...within.namespaces, ...bound]) : within.namespaces;
  return { attributes, namespaces, end };
}

/** Source: Namespaces in XML 1.0, 3 and 5. */
const mayBind = (prefix: string, uri: string): boolean =>
  !reserved.test(prefix) &&
  !reserved.test(uri) &&
  uri === uri.trim() &&
  (prefix === "" || uri !== "");
