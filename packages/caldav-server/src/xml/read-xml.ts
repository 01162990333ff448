import { atOnce } from "@dayferry/event-loop";
import { fail, ok, type Result } from "@dayferry/ical";
import { type SaxesAttributeNS, SaxesParser, type SaxesTagNS } from "saxes";
import { readPlainXml } from "./plain-xml.ts";
import { davNamespace, type QName, type XmlElement } from "./xml-names.ts";

/** Why a body cannot be parsed; `line` is 1-based, null if unknown. `reason` is for people. */
export interface XmlFault {
  readonly line: number | null;
  readonly reason: string;
}

/** Largest body, in bytes. */
export const largestXml = 1_048_576;
const deepest = 32;
const mostElements = 10_000;
const mostAttributes = 64;

/**
 * Parses a request's XML; null for an empty body. UTF-8 only, with or without a byte order mark. Refuses XML that is not
 * well-formed (with namespaces), document types, processing instructions, entities other than XML's five, and documents larger,
 * deeper or longer than any calendar program sends. Source: RFC 4918 8.2, 17, 20.6 (external entities).
 */
export function readXml(body: Uint8Array): XmlReading {
  return atOnce(readXmlInSteps(body));
}

/** The same in steps of a millisecond or two, so that others run meanwhile. */
export function* readXmlInSteps(body: Uint8Array): Generator<undefined, XmlReading, undefined> {
  if (body.length > largestXml) {
    return refuse(`the body has ${body.length} bytes, more than the ${largestXml} allowed`);
  }
  if (looksLikeUtf16(body)) return refuse("the body is UTF-16, but must be UTF-8");
  const text = decode(body);
  if (text === null) return refuse("the body is not UTF-8 text");
  if (text.trim() === "") return ok(null);
  const plain = yield* readPlainXml(text, { deepest, mostElements, mostAttributes });
  return plain ? ok(plain) : yield* readText(text);
}

/** The XML of a request, null if it has none. */
export type XmlReading = Result<XmlElement | null, XmlFault>;

/** A body that may be XML. */
interface XmlBody {
  readonly body: Uint8Array;
  /** The parsed XML, if done already, as for a long one. */
  readonly document?: XmlReading;
}

/** The XML of a request. Fails like `readXml`. */
export const documentOf = ({ body, document }: XmlBody): XmlReading => document ?? readXml(body);

/** Characters parsed per step. */
const stepLength = 8192;

const refuse = (reason: string): Result<never, XmlFault> => fail({ line: null, reason });

/** A byte order mark of UTF-16, or a "<" of two bytes. */
function looksLikeUtf16(body: Uint8Array): boolean {
  const [first, second] = body;
  if (first === 0 || second === 0) return true;
  return (first === 0xfe && second === 0xff) || (first === 0xff && second === 0xfe);
}

function decode(body: Uint8Array): string | null {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(body);
  } catch {
    return null;
  }
}

/** Stops the parser at the first error; otherwise it would continue to the end of the text. */
class XmlRefusal extends Error {
  override readonly name = "XmlRefusal";
}

interface Open extends XmlElement {
  readonly attributes: Map<string, string>;
  readonly children: (XmlElement | string)[];
}

interface Tree {
  readonly open: Open[];
  root: XmlElement | null;
  elements: number;
  attributes: number;
}

