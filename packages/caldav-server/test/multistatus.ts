import {
  childOf,
  childrenNamed,
  childrenOf,
  readXml,
  wholeText,
  xmlTextOf,
} from "../src/xml/read-xml.ts";
import { keyOf, type XmlElement } from "../src/xml/xml-names.ts";

/** The root of a body that must be XML. */
export function rootOf(text: string): XmlElement {
  const result = readXml(Buffer.from(text));
  if (!result.ok || !result.value) throw new Error(`no XML: ${JSON.stringify(result)}: ${text}`);
  return result.value;
}

export interface ReadResponse {
  readonly href: string;
  /** The status of the whole resource; null if its propstats have one each. */
  readonly status: number | null;
  /** Texts of the properties that have 200, by `{namespace}name`. */
  readonly props: Readonly<Record<string, string>>;
  /** Names of the properties with any other status. */
  readonly absent: Readonly<Record<number, readonly string[]>>;
  /** Names in DAV:error. */
  readonly errors: readonly string[];
}

/** A 207 response as a program reads it. */
export function readMultistatus(text: string): {
  readonly responses: readonly ReadResponse[];
  readonly token: string | null;
} {
  const root = rootOf(text);
  if (root.name !== "multistatus") throw new Error(`a ${root.name} was answered: ${text}`);
  const token = childOf(root, "sync-token");
  return {
    responses: childrenNamed(root, "response").map(readResponse),
    token: token && xmlTextOf(token),
  };
}

/** Names inside DAV:error of a refusal, without the sentence for people. */
export function preconditionsOf(text: string): readonly string[] {
  const root = rootOf(text);
  if (root.name !== "error") throw new Error(`a ${root.name} was answered: ${text}`);
  return childrenOf(root)
    .filter(({ namespace }) => namespace !== "urn:dayferry")
    .map(({ name }) => name);
}

function readResponse(response: XmlElement): ReadResponse {
  const href = childOf(response, "href");
  const error = childOf(response, "error");
  const propstats = childrenNamed(response, "propstat").map((propstat) => {
    const prop = childOf(propstat, "prop");
    return { status: statusOf(propstat) ?? 0, found: prop ? childrenOf(prop) : [] };
  });
  const present = propstats.filter(({ status }) => status === 200).flatMap(({ found }) => found);
  const others = propstats.filter(({ status }) => status !== 200);
  return {
    href: href ? xmlTextOf(href) : "",
    status: statusOf(response),
    props: Object.fromEntries(present.map((prop) => [keyOf(prop), wholeText(prop)])),
    absent: Object.fromEntries(
      others.map(({ status, found }) => [status, found.map(({ name }) => name)]),
    ),
    errors: error ? childrenOf(error).map(({ name }) => name) : [],
  };
}

function statusOf(element: XmlElement): number | null {
  const status = childOf(element, "status");
  return status && Number(/^HTTP\/1\.1 (\d{3}) /.exec(xmlTextOf(status))?.[1]);
}
