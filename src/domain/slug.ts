/**
 * A name as it can stand in an address or name a folder: ASCII letters, digits and hyphens; `fallback` when the name has
 * no such letter.
 */
export function slugOf(name: string, fallback: string): string {
  const spelt = name
    .toLowerCase()
    .replace(/[ßæœøłđðþ]/g, (letter) => spellings.get(letter) ?? "")
    .normalize("NFKD")
    .replace(/\p{M}+/gu, "");
  const slug = spelt
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, longestSlug)
    .replace(/^-+|-+$/g, "");
  return /[a-z]/.test(slug) ? slug : fallback;
}

const longestSlug = 60;

/** Latin letters that Unicode does not take apart. */
const spellings: ReadonlyMap<string, string> = new Map([
  ["ß", "ss"],
  ["æ", "ae"],
  ["œ", "oe"],
  ["ø", "o"],
  ["ł", "l"],
  ["đ", "d"],
  ["ð", "d"],
  ["þ", "th"],
]);
