import { cleanText, type When, wholeMinutes } from "@dayferry/ical";
import { isHtml } from "./is-html.ts";
import { cutSeconds } from "./service-times.ts";
import { plainDescription } from "./text.ts";

/** Whether two values of one type are the same. Which comparison a field needs stands in `field-types.ts`. */

/** Whether two are the same to the minute, whatever zone they are written in. */
export function sameWhen(a: When, b: When): boolean {
  if (a.kind === "dates") {
    return b.kind === "dates" && a.start.equals(b.start) && a.end.equals(b.end);
  }
  if (b.kind !== "times" || !sameMinute(a.start, b.start)) return false;
  return a.end && b.end ? sameMinute(a.end, b.end) : a.end === b.end;
}

/** Whether two are the same day, or none in the same way: null (unset) is not undefined (not spoken of). */
export const sameDay = (
  a: Temporal.PlainDate | null | undefined,
  b: Temporal.PlainDate | null | undefined,
): boolean => (a && b ? a.equals(b) : a === b);

/** Whether two hold the same, in whatever order and how often. */
export function sameSet(
  a: readonly number[] | undefined,
  b: readonly number[] | undefined,
): boolean {
  return a && b ? new Set(a).symmetricDifference(new Set(b)).size === 0 : a === b;
}

/**
 * Whether two texts say the same: line ends, white space at the ends of lines, kinds of spaces and of accents are no
 * difference, as calendar programs write all of them anew.
 */
export const sameText = (a: string, b: string): boolean => a === b || asShown(a) === asShown(b);

/** Whether two titles say the same: white space around them is not shown. */
export const sameTitle = (a: string, b: string): boolean => sameText(a.trim(), b.trim());

/**
 * Whether two descriptions or comments, as the service has them, are shown as the same text. The service breaks and indents
 * HTML as it likes, so that white space in it means nothing.
 */
export function sameDescription(a: string | null, b: string | null): boolean {
  const [left, right] = [plainDescription(a).trim(), plainDescription(b).trim()];
  if (sameText(left, right)) return true;
  if (!isHtml(a ?? "") && !isHtml(b ?? "")) return false;
  return wordsOf(left) === wordsOf(right);
}

/** What all texts of the same words have in common, however these are spaced and accents are written. */
export const wordsOf = (text: string): string => text.normalize("NFC").replace(/\s+/g, " ").trim();

/** Before standard time a minute of one zone's clock begins within one of another zone's. */
function sameMinute(a: Temporal.ZonedDateTime, b: Temporal.ZonedDateTime): boolean {
  return a.epochMilliseconds === b.epochMilliseconds || isMinuteOf(a, b) || isMinuteOf(b, a);
}

function isMinuteOf(a: Temporal.ZonedDateTime, b: Temporal.ZonedDateTime): boolean {
  const cut = [a, b.withTimeZone(a.timeZoneId)].map((time) => cutSeconds(time).epochMilliseconds);
  return cut[0] === cut[1];
}

/** Whether two lengths are the same to the minute. */
export const sameLength = (
  a: Temporal.Duration | null | undefined,
  b: Temporal.Duration | null | undefined,
): boolean => (a && b ? wholeMinutes(a) === wholeMinutes(b) : a === b);

function asShown(text: string): string {
  return cleanText(text)
    .normalize("NFC")
    .replace(/[\u00a0\u202f\u2007]/g, " ")
    .split("\n")
    .map((line) => line.trimEnd())
    .join("\n")
    .trimEnd();
}
