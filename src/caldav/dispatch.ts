import { appleProfile, profileType, profileUuid } from "../calendars/apple-profile.ts";
import { collectionAnswer } from "./collection.ts";
import type { DavAnswer, DavContext, DavRequest } from "./context.ts";
import { type DavFault, faultAnswer, plainFault } from "./fault.ts";
import { allowedMethods } from "./methods.ts";
import { objectAnswer } from "./objects/object.ts";
import { propfindAnswer } from "./properties/propfind.ts";
import { proppatchAnswer } from "./properties/proppatch.ts";
import { calendarText } from "./reports/calendar-text.ts";
import { reportAnswer } from "./reports/report.ts";
import { checkRequest } from "./request-rules.ts";
import { findResource, foreign, type Resource } from "./resource.ts";
import { welcome } from "./welcome.ts";

/** Answers a request of a person who has logged in. */
export function davAnswer(context: DavContext, request: DavRequest): DavAnswer {
  const { method, target } = request;
  if (!known.has(method)) return notAllowed(request);
  // Nothing can be made at these addresses, whatever stands there or does not.
  if (method === "MKCALENDAR" || method === "MKCOL") return collectionAnswer(context, request);
  if (target.kind === "profile") return profileAnswer(context, request);
  const found = findResource(target, context);
  if (!found.ok) return faultAnswer(missing(found.failure, request));
  const named = { ...request, resource: found.value };
  const headers = checkRequest(context, named);
  if (!headers.ok) return faultAnswer(headers.failure);
  return resourceAnswer(context, { ...named, headers: headers.value });
}

const known: ReadonlySet<string> = new Set([
  "OPTIONS",
  "GET",
  "HEAD",
  "PROPFIND",
  "PROPPATCH",
  "REPORT",
  "PUT",
  "DELETE",
  "COPY",
  "MOVE",
  "MKCALENDAR",
  "MKCOL",
]);

/** An object cannot be put where there is no calendar. Source: RFC 4918 9.7.1. */
const missing = (fault: DavFault, { method }: DavRequest): DavFault =>
  fault.status === 404 && method === "PUT" ? { ...fault, status: 409 } : fault;

interface ResourceRequest extends DavRequest {
  readonly resource: Resource;
}

function resourceAnswer(context: DavContext, request: ResourceRequest): DavAnswer {
  const { method } = request;
  switch (method) {
    case "OPTIONS":
      return optionsAnswer(request);
    case "PROPFIND":
      return propfindAnswer(context, request);
    case "PROPPATCH":
      return proppatchAnswer(context, request);
    case "REPORT":
      return reportAnswer(context, request);
    default:
      return contentAnswer(context, request);
  }
}

/** GET, HEAD and what changes content. */
function contentAnswer(context: DavContext, request: ResourceRequest): DavAnswer {
  const { method, resource } = request;
  if (resource.kind === "object") {
    const { calendar, name } = resource;
    return objectAnswer(context, { ...request, calendar, name });
  }
  if (method !== "GET" && method !== "HEAD") return collectionAnswer(context, request);
  return resource.kind === "calendar"
    ? calendarText(context, { ...request, calendar: resource.calendar })
    : welcome(context);
}

/** What can be done at an address; `resource` undefined = by somebody who has not logged in. */
export function optionsAnswer({
  target,
  resource,
}: Pick<DavRequest, "target"> & { readonly resource?: Resource }): DavAnswer {
  const calendar = resource && "calendar" in resource ? resource.calendar : null;
  return { status: 200, headers: { Allow: allowedMethods(target.kind, { calendar }) } };
}

function notAllowed(request: DavRequest & { readonly resource?: Resource }): DavAnswer {
  const { headers = {} } = optionsAnswer(request);
  const fault = plainFault(405, `${request.method} is not offered here`);
  return faultAnswer({ ...fault, headers });
}

function profileAnswer(context: DavContext, request: DavRequest): DavAnswer {
  const { person, login, origin, paths, store } = context;
  const { target, method } = request;
  if (target.kind !== "profile" || target.person !== person.id) {
    return faultAnswer(foreign(target, context));
  }
  if (method === "OPTIONS") return optionsAnswer(request);
  if (method !== "GET" && method !== "HEAD") return notAllowed(request);
  const body = appleProfile({
    url: `${origin}${paths.root}`,
    person,
    login,
    description: "Dayferry",
    uuid: profileUuid(store.meta.installation, person.id),
  });
  const headers = {
    "Content-Type": profileType,
    "Content-Disposition": `attachment; filename="dayferry.mobileconfig"`,
  };
  return { status: 200, headers, body };
}
