import { readHttpDate } from "@dayferry/http-values";
import { fail, ok, type Result } from "@dayferry/ical";
import type { CalendarObject } from "./backend.ts";
import type {
  DavContext,
  DavPaths,
  DavRequest,
  DavTarget,
  ObjectRequest,
  Resource,
  ResourceRequest,
} from "./dav-request.ts";
import { type DavFault, plainFault } from "./fault.ts";
import { resourceAt } from "./paths.ts";

type Headers = DavRequest["headers"];

const bodiless: ReadonlySet<string> = new Set(["DELETE", "COPY", "MOVE"]);
const objectWrites: ReadonlySet<string> = new Set(["PUT", "DELETE", "COPY", "MOVE"]);
/** Other methods that concern one version. Listings concern many. */
const versioned: ReadonlySet<string> = new Set(["GET", "HEAD", "PROPPATCH"]);

/**
 * What every request must meet before its method runs: no body where none is allowed, no partial object, and conditions that
 * methods do not check themselves. Returns the headers to continue with. Source: RFC 4918 8.4, 10.4; RFC 6578 5; RFC 9110 13.1,
 * 14.5.
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
    return fail(plainFault(400, "an object must be stored as a whole, not by range"));
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
    // A missing object is 404, whatever the conditions.
    if (object === null) return null;
    const asked = { "if-match": needed, "if-unmodified-since": headers["if-unmodified-since"] };
    const met = checkConditions(
      { headers: asked, target },
      { object, isKnown: () => false, paths },
    );
    return met.ok ? null : met.failure;
  }
  // Collections exist, and have no strong entity tag.
  return needed === undefined || needed.trim() === "*"
    ? null
    : plainFault(412, "a collection has no version that If-Match could name");
}

/**
 * Checks an `If` header, which is met if one of its lists is, for any resource. If a write has a list about its own object, the
 * write itself answers why that is not met.
 */
function checkStates(context: DavContext, request: ResourceRequest): Result<Headers, DavFault> {
  const { headers, target, method, resource } = request;
  const header = headers["if"];
  if (header === undefined) return ok(headers);
  const lists = readStateLists(header);
  if (!lists) return fail(malformed);
  const isMet = lists.some((list) => isListMet(list, { context, resource }));
  const etag = resource.kind === "object" ? (resource.object?.etag ?? null) : null;
  const own = readIf(header, { target, etag, paths: context.paths });
  if (isMet) {
    const isOwnMissed = own !== null && own !== "malformed" && !own.isMet;
    return ok(isOwnMissed ? { ...headers, if: undefined } : headers);
  }
  const isCheckedByWrite = own !== null && resource.kind === "object" && objectWrites.has(method);
  return isCheckedByWrite ? ok(headers) : fail(plainFault(412, "no list of the If header is met"));
}

interface Named {
  readonly context: DavContext;
  /** The resource that the request names. */
  readonly resource: Resource;
}

function isListMet({ resource: address, conditions }: StateList, named: Named): boolean {
  const { context } = named;
  const resource = address === null ? named.resource : resourceAt(address, context);
  return conditions.every(
    (condition) => hasState(resource, { condition, context }) !== condition.isNegated,
  );
}

/** The only state token is a calendar's sync token, while nothing has changed since. */
function hasState(
  resource: Resource | null,
  about: { readonly condition: StateCondition; readonly context: DavContext },
): boolean {
  const { backend } = about.context;
  const { etag, token } = about.condition;
  if (resource?.kind === "object") return etag !== null && resource.object?.etag === etag;
  if (resource?.kind !== "calendar" || token === null || token === "") return false;
  const changes = backend.changes(resource.calendar, { token, limit: 1 });
  return changes !== null && changes.put.length + changes.buried.length === 0;
}

/** The target of a write. */
interface Target {
  readonly object: CalendarObject | null;
  /** True if a condition named the present version, so that the sender has edited that one. */
  readonly isSeen: boolean;
}

