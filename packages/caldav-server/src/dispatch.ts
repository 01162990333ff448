import type { Calendar, CalendarBackend } from "./backend.ts";
import { contentAnswer } from "./collection-content.ts";
import { checkRequest } from "./conditions.ts";
import type {
  DavAnswer,
  DavContext,
  DavRequest,
  DavTarget,
  ObjectRequest,
  ResourceRequest,
} from "./dav-request.ts";
import {
  bodyFault,
  caldavFault,
  type DavFault,
  davFault,
  faultAnswer,
  methodFault,
  plainFault,
  privilegeFault,
  xmlFault,
} from "./fault.ts";
import { copyObject, deleteObject, getObject, moveObject, putObject } from "./object-methods.ts";
import { findResource, isOwn, otherPersonFault } from "./paths.ts";
import { allowedMethods } from "./privileges.ts";
import { choiceFault } from "./properties/answer-properties.ts";
import { propfindAnswer } from "./properties/propfind.ts";
import { proppatchAnswer } from "./properties/proppatch.ts";
import { registerAnswer, unregisterAnswer } from "./push/push-methods.ts";
import { multigetAnswer } from "./reports/calendar-multiget.ts";
import { queryAnswer } from "./reports/calendar-query.ts";
import { expandAnswer } from "./reports/report-expand.ts";
import { freeBusyAnswer } from "./reports/report-free-busy.ts";
import {
  principalMatchAnswer,
  principalSearchAnswer,
  searchPropertiesAnswer,
} from "./reports/report-principal.ts";
import type { DavReport } from "./reports/report-question.ts";
import { syncAnswer } from "./reports/report-sync.ts";
import { supportedReports } from "./reports/supported-reports.ts";
import { documentOf } from "./xml/read-xml.ts";
import { caldav, dav, keyOf, sameName } from "./xml/xml-names.ts";

/** Answers a request of an authenticated person. */
export function davAnswer(context: DavContext, request: DavRequest): DavAnswer {
  const { method, target } = request;
  if (!knownMethods.has(method)) return notAllowed(request);
  // Collections cannot be created, whether or not something exists.
  if (method === "MKCALENDAR" || method === "MKCOL") return collectionAnswer(context, request);
  if (target.kind === "file") return principalFileAnswer(context, request);
  if (target.kind === "registration") return registrationAnswer(context, { ...request, target });
  const found = findResource(target, context);
  if (!found.ok) return faultAnswer(missing(found.failure, request));
  const named = { ...request, resource: found.value };
  const headers = checkRequest(context, named);
  if (!headers.ok) return faultAnswer(headers.failure);
  return resourceAnswer(context, { ...named, headers: headers.value });
}

const knownMethods: ReadonlySet<string> = new Set([
  "OPTIONS",
  "GET",
  "HEAD",
  "PROPFIND",
  "PROPPATCH",
  "REPORT",
  "PUT",
  "DELETE",
  "POST",
  "COPY",
  "MOVE",
  "MKCALENDAR",
  "MKCOL",
]);

/** An object cannot be put where there is no calendar. Source: RFC 4918 9.7.1. */
const missing = (fault: DavFault, { method }: DavRequest): DavFault =>
  fault.status === 404 && method === "PUT" ? { ...fault, status: 409 } : fault;

function resourceAnswer(context: DavContext, request: ResourceRequest): DavAnswer {
  const { method } = request;
  switch (method) {
    case "OPTIONS":
      return optionsAnswer({ ...request, push: context.backend.push });
    case "PROPFIND":
      return propfindAnswer(context, request);
    case "PROPPATCH":
      return proppatchAnswer(context, request);
    case "REPORT":
      return reportAnswer(context, request);
    default:
      return wholeAnswer(context, request);
  }
}

/** GET, HEAD and methods that change content. */
function wholeAnswer(context: DavContext, request: ResourceRequest): DavAnswer {
  const { method, resource } = request;
  if (resource.kind === "object") {
    const { calendar, name } = resource;
    return objectAnswer(context, { ...request, calendar, name });
  }
  const { push } = context.backend;
  if (method === "POST" && push && (resource.kind === "calendar" || resource.kind === "home")) {
    const calendar = resource.kind === "calendar" ? resource.calendar : null;
    return registerAnswer(context, { ...request, push, calendar });
  }
  if (method !== "GET" && method !== "HEAD") return collectionAnswer(context, request);
  return contentAnswer(context, resource, request);
}

/** Answers methods on a whole object, or on a place for one. */
export function objectAnswer(context: DavContext, request: ObjectRequest): DavAnswer {
  const { method, target, calendar } = request;
  switch (method) {
    case "GET":
    case "HEAD":
      return getObject(context, request);
    case "PUT":
      return putObject(context, request);
    case "DELETE":
      return deleteObject(context, request);
    case "MOVE":
      return moveObject(context, request);
    case "COPY":
      return copyObject(context, request);
    default: {
      const reason = `${method} is not offered for an object`;
      return faultAnswer(methodFault(reason, { kind: target.kind, calendar, method }));
    }
  }
}

/** What is allowed at a URL; `resource` undefined = for somebody who has not logged in. */
export function optionsAnswer({
  target,
  resource,
  push,
}: Pick<DavRequest, "target"> &
  Pick<CalendarBackend, "push"> & { readonly resource?: ResourceRequest["resource"] }): DavAnswer {
  const calendar = resource && "calendar" in resource ? resource.calendar : null;
  return { status: 200, headers: { Allow: allowedMethods(target.kind, { calendar, push }) } };
}

