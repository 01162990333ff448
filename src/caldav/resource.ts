import type { Calendar, CalendarObject } from "../calendars/calendar-types.ts";
import { fail, ok, type Result, unreachable } from "../domain/result.ts";
import type { DavContext } from "./dav-request.ts";
import { type DavFault, davFault, plainFault } from "./fault.ts";
import type { DavTarget } from "./paths.ts";
import { hrefElement } from "./xml/write-xml.ts";

/** What stands at an address, as far as the person who asks may see it. */
export type Resource =
  | { readonly kind: "root" }
  | { readonly kind: "principals" }
  | { readonly kind: "principal" }
  | { readonly kind: "homes" }
  | { readonly kind: "home" }
  | { readonly kind: "calendar"; readonly calendar: Calendar }
  | {
      readonly kind: "object";
      readonly calendar: Calendar;
      readonly name: string;
      /** Null where nothing stands yet, or nothing any more. */
      readonly object: CalendarObject | null;
    };

export type CollectionResource = Exclude<Resource, { readonly kind: "object" }>;

/**
 * The resource that an address names. Fails for what belongs to somebody else (whether it exists is not told), for a
 * calendar that there is not, and with 503 for one whose project is still being read.
 */
export function findResource(
  target: Exclude<DavTarget, { readonly kind: "profile" }>,
  context: DavContext,
): Result<Resource, DavFault> {
  switch (target.kind) {
    case "root":
    case "principals":
    case "homes":
      return ok({ kind: target.kind });
    case "principal":
    case "home":
      return target.person === context.person.id
        ? ok({ kind: target.kind })
        : fail(foreign(target, context));
    case "calendar":
    case "object":
      return target.person === context.person.id
        ? findInHome(target, context)
        : fail(foreign(target, context));
    default:
      return unreachable(target);
  }
}

/** The address of a resource. */
export function pathOf(resource: Resource, { paths, person }: DavContext): string {
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

/** Refuses what belongs to another person, whether it exists or not. Source: RFC 3744 7.1.1. */
export function foreign(target: DavTarget, { paths }: Pick<DavContext, "paths">): DavFault {
  const needed = `<d:resource>${hrefElement(paths.of(target))}<d:privilege><d:read/></d:privilege></d:resource>`;
  return davFault("need-privileges", "this belongs to another person", needed);
}

function findInHome(
  target: Extract<DavTarget, { readonly slug: string }>,
  { calendars }: DavContext,
): Result<Resource, DavFault> {
  const calendar = calendars.find(target.person, target.slug);
  if (calendar === null) {
    return fail(plainFault(404, "there is no such calendar"));
  }
  if (!calendars.hasRead(calendar)) return fail(unread);
  if (target.kind === "calendar") return ok({ kind: "calendar", calendar });
  const { name } = target;
  return ok({ kind: "object", calendar, name, object: calendars.object(calendar, name) });
}

const unread: DavFault = {
  ...plainFault(
    503,
    "the project is still being read for the first time; a part of it would look like the whole",
  ),
  headers: { "Retry-After": "30" },
};

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