/** The object of a write, if the request's conditions allow it. */
export function findForWrite(
  context: DavContext,
  request: ObjectRequest,
): Result<Target, DavFault> {
  const { backend, paths } = context;
  const { calendar, name } = request;
  const object = backend.finder(calendar)(name);
  const isKnown = () => backend.hadObject(calendar, name);
  const met = checkConditions(request, { object, isKnown, paths });
  if (met.ok) return ok({ object, isSeen: met.value.isSeen });
  if (object && request.method === "PUT") backend.onConflict?.(object, context);
  return met;
}

/**
 * Checks a write's conditions. If-Match and `If` require the version that they name, If-None-Match another one; a weak tag
 * never matches where the present version is required. `isKnown`: something existed here and is gone. Then 404, as some
 * programs retry forever after 412. Source: RFC 9110 13.1, 13.2.2; RFC 4918 10.4.
 */
function checkConditions(
  { headers, target }: Pick<DavRequest, "headers" | "target">,
  present: {
    readonly object: CalendarObject | null;
    readonly isKnown: () => boolean;
    readonly paths: DavPaths;
  },
): Result<Pick<Target, "isSeen">, DavFault> {
  const { object, isKnown, paths } = present;
  const needed = tagsOf(headers["if-match"]);
  const state = { target, etag: object?.etag ?? null, paths };
  const listed = headers["if"] === undefined ? null : readIf(headers["if"], state);
  if (listed === "malformed") return fail(malformed);
  const isWrong = needed !== null && !(object && includes(needed, object.etag));
  if (isWrong || listed?.isMet === false) return fail(otherVersionFault(object, isKnown));
  const refused = tagsOf(headers["if-none-match"]);
  if (refused && object && includesWeakly(refused, object.etag)) {
    const reason = "an object with this name or version already exists";
    return fail(plainFault(412, reason));
  }
  if (needed === null && listed === null && isOlder(headers["if-unmodified-since"], object)) {
    return fail(plainFault(412, "the object has changed since"));
  }
  const isSeen = (needed !== null && needed !== "*") || listed?.namesVersion === true;
  return ok({ isSeen });
}

const malformed: DavFault = plainFault(400, "the If header cannot be read");

function otherVersionFault(object: CalendarObject | null, isKnown: () => boolean): DavFault {
  if (object) return plainFault(412, "the object has changed meanwhile: fetch it again");
  return isKnown()
    ? plainFault(404, "the object was deleted or moved meanwhile")
    : plainFault(412, "there is no object with this name");
}

function isOlder(header: string | undefined, object: CalendarObject | null): boolean {
  const since = readHttpDate(header);
  return since !== null && object !== null && wholeSeconds(object.modifiedAt) > wholeSeconds(since);
}

/**
 * True if the sender has the present octets already (304). If-None-Match precedes If-Modified-Since. Source: RFC 9110 13.1.2,
 * 13.1.3.
 */
export function isNotModified(headers: Headers, object: CalendarObject): boolean {
  const tags = tagsOf(headers["if-none-match"]);
  if (tags) return includesWeakly(tags, object.etag);
  const since = readHttpDate(headers["if-modified-since"]);
  return since !== null && wholeSeconds(object.modifiedAt) <= wholeSeconds(since);
}

const wholeSeconds = (at: Temporal.Instant): number => Math.floor(at.epochMilliseconds / 1000);

/** True if If-None-Match requires that nothing with this name exists: the object is new. */
export const requiresAbsence = (headers: Headers): boolean =>
  tagsOf(headers["if-none-match"]) === "*";

/** True if a list of entity tags contains one, by weak comparison. Source: RFC 9110 8.8.3.2. */
export function matchesWeakly(header: string | undefined, etag: string): boolean {
  const tags = tagsOf(header);
  return tags !== null && includesWeakly(tags, etag.replace(/^W\//, ""));
}

type Tags = "*" | readonly string[];

function tagsOf(header: string | undefined): Tags | null {
  if (header === undefined) return null;
  if (header.trim() === "*") return "*";
  return [...header.matchAll(/(?:W\/)?"[^"]*"|[^\s,"]+/g)].map(([tag]) => tag);
}

