import type { DavContext } from "./context.ts";
import { pathOf, type Resource } from "./resource.ts";

/** What an href in a request names. */
export interface MemberAddress {
  /** The same for two ways to write the same address. */
  readonly key: string;
  /** How answers name it: as it was asked for where that may stand in an answer, since programs compare texts. */
  readonly path: string;
  /** Null for what is no member of a calendar of the person. */
  readonly member: { readonly slug: string; readonly name: string } | null;
}

/**
 * Reads an address: a path, an absolute address of this server, or one that is relative to `scope`. Never fails.
 * Source: RFC 4918 8.3, RFC 3986 5.
 */
export function readMemberAddress(
  href: string,
  { context, scope }: { readonly context: DavContext; readonly scope: Resource },
): MemberAddress {
  const { paths, person, hosts } = context;
  const host = /^[a-z][a-z0-9+.-]*:\/\/(?:[^/?#@]*@)?([^/?#]*)/i.exec(href)?.[1]?.toLowerCase();
  const isRelative = host === undefined && !href.startsWith("/");
  const address = isRelative ? resolved(href, pathOf(scope, context)) : href;
  const isForeign = host !== undefined && !hosts.has(host);
  const target = isForeign ? null : paths.read(address);
  if (target?.kind !== "object" || target.person !== person.id) {
    return { key: href, path: writable(href), member: null };
  }
  const { slug, name } = target;
  const canonical = paths.object(target, name);
  const path = isRelative || !isWritable(href) ? canonical : href;
  return { key: canonical, path, member: { slug, name } };
}

/** "" for what no address can be made of. */
function resolved(href: string, base: string): string {
  return URL.parse(href, `http://host${base}`)?.pathname ?? "";
}

/** Whether a text may stand as an address: no blanks, nothing beyond ASCII. */
const isWritable = (href: string): boolean => /^[!-~]+$/.test(href);

const writable = (href: string): string =>
  isWritable(href) ? href : encodeURI(href.toWellFormed());
