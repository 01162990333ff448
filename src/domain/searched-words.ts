/** The words of a search text: parts between white space that have a letter or a digit. */
export const searchedWords = (text: string): readonly string[] =>
  text.split(/\s+/).filter((word) => /[\p{L}\p{N}\p{Co}]/u.test(word));

/** True if every word of the search begins a word of the text; accents, case and punctuation do not count. */
export function hasWords(text: string, searched: string): boolean {
  const words = ` ${plain(text)}`;
  return searchedWords(searched).every((word) => words.includes(` ${plain(word).trimStart()}`));
}

const plain = (text: string): string =>
  text
    .normalize("NFKD")
    .replaceAll(/\p{M}+/gu, "")
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\p{Co}]+/gu, " ")
    .trimEnd();
