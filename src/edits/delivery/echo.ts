import type { Edit } from "../../domain/edit.ts";
import type { Item } from "../../domain/item.ts";
import { fieldsOf, type Patch, type PatchField, valuesOf, without } from "../../domain/patch.ts";
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
  edit: Pick<Edit, "action" | "patch" | "newLabels" | "base" | "conflicts">,
  answer: Item,
): string | null {
  const { action, patch, conflicts } = edit;
  const dropped = new Set(conflicts.map(({ field, taken }) => taken === "ours" && field));
  // Of people and labels the answer has others too, whom somebody else has added. A creation's base is its own wish.
  const base = action === "create" ? { assigned: [], labels: [] } : valuesOf(edit.base);
  const sides = { base, ours: valuesOf(answer), theirs: patch };
  const open = mergeFields(sides, alike);
  const others = missingFields(without(patch, "labels"), answer);
  const lacksLabels = open.patch.labels !== undefined || lacksNew(edit, answer);
  const missing = [...others, ...(lacksLabels ? (["labels"] as const) : [])].filter(
    (field) => !dropped.has(field) && (field !== "assigned" || open.patch.assigned !== undefined),
  );
  if (missing.length === 0) return null;
  return `the service answered without taking over ${missing.join(", ")}; this is not sent again`;
}

/** Labels that were created for the edit have got their ids only on the way, so that they can but be counted. */
function lacksNew(
  { action, patch, newLabels, base }: Pick<Edit, "action" | "patch" | "newLabels" | "base">,
  answer: Item,
): boolean {
  const before = action === "create" ? [] : (valuesOf(base).labels ?? []);
  const known = [...before, ...(patch.labels ?? [])];
  const fresh = (valuesOf(answer).labels ?? []).filter((label) => !known.includes(label));
  return fresh.length < newLabels.length;
}

function asAnswered(patch: Patch, got: Patch): Patch {
  const { when } = patch;
  if (!when || !got.milestone || when.kind !== "dates") return patch;
  return { when: { ...when, end: when.start.add({ days: 1 }) } };
}
