import { fail, ok, type Result } from "@dayferry/ical";
import type { Account, Calendar, CalendarBackend } from "./backend.ts";
import type { CalendarAddress, DavContext, DavPaths, DavTarget, Resource } from "./dav-request.ts";
import { type DavFault, laterFault, plainFault, privilegeFault } from "./fault.ts";
import { unreachable } from "./unreachable.ts";

const contextRoot = "/dav/";

/**
 * URLs of principals, homes, calendars and objects, and their parser. `prefix`: path of the public URL without a trailing
 * slash, as in `/calendars`; "" for none. `fileName`: of the file below each principal; null for none.
 */
export function createPaths(prefix: string, fileName: string | null): DavPaths {
  const root = `${prefix}${contextRoot}`;
  const principals = `${root}principals/`;
  const homes = `${root}calendars/`;
  const principal = (person: Account["id"]) => `${principals}${encodeSegment(`${person}`)}/`;
  const file = (person: Account["id"]) => principal(person) + encodeSegment(fileName ?? "");
  const home = (person: Account["id"]) => `${homes}${encodeSegment(`${person}`)}/`;
  const calendar = (of: CalendarAddress) => `${home(of.person)}${encodeSegment(of.slug)}/`;
  const objectsIn = (of: CalendarAddress) => {
    const collection = calendar(of);
    return (name: string) => collection + encodeSegment(name);
  };
  const object = (of: CalendarAddress, name: string) => objectsIn(of)(name);

  function read(address: string): DavTarget | null {
    const path = pathOf(address);
    const isPrefixed = prefix !== "" && path.startsWith(`${prefix}/`);
    const target = targetOf(isPrefixed ? path.slice(prefix.length) : path);
    return target?.kind === "file" && target.name !== fileName ? null : target;
  }

  function of(target: DavTarget): string {
    switch (target.kind) {
      case "root":
        return root;
      case "principals":
        return principals;
      case "principal":
        return principal(target.person);
      case "file":
        return file(target.person);
      case "registration":
        return `${principal(target.person)}push/${encodeSegment(target.id)}`;
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
    file,
    homes,
    home,
    calendar,
    objectsIn,
    object,
    read,
    of,
  };
}

/** Path of a URL or of a path, still encoded, without query and fragment. */
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
  if (typeof more === "string") {
    return file === "push" ? { kind: "registration", person: owner, id: more } : null;
  }
  if (typeof file !== "string") return { kind: "principal", person: owner };
  return { kind: "file", person: owner, name: file };
}

function collectionOf(owner: Segment, slug: Segment, name: Segment): DavTarget | null {
  if (typeof owner !== "string") return { kind: "homes" };
  const person = owner;
  if (typeof slug !== "string") return { kind: "home", person };
  return typeof name === "string"
    ? { kind: "object", person, slug, name }
    : { kind: "calendar", person, slug };
}

/** Null if it names nothing, or could name something else once decoded. */
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
 * Encodes all but the characters that are always written in one way, as programs compare URLs as text. Source: RFC 3986 2.3.
 */
