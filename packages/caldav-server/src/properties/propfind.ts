import { fail, ok, type Result } from "@dayferry/ical";
import { countFitting, tooLarge } from "../answer-size.ts";
import type { CalendarObject } from "../backend.ts";
import type {
  CollectionResource,
  DavAnswer,
  DavContext,
  Resource,
  ResourceRequest,
} from "../dav-request.ts";
import {
  bodyFault,
  type DavFault,
  davFault,
  faultAnswer,
  missingFault,
  xmlFault,
} from "../fault.ts";
import { withPresent } from "../listed-member.ts";
import { hrefOf } from "../paths.ts";
import { minimalHeaders, wantsMinimal } from "../prefer.ts";
import { unreachable } from "../unreachable.ts";
import { documentOf, isNamed } from "../xml/read-xml.ts";
import { multistatus, response } from "../xml/write-xml.ts";
import { keyOf } from "../xml/xml-names.ts";
import { choiceFault, sizeOfNames, type Wanted, wantedIn } from "./answer-properties.ts";
import { collectionProps } from "./collection-properties.ts";
import { isFixedWithObject, objectProps } from "./object-properties.ts";

export const xmlType = "application/xml; charset=utf-8";

/** Properties of a resource, and with depth 1 of its direct members. Source: RFC 4918 9.1. */
export function propfindAnswer(context: DavContext, request: ResourceRequest): DavAnswer {
  const { resource } = request;
  const depth = depthOf(request.headers["depth"], resource);
  if (!depth.ok) return faultAnswer(depth.failure);
  const wanted = readWanted(request);
  if (!wanted.ok) return faultAnswer(wanted.failure);

  if (resource.kind === "object" && resource.object === null) {
    return faultAnswer(missingFault());
  }
  const minimal = wantsMinimal(request);
  const isDeep = depth.value === 1;
  const members =
    isDeep && resource.kind === "calendar" ? context.backend.objects(resource.calendar) : [];
  const question = { context, resource, isDeep, members, wanted: wanted.value, minimal };
  if (isTooMuch(question)) return faultAnswer(tooLarge);
  return {
    status: 207,
    headers: { "Content-Type": xmlType, ...(minimal && minimalHeaders) },
    pieces: multistatus({ responses: responsesOf(question) }),
  };
}

/**
 * Without a Depth header RFC 4918 means infinity. Simple programs omit it and would be refused, so they get the deepest
 * possible answer: there is nothing below a calendar's members anyway.
 */
function depthOf(header: string | undefined, resource: Resource): Result<0 | 1, DavFault> {
  const depth = header?.trim().toLowerCase() ?? "1";
  if (resource.kind === "object" && ["0", "1", "infinity"].includes(depth)) return ok(0);
  if (depth === "0") return ok(0);
  if (depth === "1") return ok(1);
  if (depth === "infinity") {
    return fail(davFault("propfind-finite-depth", "collections are listed one level at a time"));
  }
  return fail(bodyFault(`the Depth "${depth}" is none: 0, 1 or infinity are`));
}

function readWanted(request: ResourceRequest): Result<Wanted, DavFault> {
  const xml = documentOf(request);
  if (!xml.ok) return fail(xmlFault(xml.failure));
  if (xml.value === null) return ok({ kind: "allprop", include: [] });
  if (!isNamed(xml.value, "propfind")) {
    return fail(bodyFault(`the body is a ${xml.value.name}, not a DAV:propfind`));
  }
  const excess = choiceFault(xml.value);
  if (excess) return fail(excess);
  const wanted = wantedIn(xml.value);
  return wanted ? ok(wanted) : fail(bodyFault("expected prop, allprop or propname"));
}

interface Question {
  readonly context: DavContext;
  readonly resource: Resource;
  readonly isDeep: boolean;
  /** Set if a calendar's members are included. */
  readonly members: readonly CalendarObject[];
  readonly wanted: Wanted;
  readonly minimal: boolean;
}

/** True if the names alone, repeated for every member, exceed the limit. */
function isTooMuch({ members, wanted }: Question): boolean {
  const each = { names: sizeOfNames(wanted), hasData: false };
  return countFitting(members, each) < members.length;
}

/**
 * A collection's version is written before the listing of its members: it must not be newer, as a program would miss the
 * changes in between.
 */
function responsesOf({ resource, isDeep, ...question }: Question): Iterable<string> {
  const { context } = question;
  if (resource.kind === "object") {
    const { object, calendar } = resource;
    const propsOf = objectProps({ ...question, calendar });
    return object ? [response(hrefOf(resource, context), propsOf(object))] : [];
  }
  const propsOf = collectionProps(question);
  const written = (each: CollectionResource) => response(hrefOf(each, context), propsOf(each));
  const own = written(resource);
  return isDeep ? withInner(own, { resource, question, written }) : [own];
}

function* withInner(
  own: string,
  of: {
    readonly resource: CollectionResource;
    readonly question: Omit<Question, "resource" | "isDeep">;
    readonly written: (each: CollectionResource) => string;
  },
): Generator<string> {
  const { resource, question, written } = of;
  yield own;
  yield* collectionsIn(resource, question.context).values().map(written);
  yield* objectsIn(resource, question);
}

function collectionsIn(
  { kind }: CollectionResource,
  { backend, person }: DavContext,
): readonly CollectionResource[] {
  switch (kind) {
    case "root":
      return [{ kind: "principals" }, { kind: "homes" }];
    case "principals":
      return [{ kind: "principal" }];
    case "homes":
      return [{ kind: "home" }];
    case "home":
      return backend.calendars(person).map((calendar) => ({ kind: "calendar", calendar }));
    case "principal":
    case "calendar":
      return [];
    default:
      return unreachable(kind);
  }
}

function* objectsIn(
  resource: CollectionResource,
  question: Omit<Question, "resource" | "isDeep">,
): Generator<string> {
  if (resource.kind !== "calendar") return;
  const { calendar } = resource;
  const { context, members } = question;
  const { paths, backend, listings } = context;
  const propsOf = objectProps({ ...question, calendar });
  const pathOfName = paths.objectsIn(calendar);
  const written = (object: CalendarObject) => response(pathOfName(object.name), propsOf(object));
  const id = listingId(resource, question);
  if (id !== null) {
    yield* listings.texts({ id, members, write: written });
    return;
  }
  for (const object of members) {
    yield withPresent(written, { backend, calendar, object }) ?? "";
  }
}

/** Longer ones name properties that no program requests regularly. */
const longestId = 2000;

/** Identifies a listing with only properties fixed with each object; null for others. */
function listingId(
  resource: CollectionResource,
  { context, wanted, minimal }: Omit<Question, "resource" | "isDeep">,
): string | null {
  if (!isFixedWithObject(wanted)) return null;
  const id = [hrefOf(resource, context), String(minimal), ...wanted.names.map(keyOf)].join("\n");
  return id.length <= longestId ? id : null;
}
