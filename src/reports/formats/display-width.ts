/** Columns that a text takes in a terminal: wide characters and emoji take two, combining marks none. */
export function displayWidth(text: string): number {
  if (narrow.test(text)) return text.length;
  let width = 0;
  for (const { segment } of segmenter.segment(text)) width += wide.test(segment) ? 2 : 1;
  return width;
}

/** Text that may hold anything, fit for one line of a terminal: nothing of it steers the terminal. */
export const visible = (text: string): string =>
  narrow.test(text) ? text : text.replace(steering, " ");

/** Latin letters, dashes, quotes and arrows: one column each, and nothing that steers. */
const narrow = /^[\x20-\x7e\u00a1-\u00ac\u00ae-\u02ff\u2010-\u2027\u2190-\u21ff]*$/;
const steering = /[\p{Cc}\p{Zl}\p{Zp}\u202A-\u202E\u2066-\u2069]+/gu;
const segmenter = new Intl.Segmenter();
/** East Asian wide and fullwidth forms, and whatever is shown as an emoji. Source: Unicode Standard Annex 11. */
const wide =
  /^[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{1b000}-\u{1b2ff}\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}|\p{Emoji}\ufe0f/u;