function notAllowed(
  request: DavRequest & { readonly resource?: ResourceRequest["resource"] },
): DavAnswer {
  const { headers = {} } = optionsAnswer(request);
  const fault = plainFault(405, `${request.method} is not offered here`);
  return faultAnswer({ ...fault, headers });
}

function registrationAnswer(
  context: DavContext,
  request: Parameters<typeof unregisterAnswer>[1] & DavRequest,
): DavAnswer {
  if (request.method === "OPTIONS") return optionsAnswer(request);
  return request.method === "DELETE" ? unregisterAnswer(context, request) : notAllowed(request);
}

function principalFileAnswer(context: DavContext, request: DavRequest): DavAnswer {
  const { person, login, origin, paths, file } = context;
  const { target, method } = request;
  if (!file || target.kind !== "file" || !isOwn(target, context)) {
    return faultAnswer(otherPersonFault(target, context));
  }
  if (method === "OPTIONS") return optionsAnswer(request);
  if (method !== "GET" && method !== "HEAD") return notAllowed(request);
  const body = file.write({ url: `${origin}${paths.root}`, person, login });
  const headers = {
    "Content-Type": file.type,
    "Content-Disposition": `attachment; filename="${file.name}"`,
  };
  return { status: 200, headers, body };
}

/**
 * Answers methods that create, fill or delete collections, which is impossible: the backend has a fixed set. Source: RFC 4791 5.3.1; RFC 4918 9.3, 9.6, 9.7.2.
 */
export function collectionAnswer(
  context: DavContext,
  { method, target }: Pick<DavRequest, "method" | "target">,
): DavAnswer {
  const calendar =
    target.kind === "calendar" ? context.backend.calendar(context.person, target.slug) : null;
  return faultAnswer(collectionFault(context, { method, target, calendar }));
}

const pushOf = ({ backend: { push } }: DavContext) => ({ push });

interface CollectionMethod {
  readonly method: string;
  readonly target: DavTarget;
  readonly calendar: Calendar | null;
}

function collectionFault(context: DavContext, asked: CollectionMethod): DavFault {
  const { method, target, calendar } = asked;
  switch (method) {
    case "MKCALENDAR":
    case "MKCOL":
      return creationFault(context, asked);
    case "PUT": {
      const reason = "only objects in a calendar can be stored, not collections";
      return methodFault(reason, { kind: target.kind, calendar, method, ...pushOf(context) });
    }
    case "DELETE":
    case "MOVE":
      if (target.kind === "calendar" && !calendar)
        return plainFault(404, "there is no such calendar");
      return privilegeFault("unbind", {
        href: parentOf(context, target),
        reason: context.fixedCalendars,
      });
    case "COPY":
      return plainFault(403, `a calendar cannot be copied: ${context.fixedCalendars}`);
    default:
      return methodFault(`${method} does nothing here`, {
        ...{ kind: target.kind, calendar, method },
        ...pushOf(context),
      });
  }
}

function creationFault(
  context: DavContext,
  { method, target, calendar }: CollectionMethod,
): DavFault {
  const isThere = target.kind !== "object" && (target.kind !== "calendar" || calendar !== null);
  if (isThere && method === "MKCOL") {
    return methodFault("a collection already exists here", {
      ...{ kind: target.kind, calendar, method },
      ...pushOf(context),
    });
  }
  if (isThere) return davFault("resource-must-be-null", "a collection already exists here");
  if (method === "MKCALENDAR")
    return caldavFault("calendar-collection-location-ok", context.fixedCalendars);
  return privilegeFault("bind", {
    href: parentOf(context, target),
    reason: context.fixedCalendars,
  });
}

/** The collection that contains the target. */
function parentOf({ paths }: DavContext, target: DavTarget): string {
  switch (target.kind) {
    case "calendar":
      return paths.home(target.person);
    case "object":
      return paths.calendar(target);
    case "home":
      return paths.homes;
    case "principal":
    case "file":
    case "registration":
      return paths.principals;
    case "root":
    case "principals":
    case "homes":
      return paths.root;
  }
}

/**
 * Answers a REPORT. An unknown one is refused with DAV:supported-report, never with a status that looks like a failed
 * condition, as programs would stop syncing. Source: RFC 3253 3.6.
 */
function reportAnswer(context: DavContext, request: ResourceRequest): DavAnswer {
  const xml = documentOf(request);
  if (!xml.ok) return faultAnswer(xmlFault(xml.failure));
  if (xml.value === null) return faultAnswer(bodyFault("the body has no report: it is empty"));
  const report: DavReport = { ...request, xml: xml.value };
  const excess = choiceFault(report.xml);
  if (excess) return faultAnswer(excess);
  const isSupported = supportedReports(request.resource.kind).some((name) =>
    sameName(name, report.xml),
  );
  const answer = isSupported ? answers.get(keyOf(report.xml)) : undefined;
  if (answer) return answer(context, report);
  const reason = `the report ${report.xml.name} is not known here`;
  return faultAnswer(davFault("supported-report", reason));
}

type ReportAnswer = (context: DavContext, report: DavReport) => DavAnswer;

const answers: ReadonlyMap<string, ReportAnswer> = new Map(
  (
    [
      [caldav("calendar-query"), queryAnswer],
      [caldav("calendar-multiget"), multigetAnswer],
      [caldav("free-busy-query"), freeBusyAnswer],
      [dav("sync-collection"), syncAnswer],
      [dav("expand-property"), expandAnswer],
      [dav("principal-match"), principalMatchAnswer],
      [dav("principal-property-search"), principalSearchAnswer],
      [dav("principal-search-property-set"), searchPropertiesAnswer],
    ] as const
  ).map(([name, answer]) => [keyOf(name), answer]),
);
