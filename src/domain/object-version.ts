import { baseMark } from "@dayferry/ical";

/** The number of a property in the unfolded lines of an object, joined by LF; null if absent. */
export function numberIn(lines: string, property: string): number | null {
  const value = new RegExp(`^${property}:(\\d+)\\s*$`, "m").exec(lines)?.[1];
  return value === undefined ? null : Number(value);
}

/** The highest SEQUENCE that readers support. */
const highestSequence = 999_999_999;

/**
 * SEQUENCE for a client's octets with our version applied: above the client's own by the number of versions since the
 * marked one, and never below ours.
 */
export const risenSequence = (of: {
  readonly put: number;
  readonly mark: number;
  readonly version: number;
}): number =>
  Math.min(Math.max(of.put + Math.max(1, of.version - of.mark), of.version), highestSequence);

/** The same for the unfolded lines of an object, joined by LF. */
export const risenSequenceOf = (lines: string, version: number): number =>
  risenSequence({
    put: numberIn(lines, "SEQUENCE") ?? 0,
    mark: numberIn(lines, baseMark) ?? 0,
    version,
  });
