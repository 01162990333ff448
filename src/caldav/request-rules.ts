import { fail, ok, type Result } from "../domain/result.ts";
import {
  checkConditions,
  readIf,
  readStateLists,
  type StateCondition,
  type StateList,
} from "./conditions.ts";
import type { DavContext, DavRequest } from "./dav-request.ts";
import { type DavFault, plainFault } from "./fault.ts";

import { findResource, type Resource } from "./resource.ts";

interface ResourceRequest extends DavRequest {
  readonly resource: Resource;
}

type Headers = DavRequest["headers"];

const bodiless: ReadonlySet<string> = new Set(["DELETE", "COPY", "MOVE"]);
const objectWrites: ReadonlySet<string> = new Set(["PUT", "DELETE", "COPY", "MOVE"]);
/** Methods besides those that say something of one version. Listings are of many. */
const versioned: ReadonlySet<string> = new Set(["GET", "HEAD", "PROPPATCH"]);

/**
 * What every request has to meet before its method looks at it: no body where none means anything, no part of an
 * object, and the conditions that methods do not check themselves. Answers the headers to go on with.
 * Source: RFC 4918 8.4, 10.4; RFC 6578 5; RFC 9110 13.1, 14.5.
 */
export function checkRequest(
  context: DavContext,
  request: ResourceRequest,
): Result<Headers, DavFault> {
  const { method, body, headers } = request;
  if (bodiless.has(method) && body.length > 0) {
    return fail(plainFault(415, `the body of a ${method} means nothing`));
  }
  if (method === "PUT" && headers["content-range"] !== undefined) {
    return fail(plainFault(400, "an object is stored whole, not by a range of it"));
  }
  if (method === "OPTIONS") return ok(headers);
  const fault = versioned.has(method) ? versionFault(context, request) : null;
  return fault ? fail(fault) : checkStates(context, request);
}

/** Source: RFC 9110 13.1.1, 13.1.4. */
function versionFault(
  { paths }: DavContext,
  { resource, headers, target }: ResourceRequest,
): DavFault | null {
  const needed = headers["if-match"];
  if (resource.kind === "object") {
    const { object } = resource;
    // What is not there is 404, whatever the conditions.
    if (object === null) return null;
    const asked = { "if-match": needed, "if-unmodified-since": headers["if-unmodified-since"] };
    const verdict = checkConditions({ headers: asked, target }, { object, isKnown: false, paths });
    return verdict.kind === "failed" ? verdict.fault : null;
  }
  // Collections are there, and have no strong entity tag.
  return needed === undefined || needed.trim() === "*"
    ? null
    : plainFault(412, "a collection has no version that If-Match could name");
}

/**
 * Checks an `If` header, which is met when one of its lists is, whatever resource that is about. Where a write has a list
 * about its own object, the write itself tells why that is not met.
 */
function checkStates(context: DavContext, request: ResourceRequest): Result<Headers, DavFault> {
  const { headers, target, method, resource } = request;
  const header = headers["if"];
  if (header === undefined) return ok(headers);
  const lists = readStateLists(header);
  if (!lists) return fail(plainFault(400, "the If header cannot be read"));
  const isMet = lists.some((list) => isListMet(list, { context, resource }));
  const etag = resource.kind === "object" ? (resource.object?.etag ?? null) : null;
  const own = readIf(header, { target, etag, paths: context.paths });
  if (isMet) {
    const isOwnMissed = own !== null && own !== "malformed" && !own.isMet;
    return ok(isOwnMissed ? { ...headers, if: undefined } : headers);
  }
  const isTold = own !== null && resource.kind === "object" && objectWrites.has(method);
  return isTold ? ok(headers) : fail(plainFault(412, "no list of the If header is met"));
}

interface Named {
  readonly context: DavContext;
  /** The one that the request names. */
  readonly resource: Resource;
}

function isListMet({ resource: address, conditions }: StateList, named: Named): boolean {
  const { context } = named;
  const resource = address === null ? named.resource : resourceAt(address, context);
  return conditions.every(
    (condition) => hasState(resource, { condition, context }) !== condition.isNegated,
  );
}

/** Null for what is not there, or not the person's. */
function resourceAt(address: string, context: DavContext): Resource | null {
  const host = /^[a-z][a-z0-9+.-]*:\/\/([^/?#]*)/i.exec(address)?.[1]?.toLowerCase();
  const target = host === undefined || context.hosts.has(host) ? context.paths.read(address) : null;
  if (target === null || target.kind === "profile") return null;
  const found = findResource(target, context);
  return found.ok ? found.value : null;
}

/** The only state token that there is is the sync token of a calendar, as long as nothing has changed since. */
function hasState(
  resource: Resource | null,
  about: { readonly condition: StateCondition; readonly context: DavContext },
): boolean {
  const { calendars } = about.context;
  const { etag, token } = about.condition;
  if (resource?.kind === "object") return etag !== null && resource.object?.etag === etag;
  if (resource?.kind !== "calendar" || token === null || token === "") return false;
  const changes = calendars.changes(resource.calendar, { token, limit: 1 });
  return changes !== null && changes.put.length + changes.buried.length === 0;
}
