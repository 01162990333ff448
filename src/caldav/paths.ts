import { isId, type PersonId, personId } from "../domain/ids.ts";
import { unreachable } from "../domain/result.ts";

/** What an address means. `calendar` and `object` name what may or may not exist. */
export type DavTarget =
  | { readonly kind: "root" }
  | { readonly kind: "principals" }
  | { readonly kind: "principal"; readonly person: PersonId }
  /** The configuration profile that Apple's programs read. */
  | { readonly kind: "profile"; readonly person: PersonId }
  | { readonly kind: "homes" }
  | { readonly kind: "home"; readonly person: PersonId }
  | { readonly kind: "calendar"; readonly person: PersonId; readonly slug: string }
  | {
      readonly kind: "object";
      readonly person: PersonId;
      readonly slug: string;
      readonly name: string;
    };

/** Addresses as answers name them: absolute paths, percent-encoded, with the prefix of the public address. */
export interface DavPaths {
  readonly root: string;
  readonly principals: string;
  readonly principal: (person: PersonId) => string;
  readonly profile: (person: PersonId) => string;
  readonly homes: string;
  readonly home: (person: PersonId) => string;
  readonly calendar: (of: { readonly person: PersonId; readonly slug: string }) => string;
  /** For many objects of one calendar. */
  readonly objectsIn: (of: {
    readonly person: PersonId;
    readonly slug: string;
  }) => (name: string) => string;
  readonly object: (
    calendar: { readonly person: PersonId; readonly slug: string },
    name: string,
  ) => string;
  /**
   * What a path or an absolute address names, with the prefix or without it, as a proxy may take it off; null for what
   * is none of ours, or is malformed. The host of an absolute address is not looked at.
   */
  readonly read: (address: string) => DavTarget | null;
  /** The address of a target as answers name it. */
  readonly of: (target: DavTarget) => string;
}

const contextRoot = "/dav/";
const profileName = "dayferry.mobileconfig";

/** `prefix`: the path of the public address without a slash at its end, as in `/calendars`; "" for none. */
export function createPaths(prefix: string): DavPaths {
  const root = `${prefix}${contextRoot}`;
  const principals = `${root}principals/`;
  const homes = `${root}calendars/`;
  const principal = (person: PersonId) => `${principals}${person}/`;
  const profile = (person: PersonId) => `${principal(person)}${profileName}`;
  const home = (person: PersonId) => `${homes}${person}/`;
  const calendar = (of: { readonly person: PersonId; readonly slug: string }) =>
    `${home(of.person)}${encodeSegment(of.slug)}/`;
  const objectsIn = (of: { readonly person: PersonId; readonly slug: string }) => {
    const collection = calendar(of);
    return (name: string) => collection + encodeSegment(name);
  };
  const object = (of: { readonly person: PersonId; readonly slug: string }, name: string) =>
    objectsIn(of)(name);

  function read(address: string): DavTarget | null {
    const path = pathOf(address);
    if (prefix !== "" && path.startsWith(`${prefix}/`)) return targetOf(path.slice(prefix.length));
    return targetOf(path);
  }

  function of(target: DavTarget): string {
    switch (target.kind) {
      case "root":
        return root;
      case "principals":
        return principals;
      case "principal":
        return principal(target.person);
      case "profile":
        return profile(target.person);
      case "homes":
        return homes;
      case "home":
        return home(target.person);
      case "calendar":
        return calendar(target);
      case "object":
        return object(target, target.name);
      default:
        return unreachable(target);
    }
  }
  return {
    root,
    principals,
    principal,
    profile,
    homes,
    home,
    calendar,
    objectsIn,
    object,
    read,
    of,
  };
}

/** Path of an absolute address or of a path, still encoded, without query and fragment. */
function pathOf(address: string): string {
  const [, path = ""] = /^(?:[a-z][a-z0-9+.-]*:\/\/[^/?#]*)?([^?#]*)/i.exec(address) ?? [];
  return path;
}

function targetOf(path: string): DavTarget | null {
  if (`${path}/` === contextRoot) return { kind: "root" };
  if (!path.startsWith(contextRoot)) return null;
  const encoded = path.slice(contextRoot.length).replace(/\/$/, "");
  if (encoded === "") return path === contextRoot ? { kind: "root" } : null;
  const segments = encoded.split("/").map(decodeSegment);
  const [area = "", owner, slug, name, more] = segments;
  if (segments.includes(null) || more !== undefined) return null;
  if (area === "principals") return principalOf(owner, slug, name);
  return area === "calendars" ? collectionOf(owner, slug, name) : null;
}

type Segment = string | null | undefined;

function principalOf(owner: Segment, file: Segment, more: Segment): DavTarget | null {
  if (typeof owner !== "string") return { kind: "principals" };
  const person = personOf(owner);
  if (person === null || more !== undefined) return null;
  if (file === undefined) return { kind: "principal", person };
  return file === profileName ? { kind: "profile", person } : null;
}

function collectionOf(owner: Segment, slug: Segment, name: Segment): DavTarget | null {
  if (typeof owner !== "string") return { kind: "homes" };
  const person = personOf(owner);
  if (person === null) return null;
  if (typeof slug !== "string") return { kind: "home", person };
  return typeof name === "string"
    ? { kind: "object", person, slug, name }
    : { kind: "calendar", person, slug };
}

function personOf(segment: string): PersonId | null {
  const id = /^[1-9]\d{0,15}$/.test(segment) ? Number(segment) : null;
  return isId(id) ? personId(id) : null;
}

/** Null for what names nothing, or could name something else once it is decoded. */
function decodeSegment(encoded: string): string | null {
  try {
    const segment = decodeURIComponent(encoded);
    const isOdd =
      segment === "" || segment === "." || segment === ".." || /[/\p{Cc}]/u.test(segment);
    return isOdd ? null : segment;
  } catch {
    return null;
  }
}

/**
 * All but the characters that nobody writes in two ways: programs compare addresses as text.
 * Source: RFC 3986 2.3.
 */
function encodeSegment(segment: string): string {
  if (/^[\w.~()-]+$/.test(segment)) return segment;
  return encodeURIComponent(segment).replaceAll(
    /[!'*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
