import { tooLarge } from "../answer-size.ts";
import type { DavAnswer, DavContext, Resource } from "../dav-request.ts";
import { bodyFault, faultAnswer, missingFault } from "../fault.ts";
import { hrefOf, resourceAt } from "../paths.ts";
import { wantsMinimal } from "../prefer.ts";
import { namesFault } from "../properties/answer-properties.ts";
import { collectionProps } from "../properties/collection-properties.ts";
import { objectProps } from "../properties/object-properties.ts";
import { childrenNamed } from "../xml/read-xml.ts";
import { type Propstat, response, unescapeText } from "../xml/write-xml.ts";
import { davNamespace, type QName, type XmlElement } from "../xml/xml-names.ts";
import { type DavReport, multistatusAnswer } from "./report-question.ts";

/** Properties of a resource, with each href replaced by the properties of its resource. Source: RFC 3253 3.8. */
export function expandAnswer(context: DavContext, report: DavReport): DavAnswer {
  const asked = readAsked(report.xml);
  if (asked === null) return faultAnswer(bodyFault("a property of expand-property has no name"));
  const { resource } = report;
  if (resource.kind === "object" && !resource.object) {
    return faultAnswer(missingFault());
  }
  const excess = namesFault(namesIn(asked));
  if (excess) return faultAnswer(excess);
  const minimal = wantsMinimal(report);
  const budget = { left: longestExpansion };
  const expanded = expand(resource, { context, minimal, asked, budget });
  if (expanded === null) return faultAnswer(tooLarge);
  return multistatusAnswer({ responses: [expanded] }, { minimal });
}

/**
 * In characters, of everything written: nested properties are repeated for each href, so a short request could multiply a long
 * property endlessly. A person's principal, home and calendars take less than a tenth.
 */
const longestExpansion = 2 ** 20;

const namesIn = (asked: readonly AskedProperty[]): readonly QName[] =>
  asked.flatMap((property) => [property, ...namesIn(property.inside)]);

/** A property, and the properties requested of the resources it names. */
interface AskedProperty extends QName {
  readonly inside: readonly AskedProperty[];
}

/** Null if one has no name. */
function readAsked(element: XmlElement): readonly AskedProperty[] | null {
  const asked: AskedProperty[] = [];
  for (const property of childrenNamed(element, "property")) {
    const name = property.attributes.get("name")?.trim() ?? "";
    const inside = readAsked(property);
    if (name === "" || inside === null) return null;
    const namespace = property.attributes.get("namespace")?.trim() ?? davNamespace;
    asked.push({ namespace, name, inside });
  }
  return asked;
}

interface Expansion {
  readonly context: DavContext;
  readonly minimal: boolean;
  readonly asked: readonly AskedProperty[];
  /** Number of characters left. */
  readonly budget: { left: number };
}

/** Null if it becomes too long. */
function expand(resource: Resource, expansion: Expansion): string | null {
  const plain = expansion.asked.filter(({ inside }) => inside.length === 0);
  const nested = expansion.asked.filter(({ inside }) => inside.length > 0);
  const propstats = [
    ...(plain.length > 0 ? propsOf(resource, { ...expansion, asked: plain }) : []),
    ...nested.flatMap((property) => expandProperty(resource, { ...expansion, asked: [property] })),
  ];
  const written = response(hrefOf(resource, expansion.context), joined(propstats));
  const { budget } = expansion;
  budget.left -= written.length;
  return budget.left > 0 ? written : null;
}

/** One propstat per status. */
function joined(propstats: readonly Propstat[]): readonly Propstat[] {
  const byStatus = Map.groupBy(propstats, ({ status }) => status);
  return [...byStatus].map(([status, group]) => ({
    status,
    props: group.map(({ props }) => props).join(""),
  }));
}

function expandProperty(resource: Resource, expansion: Expansion): readonly Propstat[] {
  const inside = expansion.asked.flatMap((property) => property.inside);
  return propsOf(resource, expansion).map(({ status, props }) => ({
    status,
    props: props.replace(/<d:href>([^<]*)<\/d:href>/g, (href, path: string) => {
      const { context, budget } = expansion;
      const named = budget.left > 0 ? findNamed(unescapeText(path), context) : null;
      return (named && expand(named, { ...expansion, asked: inside })) ?? href;
    }),
  }));
}

/** Null for URLs of other servers, such as e-mail addresses, and for resources that the person may not see. */
function findNamed(address: string, context: DavContext): Resource | null {
  const found = resourceAt(address, context);
  return found?.kind === "object" && !found.object ? null : found;
}

function propsOf(resource: Resource, { context, minimal, asked }: Expansion): readonly Propstat[] {
  const question = { context, minimal, wanted: { kind: "prop", names: asked } as const };
  if (resource.kind !== "object") return collectionProps(question)(resource);
  const { calendar, object } = resource;
  return object ? objectProps({ ...question, calendar })(object) : [];
}
