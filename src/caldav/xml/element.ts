import { davNamespace, type QName } from "./names.ts";

/** One element of a request. Prefixes are gone: only namespaces tell names apart. */
export interface XmlElement extends QName {
  /** By local name, and by `{namespace}name` where a prefix was written; declarations of namespaces are left out. */
  readonly attributes: ReadonlyMap<string, string>;
  /** In order, white space as it was written; no two texts follow each other. */
  readonly children: readonly (XmlElement | string)[];
}

/** The elements among the children. */
export function childrenOf(element: XmlElement): readonly XmlElement[] {
  return element.children.filter((child) => typeof child !== "string");
}

/** The children of one name. The namespace is DAV's unless another is given. */
export function childrenNamed(element: XmlElement, name: string | QName): readonly XmlElement[] {
  return childrenOf(element).filter((child) => isNamed(child, name));
}

/** The first child of this name; null when there is none. */
export function childOf(element: XmlElement, name: string | QName): XmlElement | null {
  for (const child of element.children) {
    if (typeof child !== "string" && isNamed(child, name)) return child;
  }
  return null;
}

/** Whether the element has this name; a name alone is one of DAV's. */
export function isNamed(element: QName, name: string | QName): boolean {
  return typeof name === "string"
    ? element.name === name && element.namespace === davNamespace
    : element.name === name.name && element.namespace === name.namespace;
}

/** All text inside, without white space around it. */
export const textOf = (element: XmlElement): string => wholeText(element).trim();

/** All text inside as it was written. */
export function wholeText(element: XmlElement): string {
  const [only] = element.children;
  if (element.children.length === 1 && typeof only === "string") return only;
  return element.children
    .map((child) => (typeof child === "string" ? child : wholeText(child)))
    .join("");
}