function* readText(text: string): Generator<undefined, Result<XmlElement, XmlFault>, undefined> {
  const parser = new SaxesParser({ xmlns: true, defaultXMLVersion: "1.0", forceXMLVersion: true });
  const tree: Tree = { open: [], root: null, elements: 0, attributes: 0 };
  parser.on("error", (error) => {
    throw new XmlRefusal(error.message.replace(/^[\d:]+ /, "").replace(/\.$/, ""));
  });
  parser.on("xmldecl", ({ encoding }) => checkEncoding(encoding));
  parser.on("doctype", () => {
    throw new XmlRefusal("a document type is not allowed");
  });
  parser.on("processinginstruction", ({ target }) => {
    throw new XmlRefusal(`the processing instruction ${target} is not allowed`);
  });
  parser.on("opentagstart", () => {
    tree.attributes = 0;
  });
  parser.on("attribute", () => {
    if (++tree.attributes > mostAttributes) {
      throw new XmlRefusal(`an element has more than ${mostAttributes} attributes`);
    }
  });
  parser.on("opentag", (tag) => begin(tree, tag));
  parser.on("closetag", () => end(tree));
  parser.on("text", (value) => addText(tree, value));
  parser.on("cdata", (value) => addText(tree, value));
  try {
    for (let from = 0; from < text.length; from += stepLength) {
      parser.write(text.slice(from, from + stepLength));
      yield;
    }
    parser.close();
  } catch (error) {
    if (error instanceof XmlRefusal) return fail({ line: parser.line, reason: error.message });
    throw error;
  }
  return tree.root ? ok(tree.root) : refuse("the body has no element");
}

function checkEncoding(encoding: string | undefined): void {
  if (encoding === undefined || /^(?:utf-?8|us-ascii)$/i.test(encoding)) return;
  throw new XmlRefusal(`the encoding ${encoding} is not supported; use UTF-8`);
}

function begin(tree: Tree, tag: SaxesTagNS): void {
  if (tree.open.length >= deepest) {
    throw new XmlRefusal(`elements are nested more than ${deepest} deep`);
  }
  if (++tree.elements > mostElements) {
    throw new XmlRefusal(`there are more than ${mostElements} elements`);
  }
  const attributes = new Map<string, string>();
  for (const attribute of Object.values(tag.attributes)) addAttribute(attributes, attribute);
  const element: Open = { namespace: tag.uri, name: tag.local, attributes, children: [] };
  tree.open.at(-1)?.children.push(element);
  tree.open.push(element);
}

function addAttribute(attributes: Map<string, string>, attribute: SaxesAttributeNS): void {
  const { prefix, local, uri, value } = attribute;
  if (prefix === "xmlns" || (prefix === "" && local === "xmlns")) return;
  attributes.set(prefix === "" ? local : `{${uri}}${local}`, value);
}

function end(tree: Tree): void {
  const closed = tree.open.pop();
  if (tree.open.length === 0) tree.root = closed ?? null;
}

function addText(tree: Tree, value: string): void {
  const children = tree.open.at(-1)?.children;
  if (!children || value === "") return;
  const last = children.at(-1);
  if (typeof last === "string") children[children.length - 1] = last + value;
  else children.push(value);
}

/** The child elements. */
export function childrenOf(element: XmlElement): readonly XmlElement[] {
  return element.children.filter((child) => typeof child !== "string");
}

/** The children with one name, by default in the DAV namespace. */
export function childrenNamed(element: XmlElement, name: string | QName): readonly XmlElement[] {
  return childrenOf(element).filter((child) => isNamed(child, name));
}

/** The first child with this name; null if there is none. */
export function childOf(element: XmlElement, name: string | QName): XmlElement | null {
  for (const child of element.children) {
    if (typeof child !== "string" && isNamed(child, name)) return child;
  }
  return null;
}

/** True if the element has this name, by default in the DAV namespace. */
export function isNamed(element: QName, name: string | QName): boolean {
  return typeof name === "string"
    ? element.name === name && element.namespace === davNamespace
    : element.name === name.name && element.namespace === name.namespace;
}

/** All text inside, trimmed. */
export const xmlTextOf = (element: XmlElement): string => wholeText(element).trim();

/** All text inside, unchanged. */
export function wholeText(element: XmlElement): string {
  const [only] = element.children;
  if (element.children.length === 1 && typeof only === "string") return only;
  return element.children
    .map((child) => (typeof child === "string" ? child : wholeText(child)))
    .join("");
}
