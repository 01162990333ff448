import type { Edit } from "../../domain/journal.ts";
import { applyPatch, fieldsOf, type Patch, pick, valuesOf } from "../../domain/merge.ts";
import { alike } from "../alike.ts";

/**
 * What the editor saw, as the service writes it. An editor sees the own pending edits before the service has answered
 * them; where the answer came out otherwise than the wish (normalised text, new labels, merged people), that is not a
 * change that somebody else made. `others`: all edits of the item.
 */
export function seenBase(edit: Edit, others: readonly Edit[]): Patch {
  const news = others.filter((other) => other.id < edit.id && isNewsTo(edit, other));
  const told = valuesOf(edit.base);
  let base = told;
  for (const other of news.toSorted((a, b) => a.id - b.id)) {
    base = { ...base, ...answeredTo(edit, { other, known: [told, base] }) };
  }
  return base;
}

function isNewsTo(edit: Edit, { confirmedAt }: Edit): boolean {
  return confirmedAt !== null && (isBefore(edit.createdAt, confirmedAt) || edit.actor !== null);
}

const isBefore = (a: Temporal.Instant, b: Temporal.Instant): boolean =>
  Temporal.Instant.compare(a, b) <= 0;

/** The answered values of the fields that the editor knew by what the other edit wished. */
function answeredTo(
  edit: Edit,
  { other, known }: { readonly other: Edit; readonly known: readonly [Patch, Patch] },
): Patch {
  const { answer, action, newLabels, conflicts } = other;
  if (!answer) return {};
  const wished = action === "create" ? valuesOf(applyPatch(other.base, other.patch)) : other.patch;
  const spoken = newLabels.length > 0 ? { labels: known[0].labels ?? [], ...wished } : wished;
  const replaced = valuesOf(other.base);
  const lost = new Set(conflicts.map(({ field, taken }) => taken === "ours" && field));
  const wasOpen = isBefore(edit.createdAt, other.confirmedAt ?? edit.createdAt);
  // A person who sends a second edit from the same old file knows the first.
  const isOwn = edit.actor !== null && edit.actor === other.actor && edit.channel === other.channel;
  const fields = fieldsOf(spoken).filter((field) => {
    const isKnown = (value: Patch) => known.some((base) => alike(field, base, value));
    const sawIt = wasOpen && isKnown(spoken);
    return !lost.has(field) && (sawIt || (isOwn && action !== "create" && isKnown(replaced)));
  });
  return pick(valuesOf(answer), fields);
}
