import { decodeList, escapeText, readContentLine } from "../lines/content-line.ts";
import { type ObjectLines, positionsOf } from "../lines/object-lines.ts";
import { linesOf, type PropertyLines } from "./property-groups.ts";

/** What makes two categories the same. */
export const categoryKey = (name: string): string => name.normalize("NFC").trim().toLowerCase();

/** The category by which an event is a milestone. */
export const isMilestoneName = (name: string): boolean => categoryKey(name) === "milestone";

/**
 * The categories of an object once ours are changed in them: those that came or went since, in the client's order. Its
 * others stay, as the service cannot hold those of events. With an unknown past (`said` is null) an event's others stay
 * and a to-do's go. Null when the client's lines say that already.
 */
export function mergedCategories(
  object: ObjectLines,
  { said, wanted }: { readonly said: PropertyLines | null; readonly wanted: PropertyLines },
): readonly string[] | null {
  const theirs = positionsOf(object, [name]).flatMap((at) => namesIn(object.lines[at]?.raw ?? ""));
  const ours = linesOf(wanted, [name]).flatMap(namesIn);
  const before = said && keysOf(linesOf(said, [name]).flatMap(namesIn));
  const now = keysOf(ours);
  const isGone = (category: string): boolean => {
    if (now.has(categoryKey(category))) return false;
    if (before) return before.has(categoryKey(category));
    return object.component === "VTODO" || isMilestoneName(category);
  };
  const known = keysOf(theirs);
  const added = ours.filter((category) => !known.has(categoryKey(category)));
  if (added.length === 0 && !theirs.some(isGone)) return null;
  const merged = [...theirs.filter((category) => !isGone(category)), ...added];
  return merged.length === 0 ? [] : [`${name}:${merged.map(escapeText).join(",")}`];
}

const name = "CATEGORIES";

const keysOf = (categories: readonly string[]): ReadonlySet<string> =>
  new Set(categories.map(categoryKey));

function namesIn(raw: string): readonly string[] {
  const line = readContentLine(raw, 0);
  return line.ok ? decodeList(line.value.value) : [];
}
