/** Escapes text for the content and quoted attributes of HTML and SVG. */
export const escapeMarkup = (text: string): string =>
  special.test(text) ? text.replace(specials, (sign) => entities.get(sign) ?? " ") : text;

// Control characters are invalid in XML, and some programs reject a picture that contains one.
const special = /[&<>"'\p{Cc}]/u;
const specials = /[&<>"'\p{Cc}]/gu;
const entities: ReadonlyMap<string, string> = new Map([
  ["&", "&amp;"],
  ["<", "&lt;"],
  [">", "&gt;"],
  ['"', "&quot;"],
  ["'", "&#39;"],
]);
