/** A way to compare texts: maps those that are equal to it onto one. */
export type Collation = (text: string) => string;

/** The collation that a filter means which names none. Source: RFC 4791 7.5. */
export const defaultCollation = "i;ascii-casemap";

/** By the names that RFC 4790 and RFC 5051 give them, in the order in which they are announced. */
export const collations: ReadonlyMap<string, Collation> = new Map([
  [defaultCollation, foldAscii],
  ["i;octet", (text) => text],
  ["i;unicode-casemap", foldUnicode],
]);

/** Value of `supported-collation-set`, on all that can be asked by a filter. Source: RFC 4791 7.5.1. */
export const collationSet: string = [...collations.keys()]
  .map((name) => `<c:supported-collation>${name}</c:supported-collation>`)
  .join("");

/** Source: RFC 4790 9.2. */
function foldAscii(text: string): string {
  return text.replace(/[a-z]+/g, (letters) => letters.toUpperCase());
}

/** Only mappings of one character to one are made, so that "ß" stays apart from "ss". Source: RFC 5051 2. */
function foldUnicode(text: string): string {
  return text.replace(/\p{Changes_When_Uppercased}/gu, upperOf).normalize("NFKD");
}

function upperOf(character: string): string {
  const upper = character.toUpperCase();
  return /^.$/su.test(upper) ? upper : character;
}
