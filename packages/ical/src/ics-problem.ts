import type { Sentence } from "./sentences.ts";

/**
 * One reason why a file, or one item of it, cannot be accepted. `line` is 1-based and counts physical lines, not unfolded ones;
 * null if the problem has no position. `uid` is null if unknown. `message` is for people.  Codes of a whole file: `too-large`,
 * `not-utf-8`, `empty`, `html`, `no-calendar`, `truncated`, `too-many-components`, `too-many-lines`, `too-many-zones`,
 * `too-costly`, `version`, `calendar-scale`, `method`. Codes of an item or of what was left out around it: `bad-line`,
 * `mismatched-end`, `too-deep`, `text-outside`. Codes of one item: `missing-uid`, `bad-uid`, `too-long`, `twice`, `recurrence`,
 * `unknown-zone`, `bad-date`, `bad-duration`, `date-kind`, `end-before-start`, `end-twice`, `end-without-start`, `bad-value`,
 * `readers-disagree`. `duplicate-uid`; `two-calendars` only for an object. Codes that are not errors: `component`, an ignored
 * one; as remarks `floating-zone`, the zone of floating times, and `duplicate-uid`, if the newest item is used.
 */
export interface IcsProblem {
  readonly line: number | null;
  readonly uid: string | null;
  readonly code: string;
  readonly message: Sentence;
}

/** A problem with one value, without its position. */
export interface ValueFault {
  readonly code: string;
  readonly message: Sentence;
}

const longestExcerpt = 60;

/** A value for quoting in a message: short, on one line. */
export function quotedValue(value: string): string {
  const shown = value.length > longestExcerpt ? `${value.slice(0, longestExcerpt)}…` : value;
  return JSON.stringify(shown.toWellFormed());
}