function encodeSegment(segment: string): string {
  if (/^[\w.~()-]+$/.test(segment)) return segment;
  return encodeURIComponent(segment).replaceAll(
    /[!'*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/**
 * The resource at a URL. Fails for other people's resources (without revealing whether they exist), for a calendar that does
 * not exist, and with 503 for one whose project is still being read.
 */
export function findResource(
  target: Exclude<DavTarget, { readonly kind: "file" | "registration" }>,
  context: DavContext,
): Result<Resource, DavFault> {
  switch (target.kind) {
    case "root":
    case "principals":
    case "homes":
      return ok({ kind: target.kind });
    case "principal":
    case "home":
      return isOwn(target, context)
        ? ok({ kind: target.kind })
        : fail(otherPersonFault(target, context));
    case "calendar":
    case "object":
      return isOwn(target, context)
        ? findInHome(target, context)
        : fail(otherPersonFault(target, context));
    default:
      return unreachable(target);
  }
}

/** True if a target belongs to the person of the request. */
export const isOwn = (
  target: { readonly person: string },
  { person }: Pick<DavContext, "person">,
): boolean => target.person === String(person.id);

/** Refuses other people's resources, whether they exist or not. Source: RFC 3744 7.1.1. */
export const otherPersonFault = (
  target: DavTarget,
  { paths }: Pick<DavContext, "paths">,
): DavFault =>
  privilegeFault("read", { href: paths.of(target), reason: "this belongs to another person" });

function findInHome(
  target: Extract<DavTarget, { readonly slug: string }>,
  { backend, person }: DavContext,
): Result<Resource, DavFault> {
  const calendar = backend.calendar(person, target.slug);
  if (calendar === null) {
    return fail(plainFault(404, "there is no such calendar"));
  }
  const notReady = notReadyFault(backend, calendar);
  if (notReady) return fail(notReady);
  if (target.kind === "calendar") return ok({ kind: "calendar", calendar });
  const { name } = target;
  return ok({ kind: "object", calendar, name, object: backend.finder(calendar)(name) });
}

/** The answer while a calendar is not complete; null if it is. */
export function notReadyFault(backend: CalendarBackend, calendar: Calendar): DavFault | null {
  const reason = backend.notReady?.(calendar) ?? null;
  return reason === null ? null : laterFault(reason);
}

/** The URL path of a resource. */
export function hrefOf(resource: Resource, { paths, person }: DavContext): string {
  switch (resource.kind) {
    case "root":
    case "principals":
    case "homes":
      return paths[resource.kind];
    case "principal":
    case "home":
      return paths[resource.kind](person.id);
    case "calendar":
      return paths.calendar(resource.calendar);
    case "object":
      return paths.object(resource.calendar, resource.name);
    default:
      return unreachable(resource);
  }
}

/** The resource at a path, or a URL of this server; null if it does not exist, or is not the person's. */
export function resourceAt(address: string, context: DavContext): Resource | null {
  const host = hostOf(address);
  const target = host === null || context.hosts.has(host) ? context.paths.read(address) : null;
  if (target === null || target.kind === "file" || target.kind === "registration") return null;
  const found = findResource(target, context);
  return found.ok ? found.value : null;
}

/** The host of a URL with its port, in lower case; null for a path. */
export function hostOf(address: string): string | null {
  const [, host] = /^[a-z][a-z0-9+.-]*:\/\/(?:[^/?#@]*@)?([^/?#]*)/i.exec(address) ?? [];
  return host?.toLowerCase() ?? null;
}

/** What an href in a request names. */
export interface MemberAddress {
  /** The same for two notations of one URL. */
  readonly key: string;
  /** How answers give it: as requested if possible, since programs compare texts. */
  readonly path: string;
  /** Null if it is no member of the person's calendars. */
  readonly member: { readonly slug: string; readonly name: string } | null;
}

interface AddressContext {
  readonly context: DavContext;
  readonly scope: Resource;
}

/** A name with one notation only, which needs no decoding, encoding or resolving. */
const plainName = /^(?!\.{1,2}$)[\w.~()-]+$/;

/**
 * Parses hrefs one after the other: a path, a URL of this server, or one relative to `scope`. Never fails. Source: RFC 4918
 * 8.3, RFC 3986 5.
 */
export function memberAddressReader(of: AddressContext): (href: string) => MemberAddress {
  const { context, scope } = of;
  if (scope.kind !== "calendar") return (href) => readMemberAddress(href, of);
  const { slug } = scope.calendar;
  const collection = context.paths.calendar(scope.calendar);
  return (href) => {
    const name = href.startsWith(collection) ? href.slice(collection.length) : "";
    return plainName.test(name)
      ? { key: href, path: href, member: { slug, name } }
      : readMemberAddress(href, of);
  };
}

function readMemberAddress(href: string, { context, scope }: AddressContext): MemberAddress {
  const { paths, hosts } = context;
  const host = hostOf(href);
  const isRelative = host === null && !href.startsWith("/");
  const address = isRelative ? resolved(href, hrefOf(scope, context)) : href;
  const isForeign = host !== null && !hosts.has(host);
  const target = isForeign ? null : paths.read(address);
  if (target?.kind !== "object" || !isOwn(target, context)) {
    return { key: href, path: writable(href), member: null };
  }
  const { slug, name } = target;
  const canonical = paths.object(target, name);
  const path = isRelative || !isWritable(href) ? canonical : href;
  return { key: canonical, path, member: { slug, name } };
}

/** "" if it is no valid URL. */
function resolved(href: string, base: string): string {
  return URL.parse(href, `http://host${base}`)?.pathname ?? "";
}

/** True if a text may be used as a URL: no blanks, ASCII only. */
const isWritable = (href: string): boolean => /^[!-~]+$/.test(href);

const writable = (href: string): string =>
  isWritable(href) ? href : encodeURI(href.toWellFormed());
