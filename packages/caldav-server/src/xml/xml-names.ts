/** Name of an element or property: its namespace, "" for none, and its local name. */
export interface QName {
  readonly namespace: string;
  readonly name: string;
}

/** One element of a request. Prefixes are resolved to namespaces. */
export interface XmlElement extends QName {
  /** By local name, and by `{namespace}name` if prefixed; without namespace declarations. */
  readonly attributes: ReadonlyMap<string, string>;
  /** In order, with unchanged white space; no two texts are adjacent. */
  readonly children: readonly (XmlElement | string)[];
}

/** Source: RFC 4918 21. */
export const davNamespace = "DAV:";
/** Source: RFC 4791 7. */
export const caldavNamespace = "urn:ietf:params:xml:ns:caldav";
/** For getctag and other widely known extensions. */
export const serverNamespace = "http://calendarserver.org/ns/";
/** For the colour and the order of calendars. */
export const appleNamespace = "http://apple.com/ns/ical/";
export const dayferryNamespace = "urn:dayferry";
/** Source: draft-bitfire-webdav-push. */
export const pushNamespace = "https://bitfire.at/webdav-push";

export const dav = (name: string): QName => ({ namespace: davNamespace, name });
export const caldav = (name: string): QName => ({ namespace: caldavNamespace, name });
export const server = (name: string): QName => ({ namespace: serverNamespace, name });
export const apple = (name: string): QName => ({ namespace: appleNamespace, name });
export const push = (name: string): QName => ({ namespace: pushNamespace, name });

/** A name as a map key: `{namespace}name`. */
export const keyOf = ({ namespace, name }: QName): string => `{${namespace}}${name}`;

export const sameName = (a: QName, b: QName): boolean =>
  a.name === b.name && a.namespace === b.namespace;
