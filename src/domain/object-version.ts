import { baseMark } from "@dayferry/ical";

/** The number that a property has in the unfolded lines of an object, joined by LF; null where there is none. */
export function numberIn(lines: string, property: string): number | null {
  const value = new RegExp(`^${property}:(\\d+)\\s*$`, "m").exec(lines)?.[1];
  return value === undefined ? null : Number(value);
}

/** What readers of SEQUENCE can hold, this one among them. */
const highestSequence = 999_999_999;

/**
 * SEQUENCE of a client's octets under a version of ours that is laid onto them: above the client's own, by as many versions as came
 * since the one they are marked with, and never below ours.
 */
export const risenSequence = (of: {
  readonly put: number;
  readonly mark: number;
  readonly version: number;
}): number =>
  Math.min(Math.max(of.put + Math.max(1, of.version - of.mark), of.version), highestSequence);

/** The same of the unfolded lines of an object, joined by LF. */
export const risenSequenceOf = (lines: string, version: number): number =>
  risenSequence({
    put: numberIn(lines, "SEQUENCE") ?? 0,
    mark: numberIn(lines, baseMark) ?? 0,
    version,
  });
