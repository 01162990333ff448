/** Limit of characters in a text; an edit that exceeds it is rejected, because it would slow down every reader. */
export const longestText = 500_000;

/** Removes control characters (except line feed and tab) and lone surrogates; converts line ends to LF. */
export function cleanText(text: string): string {
  return text.replace(/\r\n?/g, "\n").replace(/[[\p{Cc}\p{Cs}]--[\n\t]]/gv, "");
}

/** The text on one line: line breaks and tabs become spaces, trimmed. */
export function oneLine(text: string): string {
  return cleanText(text)
    .replace(/[\n\t\u2028\u2029]+/g, " ")
    .trim();
}
