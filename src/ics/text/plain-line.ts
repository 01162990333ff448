import { oneLine } from "./text.ts";

/** The first `most` characters as readers count them, with an ellipsis where something was left out. */
export function excerpt(text: string, most: number): string {
  if (text.length <= most) return text;
  let kept = "";
  let count = 0;
  for (const { segment } of new Intl.Segmenter("en").segment(text)) {
    // A single character may be made of any number of marks.
    if (++count > most || kept.length + segment.length > most * 8) return `${kept.trimEnd()}…`;
    kept += segment;
  }
  return text;
}

/** One line of what people have written. */
export const plainLine = (text: string): string => oneLine(withoutOverrides(text));

/** Without the marks that turn the direction of all that follows, so that a title cannot disguise the date behind it. */
export const withoutOverrides = (text: string): string =>
  text.replace(/[\u202a-\u202e\u2066-\u2069]/g, "");
