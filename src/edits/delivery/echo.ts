import type { Item } from "../../domain/item.ts";
import type { Edit } from "../../domain/journal.ts";
import { fieldsOf, type Patch, type PatchField, valuesOf } from "../../domain/merge.ts";
import { mergeFields } from "../../domain/three-way.ts";
import { alike } from "../alike.ts";

/**
 * The wished fields that the service's answer does not carry. White space, `<br>` for line breaks, and seconds are its
 * own way of writing; a milestone is its first day.
 */
export function missingFields(patch: Patch, answer: Item): readonly PatchField[] {
  const got = valuesOf(answer);
  return fieldsOf(patch).filter((field) => {
    return !alike(field, field === "when" ? asAnswered(patch, got) : patch, got);
  });
}

/** One sentence on what the service did not take over; null when the answer carries every wish. */
export function describeEcho(
  { patch, newLabels, base, conflicts }: Pick<Edit, "patch" | "newLabels" | "base" | "conflicts">,
  answer: Item,
): string | null {
  const dropped = new Set(conflicts.map(({ field, taken }) => taken === "ours" && field));
  // Of people and labels the answer has others too, whom somebody else has added.
  const sides = { base: valuesOf(base), ours: valuesOf(answer), theirs: patch };
  const open = mergeFields(sides, alike);
  const missing = missingFields(patch, answer).filter((field) => {
    if (dropped.has(field)) return false;
    if (field === "assigned") return open.patch.assigned !== undefined;
    // Labels that were created for the edit have got their ids only on the way.
    return field !== "labels" || (newLabels.length === 0 && open.patch.labels !== undefined);
  });
  if (missing.length === 0) return null;
  return `the service answered without taking over ${missing.join(", ")}; this is not sent again`;
}

function asAnswered(patch: Patch, got: Patch): Patch {
  const { when } = patch;
  if (!when || !got.milestone || when.kind !== "dates") return patch;
  return { when: { ...when, end: when.start.add({ days: 1 }) } };
}
