/** Text fit for the content and the quoted attributes of HTML and SVG. */
export const escapeMarkup = (text: string): string =>
  special.test(text) ? text.replace(specials, (sign) => entities.get(sign) ?? " ") : text;

// Control characters are no characters of XML, and some programs give up on a picture that has one.
const special = /[&<>"'\p{Cc}]/u;
const specials = /[&<>"'\p{Cc}]/gu;
const entities: ReadonlyMap<string, string> = new Map([
  ["&", "&amp;"],
  ["<", "&lt;"],
  [">", "&gt;"],
  ['"', "&quot;"],
  ["'", "&#39;"],
]);
