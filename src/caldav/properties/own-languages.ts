import type { XmlElement } from "../xml/element.ts";

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
