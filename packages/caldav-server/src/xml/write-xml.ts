import { STATUS_CODES } from "node:http";
import {
  appleNamespace,
  caldavNamespace,
  davNamespace,
  dayferryNamespace,
  type QName,
  serverNamespace,
  type XmlElement,
} from "./xml-names.ts";

/** Prefixes declared on the root of every answer. */
const prefixes: ReadonlyMap<string, string> = new Map([
  [davNamespace, "d"],
  [caldavNamespace, "c"],
  [serverNamespace, "cs"],
  [appleNamespace, "ical"],
  [dayferryNamespace, "df"],
]);

const bindings = [...prefixes].map(([uri, prefix]) => ` xmlns:${prefix}="${uri}"`).join("");
const xmlNamespace = "http://www.w3.org/XML/1998/namespace";

/** A whole XML document. Its root has a declared prefix, as `d:multistatus`. */
export function xmlDocument(root: string, inner: string): string {
  const { open, close } = documentAround(root);
  return open + inner + close;
}

/** The text before and after the content of a document. */
const documentAround = (root: string): { readonly open: string; readonly close: string } => ({
  open: `<?xml version="1.0" encoding="utf-8"?>\n<${root}${bindings}>`,
  close: `</${root}>\n`,
});

/** An element with XML content; self-closing if empty. The name has a declared prefix. */
export const element = (name: string, inner: string): string =>
  inner === "" ? `<${name}/>` : `<${name}>${inner}</${name}>`;

/** An element with text. */
export const textElement = (name: string, text: string): string => element(name, escapeXml(text));

/** An element with a URL that is already percent-encoded. */
export const hrefElement = (path: string): string => `<d:href>${escapeXml(path)}</d:href>`;

/** The tags of an element, in a document of `xmlDocument`. */
export interface Tag {
  readonly open: string;
  readonly close: string;
  /** Both in one. */
  readonly empty: string;
}

/** The tags of an element in any namespace: with a declared prefix, or declaring its own. */
export function tagOf({ namespace, name }: QName): Tag {
  const prefix = prefixes.get(namespace);
  if (prefix !== undefined || namespace === "") {
    const tag = prefix === undefined ? name : `${prefix}:${name}`;
    return { open: `<${tag}>`, close: `</${tag}>`, empty: `<${tag}/>` };
  }
  const head = `x:${name} xmlns:x="${escapeXml(namespace)}"`;
  return { open: `<${head}>`, close: `</x:${name}>`, empty: `<${head}/>` };
}

/** An element in any namespace with XML content. */
export const namedElement = (name: QName, inner: string): string => elementOf(tagOf(name), inner);

/** The same for many elements with one name. */
export const elementOf = ({ open, close, empty }: Tag, inner: string): string =>
  inner === "" ? empty : open + inner + close;

/** The same with a language. Source: RFC 4918 4.3 (xml:lang). */
export function languageElement(
  { name, language }: { readonly name: QName; readonly language: string },
  inner: string,
): string {
  const { open, close } = tagOf(name);
  return `${open.slice(0, -1)} xml:lang="${escapeXml(language)}">${inner}${close}`;
}

/** The status line in a multistatus. */
const statusElement = (status: number): string =>
  `<d:status>HTTP/1.1 ${status} ${STATUS_CODES[status] ?? "Unknown"}</d:status>`;

