import type { Calendar } from "../../calendars/calendar-types.ts";
import { unreachable } from "../../domain/result.ts";
import { splitText } from "../../ics/lines/tokens.ts";
import type { Resource } from "../dav-request.ts";
import { type DavFault, plainFault } from "../fault.ts";
import { childOf, childrenOf, isNamed, type XmlElement } from "../xml/read-xml.ts";
import {
  elementOf,
  languageElement,
  namedElement,
  type Propstat,
  type Tag,
  tagOf,
} from "../xml/write-xml.ts";
import { apple, caldav, dav, keyOf, type QName } from "../xml/xml-names.ts";

/** Which properties are asked for. `allprop`: those of RFC 4918 and what programs have set, and `include` besides. */
export type Wanted =
  | { readonly kind: "prop"; readonly names: readonly QName[] }
  | { readonly kind: "allprop"; readonly include: readonly QName[] }
  | { readonly kind: "propname" };

/** A property of a kind of resource: its content as XML, "" for an empty element, null where this one has none. */
interface LiveProp<Subject> {
  readonly content: (subject: Subject) => string | null;
  /** Whether `allprop` means it: the properties of RFC 4918, and no others. Source: RFC 4791 5.2. */
  readonly isCommon: boolean;
}

/** By `keyOf` of their names. */
export type LiveProps<Subject> = ReadonlyMap<string, LiveProp<Subject>>;

/** A property and its content, as `LiveProp` has it. */
export type PropEntry<Subject> = readonly [name: QName, content: LiveProp<Subject>["content"]];

/** The table of a kind of resource; `allprop` means the common ones. */
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
  /** Leaves out what is not there, as `Prefer: return=minimal` asks. Source: RFC 8144 2.1. */
  readonly minimal: boolean;
  readonly live: LiveProps<Subject>;
  /** What programs have set on the resource and Dayferry does not know, by `keyOf`: the content as XML. */
  readonly dead?: ReadonlyMap<string, string>;
  /** In what language programs have said that a property is, by `keyOf`. */
  readonly languages?: ReadonlyMap<string, string>;
}

/**
 * Answers the same question for one resource after the other; what depends on the question alone is settled once. There
 * is always at least one propstat, as some programs take a response without any for an error.
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
 * Programs ask for some thirty, in two or three thousand characters; each one is told of every member, so that many, or
 * long ones, would be an endless answer.
 */
const mostNamed = 500;
const longestName = 500;
const longestNames = 10_000;

/** Why a choice of properties is not answered: it names too many, or too long ones; null when it does not. */
export function choiceFault(of: XmlElement): DavFault | null {
  const choices = [childOf(of, "prop"), childOf(of, "include")];
  return namesFault(choices.flatMap((choice) => (choice ? childrenOf(choice) : [])));
}

/** The same of names that stand elsewhere. */
export function namesFault(names: readonly QName[]): DavFault | null {
  if (names.length > mostNamed) {
    return plainFault(403, `more than ${mostNamed} properties are named`);
  }
  const lengths = names.map((name) => tagOf(name).empty.length);
  if (lengths.some((length) => length > longestName)) {
    return plainFault(403, `a property's name takes more than ${longestName} characters`);
  }
  return sum(lengths) <= longestNames
    ? null
    : plainFault(403, `the properties' names take more than ${longestNames} characters together`);
}

/** What the names alone take in the response of each member, in characters. */
export function sizeOfNames(wanted: Wanted): number {
  const names = wanted.kind === "prop" ? wanted.names : [];
  return sum(names.map((name) => elementOf(tagOf(name), " ").length));
}

const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0);

/**
 * Which properties an element asks for by one child prop, allprop or propname; null when there is none, or more than
 * one. Source: RFC 4918 14.20, RFC 3253 3.6 (reports take the same).
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
  /** Asked for by its name, so that it is told when there is none. */
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

/** The name behind a `keyOf`. */
function nameOfKey(key: string): QName {
  const end = key.lastIndexOf("}");
  return { namespace: key.slice(1, end), name: key.slice(end + 1) };
}

/**
 * What the person may do with a resource: exactly what the methods go on to allow. A calendar that takes nothing new
 * lacks bind, and with it the aggregate write. Source: RFC 3744 3, 5.4; RFC 4791 6.1.1.
 */
export function privilegesOf(resource: Resource): readonly QName[] {
  switch (resource.kind) {
    case "calendar":
      return [...reading, caldav("read-free-busy"), ...ofCalendar(resource.calendar)];
    case "object":
      return resource.calendar.access === "write" ? [...reading, dav("write-content")] : reading;
    case "root":
    case "principals":
    case "principal":
    case "homes":
    // What programs note at a home changes nothing that anybody else sees, and is not theirs to be told apart by.
    case "home":
      return reading;
    default:
      return unreachable(resource);
  }
}

