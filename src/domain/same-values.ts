import { cleanText, type When, wholeMinutes } from "@dayferry/ical";
import { isHtml } from "./is-html.ts";
import { cutSeconds } from "./service-times.ts";
import { plainDescription } from "./text.ts";

/** Comparisons of two values of one type. `field-types.ts` says which one a field uses. */

/** True if both are the same to the minute, in whatever zone. */
export function sameWhen(a: When, b: When): boolean {
  if (a.kind === "dates") {
    return b.kind === "dates" && a.start.equals(b.start) && a.end.equals(b.end);
  }
  if (b.kind !== "times" || !sameMinute(a.start, b.start)) return false;
  return a.end && b.end ? sameMinute(a.end, b.end) : a.end === b.end;
}

/** True for the same day, or if both are null (unset) or both undefined (not mentioned). */
export const sameDay = (
  a: Temporal.PlainDate | null | undefined,
  b: Temporal.PlainDate | null | undefined,
): boolean => (a && b ? a.equals(b) : a === b);

/** True if both hold the same values, ignoring order and repetition. */
export function sameSet(
  a: readonly number[] | undefined,
  b: readonly number[] | undefined,
): boolean {
  return a && b ? new Set(a).symmetricDifference(new Set(b)).size === 0 : a === b;
}

/**
 * True if two texts look the same. Line ends, trailing white space, kinds of spaces and composed accents are ignored, as
 * calendar programs rewrite all of them.
 */
export const sameText = (a: string, b: string): boolean => a === b || asShown(a) === asShown(b);

/** Like `sameText`, ignoring surrounding white space. */
export const sameTitle = (a: string, b: string): boolean => sameText(a.trim(), b.trim());

/**
 * True if two descriptions or comments of the service look the same. White space in HTML is ignored, as the service
 * reformats it.
 */
export function sameDescription(a: string | null, b: string | null): boolean {
  const [left, right] = [plainDescription(a).trim(), plainDescription(b).trim()];
  if (sameText(left, right)) return true;
  if (!isHtml(a ?? "") && !isHtml(b ?? "")) return false;
  return wordsOf(left) === wordsOf(right);
}

/** Normalises accents and white space. */
export const wordsOf = (text: string): string => text.normalize("NFC").replace(/\s+/g, " ").trim();

/** Before standard time, zones differ by seconds, so that a minute of one starts within a minute of another. */
function sameMinute(a: Temporal.ZonedDateTime, b: Temporal.ZonedDateTime): boolean {
  return a.epochMilliseconds === b.epochMilliseconds || isMinuteOf(a, b) || isMinuteOf(b, a);
}

function isMinuteOf(a: Temporal.ZonedDateTime, b: Temporal.ZonedDateTime): boolean {
  const cut = [a, b.withTimeZone(a.timeZoneId)].map((time) => cutSeconds(time).epochMilliseconds);
  return cut[0] === cut[1];
}

/** True if two lengths are the same to the minute. */
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
