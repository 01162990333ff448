/** What steers a terminal, or goes back in a line. */
const steering = /(?![\t\n\r])\p{Cc}|\r(?!\n)/gu;

/**
 * A text as it may be printed: control characters but tabs and line ends stand as `\u001b`, which is what JSON writes as well.
 * Titles, names and answers may hold anything.
 */
export const shownText = (text: string): string =>
  text.replace(steering, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`);