/** Value of `current-user-privilege-set`. */
export const privilegeSet = (privileges: readonly QName[]): string =>
  privileges.map((name) => privilege(name)).join("");

/** Value of `supported-privilege-set`: the tree of all privileges that are told apart. Source: RFC 3744 5.3. */
export function supportedPrivileges(): string {
  const write = [
    supported(dav("write-properties"), "Change name and colour, for oneself"),
    supported(dav("write-content"), "Change what is there"),
    supported(dav("bind"), "Add"),
    supported(dav("unbind"), "Remove"),
  ];
  const all = [
    supported(dav("read"), "Read", supported(caldav("read-free-busy"), "Read when it is busy")),
    supported(dav("read-current-user-privilege-set"), "Read one's own privileges"),
    supported(dav("write"), "Write", write.join("")),
  ];
  return supported(dav("all"), "Everything", all.join(""));
}

const reading: readonly QName[] = [dav("read"), dav("read-current-user-privilege-set")];

function ofCalendar({ access, refusesNew }: Calendar): readonly QName[] {
  if (access === "read") return [];
  const changing = [dav("write-content"), dav("write-properties"), dav("unbind")];
  return refusesNew === null ? [dav("write"), ...changing, dav("bind")] : changing;
}

const privilege = (name: QName): string => `<d:privilege>${namedElement(name, "")}</d:privilege>`;

const supported = (name: QName, description: string, inner = ""): string =>
  `<d:supported-privilege>${privilege(name)}<d:description xml:lang="en">${description}</d:description>${inner}</d:supported-privilege>`;

const attribute = "{http://www.w3.org/XML/1998/namespace}lang";
const before = `${attribute} `;
const longest = 100;

/** The language that the innermost of these elements says it is in, from the inside out; null for none. Source: RFC 4918 4.3. */
export function languageOf(elements: readonly XmlElement[]): string | null {
  const said = elements.map(({ attributes }) => attributes.get(attribute));
  const language = said.find((text) => text !== undefined)?.trim() ?? "";
  return language === "" || language.length > longest ? null : language;
}

/** Under what the language of a property is kept, beside the property itself. */
export const languageKey = (property: string): string => before + property;

/** What programs have set on a resource, and in what languages, both by `keyOf`. */
export function splitLanguages(kept: ReadonlyMap<string, string>): {
  readonly own: ReadonlyMap<string, string>;
  readonly languages: ReadonlyMap<string, string>;
} {
  const own = new Map<string, string>();
  const languages = new Map<string, string>();
  for (const [key, value] of kept) {
    if (key.startsWith(before)) languages.set(key.slice(before.length), value);
    else own.set(key, value);
  }
  return { own, languages };
}

/** A property of a calendar that programs may set, for their person alone; until then it is what the project says. */
interface OwnProp {
  /** Why a text cannot be its value; null when it can. */
  readonly faultOf: (text: string) => string | null;
}

const longestOwnName = 500;

/** By `keyOf` of their names. All hold text. */
export const ownProps: ReadonlyMap<string, OwnProp> = new Map([
  [
    keyOf(dav("displayname")),
    {
      faultOf: (text) =>
        text.trim() === "" || text.length > longestOwnName
          ? `a name has 1 to ${longestOwnName} characters`
          : null,
    },
  ],
  [
    keyOf(apple("calendar-color")),
    {
      faultOf: (text) =>
        /^#(?:[0-9a-f]{6}|[0-9a-f]{8})$/i.test(text.trim())
          ? null
          : "a colour is written as #RRGGBB or #RRGGBBAA",
    },
  ],
  [
    keyOf(apple("calendar-order")),
    {
      faultOf: (text) => (/^-?\d{1,9}$/.test(text.trim()) ? null : "an order is a whole number"),
    },
  ],
  [keyOf(caldav("calendar-description")), { faultOf: () => null }],
  [keyOf(caldav("calendar-timezone")), { faultOf: faultOfTimeZone }],
]);

/** Source: RFC 4791 5.2.2. */
function faultOfTimeZone(text: string): string | null {
  const calendar = splitText(text);
  const zones = calendar.ok
    ? calendar.value.components.filter(({ name }) => name === "VTIMEZONE")
    : [];
  return zones.length === 1 ? null : "a time zone is a VCALENDAR with exactly one VTIMEZONE";
}
