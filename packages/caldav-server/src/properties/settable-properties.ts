import { splitText } from "@dayferry/ical";
import { apple, caldav, dav, keyOf, type XmlElement } from "../xml/xml-names.ts";

/** A property of a calendar that programs may set for their person alone; until then it comes from the project. */
interface SettableProp {
  /** Why a text is not a valid value; null if it is. */
  readonly faultOf: (text: string) => string | null;
}

const longestName = 500;

/**
 * Properties of a calendar that programs may set, by `keyOf` of their names. All are texts. Others are dead properties, stored
 * as XML. Source: RFC 4918 4.
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
          : "a color must be #RRGGBB or #RRGGBBAA",
    },
  ],
  [
    keyOf(apple("calendar-order")),
    {
      faultOf: (text) =>
        /^-?\d{1,9}$/.test(text.trim()) ? null : "an order must be a whole number",
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
  return zones.length === 1 ? null : "a time zone must be a VCALENDAR with exactly one VTIMEZONE";
}

/** The attribute with a text's language, as `XmlElement` names it. */
const attribute = "{http://www.w3.org/XML/1998/namespace}lang";
const languagePrefix = `${attribute} `;
const longestLanguage = 100;

/** The language of the innermost of these elements that has one; null if none. Source: RFC 4918 4.3. */
export function languageOf(elements: readonly XmlElement[]): string | null {
  const said = elements.map(({ attributes }) => attributes.get(attribute));
  const language = said.find((text) => text !== undefined)?.trim() ?? "";
  return language === "" || language.length > longestLanguage ? null : language;
}

/** The storage key for a property's language. */
export const languageKey = (property: string): string => languagePrefix + property;

/** Properties and languages that programs have set on a resource, both by `keyOf`. */
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
