import { createEventLoopBudget, type EventLoopBudget, inTurns } from "@dayferry/event-loop";
import { type Request, type Response, Router, raw } from "express";
import type { Account, LoginResult } from "./backend.ts";
import type {
  CaldavServerOptions,
  DavAnswer,
  DavContext,
  DavPaths,
  DavRequest,
  DavTarget,
} from "./dav-request.ts";
import { davAnswer, optionsAnswer } from "./dispatch.ts";
import { type DavFault, faultAnswer, objectRefusal, plainFault, refusalFault } from "./fault.ts";
import { createPaths, isOwn } from "./paths.ts";
import { davClasses } from "./privileges.ts";
import { createKeptListings, type KeptListings } from "./properties/kept-listings.ts";
import { unnotifiedBy } from "./push/push-methods.ts";
import { sendAnswer } from "./send.ts";
import { largestXml, readXmlInSteps } from "./xml/read-xml.ts";

/**
 * The CalDAV server: everything below `/dav/`, `/.well-known/caldav`, and what programs probe at `/`. Other requests go to the
 * next handler. Mount it at the root of the application, before anything that reads bodies. Source: RFC 4791, RFC 4918, RFC
 * 6578, RFC 6764 5 (well-known address).
 */
export function createCaldavServer(options: CaldavServerOptions): Router {
  const siteOf = createSites(options.file?.name ?? null);
  const readBody = createBodyReader(options.maxSize);
  const listings = createKeptListings();
  const { onError, eventLoop = createEventLoopBudget() } = options;
  const classes = davClasses(options.backend);
  const router = Router();
  router.use(async (request, response, next) => {
    const place = placeOf(request, siteOf(options.publicUrl()));
    if (place.kind === "elsewhere") return next();
    const exchange = { options, eventLoop, readBody, listings, request, response };
    const answer =
      place.kind === "well-known" ? redirect(place.location) : await answerAt(place, exchange);
    if (answer) await sendAnswer(answer, { request, response, classes, onError, eventLoop });
  });
  return router;
}

interface DavPlace {
  readonly kind: "dav";
  /** Null for a URL below the context root that cannot name anything. */
  readonly target: DavTarget | null;
  readonly paths: DavPaths;
  readonly origin: string;
  readonly host: string;
}

type Place =
  | DavPlace
  | { readonly kind: "well-known"; readonly location: string }
  | { readonly kind: "elsewhere" };

/** Methods that programs try at `/` before they look for the context root. GET belongs to the pages. */
const probes: ReadonlySet<string> = new Set(["OPTIONS", "PROPFIND", "REPORT"]);

/** Parts of the public URL. */
interface Site {
  readonly origin: string;
  readonly host: string;
  readonly prefix: string;
  readonly paths: DavPaths;
}

/** Parses the public URL again only after a change. */
function createSites(fileName: string | null): (publicUrl: string) => Site {
  let last: { readonly publicUrl: string; readonly site: Site } | null = null;
  return (publicUrl) => {
    if (last?.publicUrl === publicUrl) return last.site;
    const { origin, host, pathname } = new URL(publicUrl);
    const prefix = pathname.replace(/\/+$/, "");
    const site = { origin, host, prefix, paths: createPaths(prefix, fileName) };
    last = { publicUrl, site };
    return site;
  };
}

