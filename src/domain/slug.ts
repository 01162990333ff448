/** A name for an address or folder: ASCII letters, digits and hyphens; `fallback` if nothing is left. */
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

/** Latin letters that Unicode does not decompose. */
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
