/**
 * The property by which a feed names the version that it shows, so that an edited copy tells what its editor saw:
 * programs raise SEQUENCE when they edit and leave properties alone that they do not know.
 */
export const baseMark = "X-DAYFERRY-BASE";

/** The number that a property has in the unfolded lines of an object, joined by LF; null where there is none. */
export function numberIn(lines: string, property: string): number | null {
  const value = new RegExp(`^${property}:(\\d+)\\s*$`, "m").exec(lines)?.[1];
  return value === undefined ? null : Number(value);
}
