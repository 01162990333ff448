/** Name of an element or property: its namespace, "" for none, and its local name. */
export interface QName {
  readonly namespace: string;
  readonly name: string;
}

/** One element of a request. Prefixes are gone: only namespaces tell names apart. */
export interface XmlElement extends QName {
  /** By local name, and by `{namespace}name` where a prefix was written; declarations of namespaces are left out. */
  readonly attributes: ReadonlyMap<string, string>;
  /** In order, white space as it was written; no two texts follow each other. */
  readonly children: readonly (XmlElement | string)[];
}

/** Source: RFC 4918 21. */
export const davNamespace = "DAV:";
/** Source: RFC 4791 7. */
export const caldavNamespace = "urn:ietf:params:xml:ns:caldav";
/** Of getctag and other extensions that most programs know. */
export const serverNamespace = "http://calendarserver.org/ns/";
/** Of the colour and the order of calendars. */
export const appleNamespace = "http://apple.com/ns/ical/";
export const dayferryNamespace = "urn:dayferry";

export const dav = (name: string): QName => ({ namespace: davNamespace, name });
export const caldav = (name: string): QName => ({ namespace: caldavNamespace, name });
export const server = (name: string): QName => ({ namespace: serverNamespace, name });
export const apple = (name: string): QName => ({ namespace: appleNamespace, name });

/** One text for a name, as keys of maps: `{namespace}name`. */
export const keyOf = ({ namespace, name }: QName): string => `{${namespace}}${name}`;

export const sameName = (a: QName, b: QName): boolean =>
  a.name === b.name && a.namespace === b.namespace;