/** Markup, characters forbidden in XML 1.0, and a CR without LF. */
const special = /[&<>"\p{Cs}\ufffe\uffff[\p{Cc}--[\t\n\r\u{7f}-\u{9f}]]]|\r(?!\n)/v;
const everySpecial = new RegExp(special, "gv");
const entities: ReadonlyMap<string, string> = new Map([
  ["&", "&amp;"],
  ["<", "&lt;"],
  [">", "&gt;"],
  ['"', "&quot;"],
  ["\r", "&#13;"],
]);

/**
 * Escapes a text for an element or for quotes. Characters forbidden in XML 1.0 are removed. CRLF stays, which every XML parser
 * reads as LF, because programs that do not decode numeric references could not read calendars otherwise. A lone CR, which
 * would become an LF, is the only character written as a reference. Source: XML 1.0 2.2, 2.11.
 */
export const escapeXml = (text: string): string =>
  special.test(text) ? text.replace(everySpecial, (found) => entities.get(found) ?? "") : text;

const characters: ReadonlyMap<string, string> = new Map(
  [...entities].map(([character, entity]) => [entity, character]),
);

/** The text given to `escapeXml`, as far as it was preserved. */
export const unescapeText = (xml: string): string =>
  xml.replace(/&[^;]*;/g, (entity) => characters.get(entity) ?? entity);

/**
 * The content of an element as XML that is independent of its context: each element declares its own namespace. Prefixes are
 * not kept, and line breaks in attributes become spaces, as for every XML parser.
 */
export function rawInner(of: XmlElement): string {
  return of.children.map((child) => writeChild(child, null)).join("");
}

function writeChild(child: XmlElement | string, inherited: string | null): string {
  // Values set by a program are returned unchanged, including a CR written as a reference.
  if (typeof child === "string") return escapeXml(child).replaceAll("\r\n", "&#13;\n");
  const { namespace, name, attributes, children } = child;
  const binding = namespace === inherited ? "" : ` xmlns="${escapeXml(namespace)}"`;
  const head = `${name}${binding}${[...attributes].map(writeAttribute).join("")}`;
  const inner = children.map((each) => writeChild(each, namespace)).join("");
  return inner === "" ? `<${head}/>` : `<${head}>${inner}</${name}>`;
}

function writeAttribute([key, value]: readonly [string, string], at: number): string {
  const written = `"${escapeXml(value.replace(/[\n\r\t]/g, " "))}"`;
  const [, namespace, name] = /^\{(.*)\}([^}]*)$/s.exec(key) ?? [];
  if (namespace === undefined) return ` ${key}=${written}`;
  if (namespace === xmlNamespace) return ` xml:${name}=${written}`;
  return ` xmlns:a${at}="${escapeXml(namespace)}" a${at}:${name}=${written}`;
}

/** Properties of one response with the same status. */
export interface Propstat {
  readonly status: number;
  /** The properties' elements, as XML. */
  readonly props: string;
  /** Content of DAV:error as XML: a precondition; "" if none. */
  readonly error?: string;
}

export interface Multistatus {
  /** Written by `response` and `statusResponse`. */
  readonly responses: Iterable<string>;
  /** For sync-collection. */
  readonly syncToken?: string;
}

/** The body of a 207, one piece per response; an empty one stays an empty piece. Source: RFC 4918 14.16, RFC 6578 6.4. */
export function* multistatus({ responses, syncToken }: Multistatus): Generator<string> {
  const { open, close } = documentAround("d:multistatus");
  yield open;
  let before = "";
  for (const written of responses) {
    yield written === "" ? "" : before + written;
    if (written !== "") before = "\n";
  }
  if (syncToken !== undefined) yield `<d:sync-token>${escapeXml(syncToken)}</d:sync-token>`;
  yield close;
}

/**
 * One resource and its properties. The path is percent-encoded. Without a propstat, an empty one with 200 is written, as a
 * response must have one. Source: RFC 4918 14.24, 14.22.
 */
export function response(path: string, propstats: readonly Propstat[]): string {
  const written = propstats.length === 0 ? okPropstat("") : propstats.map(writePropstat).join("");
  return `<d:response>${hrefElement(path)}${written}</d:response>`;
}

/** One resource and its overall status; `error`: content of DAV:error as XML. Source: RFC 4918 14.24. */
export function statusResponse(
  path: string,
  { status, error = "" }: { readonly status: number; readonly error?: string },
): string {
  return `<d:response>${hrefElement(path)}${statusElement(status)}${errorElement(error)}</d:response>`;
}

const okStatus = statusElement(200);

/** The usual propstat, as a fast path. */
const okPropstat = (props: string): string =>
  `<d:propstat>${propElement(props)}${okStatus}</d:propstat>`;

const propElement = (props: string): string =>
  props === "" ? "<d:prop/>" : `<d:prop>${props}</d:prop>`;

function writePropstat({ status, props, error = "" }: Propstat): string {
  if (status === 200 && error === "") return okPropstat(props);
  return `<d:propstat>${propElement(props)}${statusElement(status)}${errorElement(error)}</d:propstat>`;
}

const errorElement = (inner: string): string => (inner === "" ? "" : `<d:error>${inner}</d:error>`);