/** An entity tag without quotes is malformed, but some programs forget them. */
const includes = (tags: Tags, etag: string): boolean =>
  tags === "*" || tags.some((tag) => tag === etag || `"${tag}"` === etag);

const includesWeakly = (tags: Tags, etag: string): boolean =>
  tags === "*" ||
  includes(
    tags.map((tag) => tag.replace(/^W\//, "")),
    etag,
  );

/** What an `If` header says about the requested resource. */
interface IfVerdict {
  readonly isMet: boolean;
  /** True if it is met by naming the present version. */
  readonly namesVersion: boolean;
}

/** One condition: a resource has this entity tag, or this state token. */
interface StateCondition {
  readonly isNegated: boolean;
  readonly etag: string | null;
  /** Null for an entity tag. */
  readonly token: string | null;
}

/** Conditions that must all hold. `resource`: null for the requested one. */
interface StateList {
  readonly resource: string | null;
  readonly conditions: readonly StateCondition[];
}

/**
 * Reads an `If` header, as Thunderbird sends for calendars that are one file. One of its lists must be met; lists for other
 * resources are ignored. Null if none is for this one. Source: RFC 4918 10.4.
 */
function readIf(
  header: string,
  present: {
    readonly target: DavTarget;
    /** Null if nothing exists. */
    readonly etag: string | null;
    readonly paths: DavPaths;
  },
): IfVerdict | "malformed" | null {
  const { target, etag, paths } = present;
  const all = readStateLists(header);
  if (!all) return "malformed";
  const own = paths.of(target);
  const lists = all.filter(({ resource }) => {
    const named = resource === null ? target : paths.read(resource);
    return named !== null && paths.of(named) === own;
  });
  if (lists.length === 0) return null;
  // An object has no state token.
  const met = lists.find(({ conditions }) =>
    conditions.every((each) => (each.etag !== null && each.etag === etag) !== each.isNegated),
  );
  const namesVersion = met?.conditions.some((each) => each.etag !== null && !each.isNegated);
  return { isMet: met !== undefined, namesVersion: namesVersion ?? false };
}

/** The lists of an `If` header; null if it is invalid or far too long. Source: RFC 4918 10.4.2. */
function readStateLists(header: string): readonly StateList[] | null {
  const lists: StateList[] = [];
  let resource: string | null = null;
  let rest = header.trim();
  while (rest !== "") {
    const tag = /^<([^>]*)>\s*/.exec(rest);
    const list = /^\(((?:[^()"]|"[^"]*")*)\)\s*/.exec(rest);
    if (tag) {
      resource = tag[1] ?? "";
    } else {
      const conditions = list && readList(list[1] ?? "");
      if (!conditions) return null;
      lists.push({ resource, conditions });
    }
    rest = rest.slice((tag ?? list)?.[0].length);
  }
  const count = lists.reduce((sum, { conditions }) => sum + conditions.length, 0);
  return count > 0 && count <= mostConditions ? lists : null;
}

/** Each is looked up; programs send one or two. */
const mostConditions = 100;

/** Null if it is invalid or empty. */
function readList(text: string): readonly StateCondition[] | null {
  const condition = /\s*(Not\s+)?(?:\[\s*((?:W\/)?"[^"]*")\s*\]|<([^>]*)>)\s*/giy;
  const found: StateCondition[] = [];
  let end = 0;
  for (const match of text.matchAll(condition)) {
    found.push({
      isNegated: match[1] !== undefined,
      etag: match[2] ?? null,
      token: match[3] ?? null,
    });
    end = match.index + match[0].length;
  }
  return found.length > 0 && end === text.length ? found : null;
}