function placeOf({ originalUrl, method }: Request, site: Site): Place {
  const { origin, host, prefix, paths } = site;
  const [path = ""] = originalUrl.split(/[?#]/, 1);
  const local = prefix !== "" && path.startsWith(`${prefix}/`) ? path.slice(prefix.length) : path;
  if (/^\/\.well-known\/caldav\/?$/.test(local)) {
    return { kind: "well-known", location: `${origin}${paths.root}` };
  }
  const isProbe = (local === "/" || local === "*") && probes.has(method);
  if (isProbe) {
    // Apple's programs discard an answer about another URL than the requested one.
    return {
      kind: "dav",
      target: { kind: "root" },
      paths: { ...paths, root: `${prefix}/` },
      origin,
      host,
    };
  }
  if (!/^\/dav(?:\/|$)/.test(local)) return { kind: "elsewhere" };
  return { kind: "dav", target: paths.read(local), paths, origin, host };
}

/** Programs must be able to find a new URL after a change of the old one. */
const redirect = (location: string): DavAnswer => ({
  status: 301,
  headers: { Location: location, "Cache-Control": "no-cache" },
});

interface Exchange {
  readonly options: CaldavServerOptions;
  readonly eventLoop: EventLoopBudget;
  readonly readBody: ReadBody;
  readonly listings: KeptListings;
  readonly request: Request;
  readonly response: Response;
}

/** Null if the program disconnected before it had sent everything. */
async function answerAt(place: DavPlace, exchange: Exchange): Promise<DavAnswer | null> {
  const { options, readBody, request, response } = exchange;
  const { target } = place;
  const { authorization } = request.headers;
  if (request.method === "OPTIONS" && authorization === undefined) {
    return optionsAnswer({ target: target ?? { kind: "root" }, push: options.backend.push });
  }
  const login = await options.backend.logIn({ authorization, address: request.ip ?? "" });
  if (login.kind !== "person") return turnedAway(login, options.name);
  if (target === null) return faultAnswer(nowhere(request, place.paths));

  const body = await readBody(request, response);
  if (body.kind === "aborted") return null;
  if (body.kind === "refused") return faultAnswer(body.fault);
  const context = contextOf(place, { ...login, exchange });
  const headers = headersOf(request);
  const sent = { method: request.method, target, headers, body: body.octets };
  const asked = { ...sent, ...(await readAhead(sent, exchange)) };
  await prepared(context, target);
  return located(guarded(asked, context), { asked, context, path: request.path });
}

/** Octets that are parsed at once, which takes a few milliseconds at most. */
const longestAtOnce = 65_536;

const documentMethods: ReadonlySet<string> = new Set(["PROPFIND", "PROPPATCH", "REPORT"]);

/** A long body is parsed before any database access, so that the answer is from one moment. */
async function readAhead(
  { method, target, body }: DavRequest,
  { options, eventLoop }: Exchange,
): Promise<Pick<DavRequest, "document" | "reading">> {
  if (body.length <= longestAtOnce / 8) return {};
  if (documentMethods.has(method))
    return { document: await inTurns(readXmlInSteps(body), eventLoop) };
  const isLong = body.length > longestAtOnce;
  return isLong && options.readObject && method === "PUT" && target.kind === "object"
    ? { reading: await options.readObject(body) }
    : {};
}

/** A long calendar is loaded on first use while others run. */
async function prepared(context: DavContext, target: DavTarget): Promise<void> {
  const { backend, person } = context;
  if (target.kind === "home") await backend.prepare?.(person, null);
  const isInside = target.kind === "calendar" || target.kind === "object";
  if (isInside && isOwn(target, context)) await backend.prepare?.(person, target.slug);
}

/** Nothing can exist at the URL. For a PUT it matters why. Source: RFC 4918 9.7.1 (409). */
function nowhere({ method, path }: Request, paths: DavPaths): DavFault {
  if (method !== "PUT") return plainFault(404, "there is nothing at this address");
  const parent = paths.read(path.replace(/[^/]*$/, ""));
  return parent?.kind === "calendar"
    ? plainFault(409, "the name of an object must not contain a slash or control character")
    : plainFault(409, "there is no calendar at this address");
}

/** Names the collection that answered, if the trailing slash was omitted. Source: RFC 4918 5.2. */
function located(
  answer: DavAnswer,
  about: { readonly asked: DavRequest; readonly context: DavContext; readonly path: string },
): DavAnswer {
  const { target } = about.asked;
  const isFile = target.kind === "object" || target.kind === "file";
  if (isFile || about.path.endsWith("/") || answer.status >= 300) return answer;
  const location = { "Content-Location": about.context.paths.of(target) };
  return { ...answer, headers: { ...answer.headers, ...location } };
}

function turnedAway(
  login: Exclude<LoginResult, { readonly kind: "person" }>,
  realm: string,
): DavAnswer {
  if (login.kind === "unauthenticated") {
    const fault = plainFault(401, "log in with your e-mail address and an app password");
    const challenge = `Basic realm=${JSON.stringify(realm)}, charset="UTF-8"`;
    return faultAnswer({ ...fault, headers: { "WWW-Authenticate": challenge } });
  }
  const headers = { "Retry-After": String(login.retryAfterSeconds) };
  return faultAnswer({ ...plainFault(429, "too many wrong passwords: try again later"), headers });
}

interface LoggedIn {
  readonly exchange: Exchange;
  readonly person: Account;
  readonly login: string;
}

function contextOf(
  { paths, origin, host }: DavPlace,
  { exchange, person, login }: LoggedIn,
): DavContext {
  const { options, listings, request } = exchange;
  // HTTP/1.0 does not require a Host header.
  const hosts = new Set([host, `${request.host}`.toLowerCase()]);
  const agent = request.headers["user-agent"] ?? "";
  const unwanted = request.get("push-dont-notify");
  const unnotified = unwanted === undefined ? [] : unnotifiedBy(unwanted, paths);
  return { ...options, person, login, agent, unnotified, paths, origin, hosts, listings };
}

function guarded(request: DavRequest, context: DavContext): DavAnswer {
  try {
    const { backend, person } = context;
    const answer = () => davAnswer(context, request);
    return backend.speakTo ? backend.speakTo(person, answer) : answer();
  } catch (error) {
    const refusal = context.backend.refusalOf?.(error);
    if (refusal) return faultAnswer(refusalFault(refusal, context));
    const { method, target } = request;
    context.onError("calendar request failed", { method, path: context.paths.of(target), error });
    return faultAnswer(plainFault(500, "the request failed; see the log for the reason"));
  }
}

/** `octets` are empty if no body was sent; `aborted`: the program disconnected. */
type Body =
  | { readonly kind: "body"; readonly octets: Buffer }
  | { readonly kind: "refused"; readonly fault: DavFault }
  | { readonly kind: "aborted" };

type ReadBody = (request: Request, response: Response) => Promise<Body>;

/** Reads bodies of any type as octets, decompressed: objects up to `maxSize` bytes, XML up to its own limit. */
function createBodyReader(maxSize: number): ReadBody {
  const type = () => true;
  const objects = raw({ type, limit: maxSize });
  const documents = raw({ type, limit: largestXml });
  return async (request, response) => {
    const isObject = request.method === "PUT";
    const limit = isObject ? maxSize : largestXml;
    const { expect, "content-length": length } = request.headers;
    // A client that waits for 100 Continue is refused before it sends anything; others see an answer only after sending
    // everything.
    if (expect !== undefined && Number(length ?? 0) > limit)
      return tooLarge(isObject ? maxSize : null);
    const read = isObject ? objects : documents;
    const error = await new Promise<unknown>((resolve) => read(request, response, resolve));
    if (error !== undefined) return endingOf(error, isObject ? maxSize : null);
    return { kind: "body", octets: Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0) };
  };
}

/** Headers by lower-case name; repeated ones are joined. Source: RFC 9110 5.3. */
function headersOf({ headers }: Request): DavRequest["headers"] {
  const entries = Object.entries(headers).map(([name, value]) => [
    name,
    Array.isArray(value) ? value.join(", ") : value,
  ]);
  return Object.fromEntries(entries);
}

/** For bodies. Source: RFC 9110 12.5.3 (Accept-Encoding in answers), 15.5.16. */
const encodings = "gzip, deflate, br";

function endingOf(error: unknown, maxSize: number | null): Body {
  const { type, status } = described(error);
  if (type === "request.aborted") return { kind: "aborted" };
  if (type === "entity.too.large") return tooLarge(maxSize);
  if (type === "encoding.unsupported") {
    const fault = plainFault(415, `the content encoding of the body is not ${encodings}`);
    return {
      kind: "refused",
      fault: { ...fault, headers: { ...headers, "Accept-Encoding": encodings } },
    };
  }
  if (status === null) throw error;
  const fault = plainFault(status, "the body cannot be read");
  return { kind: "refused", fault: { ...fault, headers } };
}

/** The rest is not read: the connection ends with the answer. */
const headers = { Connection: "close" };

/** `maxSize`: for an object; null for XML. */
function tooLarge(maxSize: number | null): Body {
  const fault =
    maxSize === null
      ? plainFault(413, `the body is larger than the ${largestXml} bytes allowed for a request`)
      : objectRefusal(
          "max-resource-size",
          `the object is larger than the ${maxSize} bytes allowed for an object`,
        );
  return { kind: "refused", fault: { ...fault, headers } };
}

/** The type and status of the body reader's errors. */
function described(error: unknown): { readonly type: string; readonly status: number | null } {
  const { type, status }: Readonly<Record<string, unknown>> = { ...Object(error) };
  const isRefusal = typeof status === "number" && status >= 400 && status < 500;
  return { type: typeof type === "string" ? type : "", status: isRefusal ? status : null };
}
