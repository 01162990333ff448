/** Characters of a text that somebody writes; what an edit adds beyond is refused, as each reader of it would keep all others waiting. */
export const longestText = 500_000;

/** Says what has become too long. */
export const tooLongMessage = (name: string, length: number): string =>
  `${name} has ${length} characters, and a text ${longestText} at most`;

/** The text without control characters (except line feed and tab) and lone surrogates; line ends become LF. */
export function cleanText(text: string): string {
  return text.replace(/\r\n?/g, "\n").replace(/[[\p{Cc}\p{Cs}]--[\n\t]]/gv, "");
}

/** The text on one line: line breaks and tabs become spaces, ends are trimmed. */
export function oneLine(text: string): string {
  return cleanText(text)
    .replace(/[\n\t\u2028\u2029]+/g, " ")
    .trim();
}
