import { fail, ok, type Result } from "@dayferry/ical";
import type { CollectionResource, DavAnswer, DavContext } from "../dav-request.ts";
import { bodyFault, type DavFault, faultAnswer } from "../fault.ts";
import { hrefOf } from "../paths.ts";
import { wantsMinimal } from "../prefer.ts";
import { type Wanted, wantedIn } from "../properties/answer-properties.ts";
import { collectionProps } from "../properties/collection-properties.ts";
import { unreachable } from "../unreachable.ts";
import { childOf, childrenNamed, childrenOf, xmlTextOf } from "../xml/read-xml.ts";
import { element, hrefElement, namedElement, response, xmlDocument } from "../xml/write-xml.ts";
import { caldav, dav, keyOf, type QName, server, type XmlElement } from "../xml/xml-names.ts";
import { type DavReport, multistatusAnswer } from "./report-question.ts";

/** Searches people. Each person only sees themselves. Source: RFC 3744 9.4. */
export function principalSearchAnswer(context: DavContext, report: DavReport): DavAnswer {
  const search = readSearch(report.xml);
  if (!search.ok) return faultAnswer(search.failure);
  const wanted = wantedIn(report.xml) ?? nothing;
  const found: readonly CollectionResource[] = matchesSearch(search.value, context)
    ? [{ kind: "principal" }]
    : [];
  return listing({ context, report, wanted }, found);
}

/** The properties to search people by. Source: RFC 3744 9.5. */
export function searchPropertiesAnswer(): DavAnswer {
  const properties = searchable.map(({ name, description }) =>
    element(
      "d:principal-search-property",
      element("d:prop", namedElement(name, "")) +
        `<d:description xml:lang="en">${description}</d:description>`,
    ),
  );
  return {
    status: 200,
    headers: { "Content-Type": "application/xml; charset=utf-8" },
    body: xmlDocument("d:principal-search-property-set", properties.join("")),
  };
}

/**
 * The person's own resources below a URL: with `self` the principal, with a property everything whose property names the
 * principal. Source: RFC 3744 9.3.
 */
export function principalMatchAnswer(context: DavContext, report: DavReport): DavAnswer {
  const { resource, xml } = report;
  if (resource.kind === "object") throw new Error("there is nothing below an object");
  const property = childOf(xml, "principal-property");
  const name = property && childrenOf(property)[0];
  if (!name && !childOf(xml, "self")) {
    return faultAnswer(bodyFault("a principal-match needs a principal-property or a self"));
  }
  const below = collectionsBelow(resource, context);
  const found = name
    ? below.filter(namesPerson(name, context))
    : below.filter(({ kind }) => kind === "principal");
  return listing({ context, report, wanted: wantedIn(xml) ?? nothing }, found);
}

const nothing: Wanted = { kind: "prop", names: [] };

interface Listing {
  readonly context: DavContext;
  readonly report: DavReport;
  readonly wanted: Wanted;
}

function listing(
  { context, report, wanted }: Listing,
  found: readonly CollectionResource[],
): DavAnswer {
  const minimal = wantsMinimal(report);
  const propsOf = collectionProps({ context, wanted, minimal });
  const responses = found.map((each) => response(hrefOf(each, context), propsOf(each)));
  return multistatusAnswer({ responses }, { minimal });
}

interface Searchable {
  readonly name: QName;
  readonly description: string;
  readonly valuesOf: (context: DavContext) => readonly string[];
}

const searchable: readonly Searchable[] = [
  {
    name: dav("displayname"),
    description: "Name",
    valuesOf: ({ person }) => [person.name],
  },
  {
    name: server("email-address-set"),
    description: "E-mail address",
    valuesOf: ({ person }) => (person.email === null ? [] : [person.email]),
  },
  {
    name: caldav("calendar-user-address-set"),
    description: "Calendar address",
    valuesOf: ({ person, paths }) => [
      ...(person.email === null ? [] : [`mailto:${person.email}`]),
      paths.principal(person.id),
    ],
  },
];

interface Search {
  /** True if one condition is enough. */
  readonly isAny: boolean;
  readonly conditions: readonly {
    readonly properties: readonly QName[];
    /** In lower case. */
    readonly part: string;
  }[];
}

function readSearch(xml: XmlElement): Result<Search, DavFault> {
  const conditions: Search["conditions"][number][] = [];
  for (const search of childrenNamed(xml, "property-search")) {
    const [prop, match] = [childOf(search, "prop"), childOf(search, "match")];
    if (!prop || !match) return fail(bodyFault("a property-search needs a prop and a match"));
    conditions.push({ properties: childrenOf(prop), part: xmlTextOf(match).toLowerCase() });
  }
  if (conditions.length === 0) {
    return fail(bodyFault("a principal-property-search needs a property-search"));
  }
  return ok({ isAny: xml.attributes.get("test")?.trim() === "anyof", conditions });
}

/** All properties of a condition must match. One that cannot be searched never does. */
function matchesSearch({ isAny, conditions }: Search, context: DavContext): boolean {
  const holds = ({ properties, part }: Search["conditions"][number]) =>
    properties.every((property) =>
      valuesOf(property, context).some((value) => value.toLowerCase().includes(part)),
    );
  return isAny ? conditions.some(holds) : conditions.every(holds);
}

function valuesOf(property: QName, context: DavContext): readonly string[] {
  const known = searchable.find(({ name }) => keyOf(name) === keyOf(property));
  return known?.valuesOf(context) ?? [];
}

/** A collection and everything below it that can belong to a person. */
function collectionsBelow(
  resource: CollectionResource,
  { backend, person }: DavContext,
): readonly CollectionResource[] {
  const principal = { kind: "principal" } as const;
  const homes = (): readonly CollectionResource[] => [
    { kind: "home" },
    ...backend.calendars(person).map((calendar) => ({ kind: "calendar", calendar }) as const),
  ];
  switch (resource.kind) {
    case "root":
      return [principal, ...homes()];
    case "principals":
    case "principal":
      return [principal];
    case "homes":
    case "home":
      return homes();
    case "calendar":
      return [resource];
    default:
      return unreachable(resource);
  }
}

/** True if a property of a resource names the person's principal. */
function namesPerson(name: QName, context: DavContext): (resource: CollectionResource) => boolean {
  const wanted = { kind: "prop", names: [name] } as const;
  const propsOf = collectionProps({ context, wanted, minimal: true });
  const own = hrefElement(context.paths.principal(context.person.id));
  return (resource) => propsOf(resource).some(({ props }) => props.includes(own));
}
