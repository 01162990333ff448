import { type DavFault, plainFault } from "../fault.ts";
import { unreachable } from "../unreachable.ts";
import { childOf, childrenOf, isNamed } from "../xml/read-xml.ts";
import { elementOf, languageElement, type Propstat, type Tag, tagOf } from "../xml/write-xml.ts";
import { keyOf, type QName, type XmlElement } from "../xml/xml-names.ts";

/** The requested properties. `allprop`: those of RFC 4918 and what programs have set, plus `include`. */
export type Wanted =
  | { readonly kind: "prop"; readonly names: readonly QName[] }
  | { readonly kind: "allprop"; readonly include: readonly QName[] }
  | { readonly kind: "propname" };

/** A property of a kind of resource: its content as XML, "" for an empty element, null if this one lacks it. */
interface LiveProp<Subject> {
  readonly content: (subject: Subject) => string | null;
  /** True if `allprop` includes it: the properties of RFC 4918, and no others. Source: RFC 4791 5.2. */
  readonly isCommon: boolean;
}

/** By `keyOf` of their names. */
export type LiveProps<Subject> = ReadonlyMap<string, LiveProp<Subject>>;

/** A property and its content, as in `LiveProp`. */
export type PropEntry<Subject> = readonly [name: QName, content: LiveProp<Subject>["content"]];

/** The table of a kind of resource; `allprop` returns the common ones. */
export function livePropsOf<Subject>(entries: {
  readonly common: readonly PropEntry<Subject>[];
  readonly special: readonly PropEntry<Subject>[];
}): LiveProps<Subject> {
  const row =
    (isCommon: boolean) =>
    ([name, content]: PropEntry<Subject>) =>
      [keyOf(name), { content, isCommon }] as const;
  return new Map([...entries.common.map(row(true)), ...entries.special.map(row(false))]);
}

interface PropQuestion<Subject> {
  readonly wanted: Wanted;
  /** Omits missing properties, as `Prefer: return=minimal` requests. Source: RFC 8144 2.1. */
  readonly minimal: boolean;
  readonly live: LiveProps<Subject>;
  /** Properties set by programs and unknown to Dayferry, by `keyOf`: the content as XML. */
  readonly dead?: ReadonlyMap<string, string>;
  /** The language of properties, as set by programs, by `keyOf`. */
  readonly languages?: ReadonlyMap<string, string>;
}

/**
 * Answers the same request for one resource after the other; what depends on the request alone is computed once. There is
 * always a propstat, as some programs take a response without one for an error.
 */
export function answerProps<Subject>(
  question: PropQuestion<Subject>,
): (subject: Subject) => readonly Propstat[] {
  const namesOnly = question.wanted.kind === "propname";
  const asked = askedProps(question);
  return (subject) => {
    let found = "";
    let missing = "";
    for (const { name, tag, content, isRequired, language } of asked) {
      const value = content(subject);
      if (value !== null && language !== undefined && !namesOnly) {
        found += languageElement({ name, language }, value);
      } else if (value !== null) found += elementOf(tag, namesOnly ? "" : value);
      else if (isRequired) missing += tag.empty;
    }
    if (missing === "" || question.minimal) return [{ status: 200, props: found }];
    const absent = { status: 404, props: missing };
    return found === "" ? [absent] : [{ status: 200, props: found }, absent];
  };
}

/**
 * Programs request about thirty, in two or three thousand characters. Each is repeated for every member, so many or long ones
 * would give an endless answer.
 */
const mostNamed = 500;
const longestName = 500;
const longestNames = 10_000;

/** Why a choice of properties is refused: too many, or too long; null if it is fine. */
export function choiceFault(of: XmlElement): DavFault | null {
  const choices = [childOf(of, "prop"), childOf(of, "include")];
  return namesFault(choices.flatMap((choice) => (choice ? childrenOf(choice) : [])));
}

/** The same for names elsewhere. */
export function namesFault(names: readonly QName[]): DavFault | null {
  if (names.length > mostNamed) {
    return plainFault(403, `more than ${mostNamed} properties are named`);
  }
  const lengths = names.map((name) => tagOf(name).empty.length);
  if (lengths.some((length) => length > longestName)) {
    return plainFault(403, `a property name is longer than ${longestName} characters`);
  }
  return sum(lengths) <= longestNames
    ? null
    : plainFault(403, `the property names are longer than ${longestNames} characters together`);
}

/** Size of the names in each member's response, in characters. */
export function sizeOfNames(wanted: Wanted): number {
  const names = wanted.kind === "prop" ? wanted.names : [];
  return sum(names.map((name) => elementOf(tagOf(name), " ").length));
}

const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0);

/**
 * The properties requested by one child prop, allprop or propname; null if there is none, or more than one. Source: RFC 4918
 * 14.20, RFC 3253 3.6 (reports take the same).
 */
export function wantedIn(of: XmlElement): Wanted | null {
  const kinds = childrenOf(of).filter((child) =>
    ["prop", "allprop", "propname"].some((name) => isNamed(child, name)),
  );
  const [kind] = kinds;
  if (kind === undefined || kinds.length > 1) return null;
  if (kind.name === "propname") return { kind: "propname" };
  if (kind.name === "prop") return { kind: "prop", names: childrenOf(kind) };
  const include = childOf(of, "include");
  return { kind: "allprop", include: include ? childrenOf(include) : [] };
}

interface AskedProp<Subject> {
  readonly name: QName;
  readonly tag: Tag;
  readonly content: (subject: Subject) => string | null;
  readonly language: string | undefined;
  /** Requested by name, so a missing one is reported. */
  readonly isRequired: boolean;
}

function askedProps<Subject>(question: PropQuestion<Subject>): readonly AskedProp<Subject>[] {
  const { wanted } = question;
  const named = namedKeys(wanted);
  const implied = [...impliedKeys(question)].filter((key) => !named.has(key));
  const asked = (isRequired: boolean) => (key: string) => {
    const name = nameOfKey(key);
    const language = question.languages?.get(key);
    return { name, tag: tagOf(name), content: contentOf(key, question), language, isRequired };
  };
  return [...[...named].map(asked(true)), ...implied.map(asked(false))];
}

function namedKeys(wanted: Wanted): ReadonlySet<string> {
  switch (wanted.kind) {
    case "prop":
      return new Set(wanted.names.map(keyOf));
    case "allprop":
      return new Set(wanted.include.map(keyOf));
    case "propname":
      return new Set();
    default:
      return unreachable(wanted);
  }
}

function impliedKeys<Subject>({ wanted, live, dead }: PropQuestion<Subject>): ReadonlySet<string> {
  if (wanted.kind === "prop") return new Set();
  const isMeant = ([, { isCommon }]: readonly [string, LiveProp<Subject>]) =>
    wanted.kind === "propname" || isCommon;
  const known = [...live].filter(isMeant).map(([key]) => key);
  return new Set([...known, ...(dead?.keys() ?? [])]);
}

function contentOf<Subject>(
  key: string,
  { live, dead }: PropQuestion<Subject>,
): (subject: Subject) => string | null {
  const prop = live.get(key);
  if (prop) return prop.content;
  const value = dead?.get(key) ?? null;
  return () => value;
}

/** The name of a `keyOf`. */
function nameOfKey(key: string): QName {
  const end = key.lastIndexOf("}");
  return { namespace: key.slice(1, end), name: key.slice(end + 1) };
}
