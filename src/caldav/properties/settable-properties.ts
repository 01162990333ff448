import { splitText } from "@dayferry/ical";
import { apple, caldav, dav, keyOf, type XmlElement } from "../xml/xml-names.ts";

/** A property of a calendar that programs may set, for their person alone; until then it is what the project says. */
interface SettableProp {
  /** Why a text cannot be its value; null when it can. */
  readonly faultOf: (text: string) => string | null;
}

const longestName = 500;

/**
 * The properties of a calendar that programs may set, by `keyOf` of their names. All hold text. Others that a program
 * sets are dead ones, kept as XML. Source: RFC 4918 4.
 */
export const settableProps: ReadonlyMap<string, SettableProp> = new Map([
  [
    keyOf(dav("displayname")),
    {
      faultOf: (text) =>
        text.trim() === "" || text.length > longestName
          ? `a name has 1 to ${longestName} characters`
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

/** The attribute that tells the language of a text, as `XmlElement` names it. */
const attribute = "{http://www.w3.org/XML/1998/namespace}lang";
const languagePrefix = `${attribute} `;
const longestLanguage = 100;

/** The language that the innermost of these elements says it is in, from the inside out; null for none. Source: RFC 4918 4.3. */
export function languageOf(elements: readonly XmlElement[]): string | null {
  const said = elements.map(({ attributes }) => attributes.get(attribute));
  const language = said.find((text) => text !== undefined)?.trim() ?? "";
  return language === "" || language.length > longestLanguage ? null : language;
}

/** Under what the language of a property is kept, beside the property itself. */
export const languageKey = (property: string): string => languagePrefix + property;

/** What programs have set on a resource, and in what languages, both by `keyOf`. */
export function splitLanguages(kept: ReadonlyMap<string, string>): {
  readonly own: ReadonlyMap<string, string>;
  readonly languages: ReadonlyMap<string, string>;
} {
  const own = new Map<string, string>();
  const languages = new Map<string, string>();
  for (const [key, value] of kept) {
    if (key.startsWith(languagePrefix)) languages.set(key.slice(languagePrefix.length), value);
    else own.set(key, value);
  }
  return { own, languages };
}
