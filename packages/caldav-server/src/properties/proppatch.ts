import { fail, ok, type Result } from "@dayferry/ical";
import type { Calendar } from "../backend.ts";
import type { DavAnswer, DavContext, ResourceRequest } from "../dav-request.ts";
import { bodyFault, type DavFault, faultAnswer, privilegeFault, xmlFault } from "../fault.ts";
import { hrefOf } from "../paths.ts";
import { minimalHeaders, wantsMinimal } from "../prefer.ts";
import { childOf, childrenOf, documentOf, isNamed, xmlTextOf } from "../xml/read-xml.ts";
import { multistatus, namedElement, type Propstat, rawInner, response } from "../xml/write-xml.ts";
import { keyOf, type QName, type XmlElement } from "../xml/xml-names.ts";
import { namesFault } from "./answer-properties.ts";
import { protectedProps, settableAt } from "./collection-properties.ts";
import { xmlType } from "./propfind.ts";
import { languageKey, languageOf, settableProps, splitLanguages } from "./settable-properties.ts";

/**
 * Longest value of one property, most properties per calendar and person, and their total size with names. Lengths are in
 * characters.
 */
const longestValue = 20_000;
const mostProperties = 100;
const mostKept = 100_000;

/**
 * Sets a person's name for a calendar, and any property unknown to Dayferry. Everything is stored here, for this person alone,
 * and all or nothing is done. A home only accepts unknown properties: Apple's Calendar stores its default alarms there, and
 * considers the account broken otherwise. Source: RFC 4918 9.2.
 */
export function proppatchAnswer(context: DavContext, request: ResourceRequest): DavAnswer {
  const { resource } = request;
  const place = settableAt(resource);
  const isReadOnly = resource.kind === "calendar" && resource.calendar.access === "read";
  if (place === undefined || isReadOnly) {
    const about = { href: hrefOf(resource, context), reason: readOnlyResource };
    return faultAnswer(privilegeFault("write-properties", about));
  }
  const changes = readChanges(request);
  if (!changes.ok) return faultAnswer(changes.failure);

  const excess = namesFault(changes.value.map(({ element }) => element));
  if (excess) return faultAnswer(excess);

  const kept = context.backend.properties(context.person, place);
  const isFixed = protectedProps(context);
  const isProtected = (name: QName) =>
    isFixed(name) || (resource.kind === "home" && settableProps.has(keyOf(name)));
  const judged = changes.value.map((change) => ({ change, verdict: judge(change, isProtected) }));
  const full = isFull(changes.value, kept);
  const isDone = !full && judged.every(({ verdict }) => verdict === null);
  if (isDone) keep(changes.value, context, place);

  const minimal = wantsMinimal(request);
  if (isDone && minimal) return { status: 200, headers: minimalHeaders };
  const verdicts = judged.map(({ change, verdict }) => ({
    change,
    verdict: verdict ?? (full ? tooMany : isDone ? done : failedDependency),
  }));
  const pieces = multistatus({
    responses: [response(hrefOf(resource, context), propstats(verdicts))],
  });
  return { status: 207, headers: { "Content-Type": xmlType }, pieces };
}

const readOnlyResource = "properties can only be set on calendars you may change, and their home";

/** `value`: the text, or the XML of an unknown property; null removes it. `language`: from xml:lang; null if none. */
interface Change {
  readonly element: XmlElement;
  readonly value: string | null;
  readonly language: string | null;
}

/** In document order, as the last one counts. */
function readChanges(request: ResourceRequest): Result<readonly Change[], DavFault> {
  const xml = documentOf(request);
  if (!xml.ok) return fail(xmlFault(xml.failure));
  if (xml.value === null || !isNamed(xml.value, "propertyupdate")) {
    return fail(bodyFault("the body is not a DAV:propertyupdate"));
  }
  const root = xml.value;
  const changes = childrenOf(root).flatMap((step) => {
    const isSet = isNamed(step, "set");
    const prop = isSet || isNamed(step, "remove") ? childOf(step, "prop") : null;
    if (prop === null) return [];
    const around = [prop, step, root];
    return childrenOf(prop).map((element) => ({
      element,
      value: isSet ? written(element) : null,
      language: isSet ? languageOf([element, ...around]) : null,
    }));
  });
  return changes.length > 0
    ? ok(changes)
    : fail(bodyFault("the body neither sets nor removes a property"));
}

const written = (element: XmlElement): string =>
  settableProps.has(keyOf(element)) ? xmlTextOf(element) : rawInner(element);

/** `error`: a precondition as XML. */
interface Verdict {
  readonly status: number;
  readonly error: string;
}

const done: Verdict = { status: 200, error: "" };
const failedDependency: Verdict = { status: 424, error: "" };
const tooMany: Verdict = { status: 507, error: "" };

/** Null if the change is allowed. */
function judge({ element, value }: Change, isProtected: (name: QName) => boolean): Verdict | null {
  if (isProtected(element)) {
    return { status: 403, error: "<d:cannot-modify-protected-property/>" };
  }
  if (value === null) return null;
  if (value.length > longestValue) return { status: 507, error: "" };
  const fault = settableProps.get(keyOf(element))?.faultOf(value) ?? null;
  return fault === null ? null : { status: 409, error: `<df:reason>${fault}</df:reason>` };
}

/** True if the calendar's limit would be exceeded. Changes that reduce the size are always accepted. */
function isFull(changes: readonly Change[], kept: ReadonlyMap<string, string>): boolean {
  const before = splitLanguages(kept).own;
  const after = new Map(before);
  for (const { element, value } of changes) {
    if (value === null) after.delete(keyOf(element));
    else after.set(keyOf(element), value);
  }
  const size = sizeOf(after);
  return after.size > mostProperties || (size > mostKept && size > sizeOf(before));
}

const sizeOf = (properties: ReadonlyMap<string, string>): number =>
  properties.entries().reduce((sum, [key, value]) => sum + key.length + value.length, 0);

function keep(changes: readonly Change[], context: DavContext, place: Calendar | null): void {
  const { backend, person } = context;
  const set = new Map<string, string | null>();
  for (const { element, value, language } of changes) {
    set.set(keyOf(element), value);
    set.set(languageKey(keyOf(element)), language);
  }
  backend.setProperties(person, place, set);
}

/** One propstat per result; a property named twice appears once. */
function propstats(
  verdicts: readonly { readonly change: Change; readonly verdict: Verdict }[],
): readonly Propstat[] {
  const groups = new Map<string, Propstat>();
  // The cause of the failure must be reported, even if another value of the same name was fine.
  const [others, causes] = [
    verdicts.filter(({ verdict }) => verdict === failedDependency),
    verdicts.filter(({ verdict }) => verdict !== failedDependency),
  ];
  const last = new Map([...others, ...causes].map((each) => [keyOf(each.change.element), each]));
  for (const { change, verdict } of last.values()) {
    const { status, error } = verdict;
    const before = groups.get(`${status} ${error}`)?.props ?? "";
    const props = before + namedElement(change.element, "");
    groups.set(`${status} ${error}`, { status, props, error });
  }
  return [...groups.values()];
}
