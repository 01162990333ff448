import type { Edit } from "../../domain/journal.ts";
import { applyPatch, fieldsOf, type Patch, pick, valuesOf } from "../../domain/merge.ts";
import { alike } from "../alike.ts";

/**
 * What the editor saw, as the service has it. An editor sees the own pending edits before the service has answered them:
 * where an answer came out otherwise than the wish (normalised text, new labels, merged people), or the wish never arrived,
 * that is not a change that somebody else made. Nor is what the same person has set by another edit since, whatever program
 * sent it. `others`: all edits of the item.
 */
export function seenBase(edit: Edit, others: readonly Edit[]): Patch {
  const told = valuesOf(edit.base);
  const earlier = others.filter(({ id }) => id < edit.id).toSorted((a, b) => a.id - b.id);
  let base = told;
  for (const other of earlier.toReversed()) {
    base = { ...base, ...unheardOf(edit, { other, base }) };
  }
  for (const other of earlier) {
    base = { ...base, ...answeredTo(edit, { other, known: [told, base] }) };
  }
  return base;
}

const isBefore = (a: Temporal.Instant, b: Temporal.Instant): boolean =>
  Temporal.Instant.compare(a, b) <= 0;

/** The values that the item kept where the other edit was shown when this one was made, and never reached the service. */
function unheardOf(
  edit: Edit,
  { other, base }: { readonly other: Edit; readonly base: Patch },
): Patch {
  if (other.action === "create" || (other.state !== "parked" && other.state !== "discarded")) {
    return {};
  }
  const wasShown = isBefore(edit.createdAt, other.updatedAt);
  const fields = fieldsOf(other.patch).filter(
    (field) => (wasShown || !isPresent(edit, field)) && alike(field, base, other.patch),
  );
  return pick(valuesOf(other.base), fields);
}

/** The answered values of the fields that the editor knew by what the other edit wished. */
function answeredTo(
  edit: Edit,
  { other, known }: { readonly other: Edit; readonly known: readonly [Patch, Patch] },
): Patch {
  const { answer, action, newLabels, conflicts, confirmedAt } = other;
  if (!answer || !confirmedAt) return {};
  const wished = action === "create" ? valuesOf(applyPatch(other.base, other.patch)) : other.patch;
  const spoken = newLabels.length > 0 ? { labels: known[0].labels ?? [], ...wished } : wished;
  const replaced = valuesOf(other.base);
  const lost = new Set(conflicts.map(({ field, taken }) => taken === "ours" && field));
  const wasOpen = isBefore(edit.createdAt, confirmedAt);
  const fields = fieldsOf(spoken).filter((field) => {
    const isKnown = (value: Patch) => known.some((base) => alike(field, base, value));
    const sawIt = wasOpen && isKnown(spoken);
    // A person who makes a second edit of the same old copy knows the first, as does one whose first was held.
    const isSecond = isOwn(edit, other) && (wasOpen || !isPresent(edit, field));
    const isOld = action !== "create" && isSecond && isKnown(replaced);
    return !lost.has(field) && (sawIt || isOld);
  });
  return pick(valuesOf(answer), fields);
}

/** Whether the editor saw of a field what everybody was shown when the edit came in: then no earlier edit is news. */
const isPresent = ({ base, shown }: Edit, field: keyof Patch): boolean =>
  shown === null || alike(field, valuesOf(base), valuesOf(shown));

/**
 * Whether the same person has made both. A subscribed calendar may repeat what that person said hours ago, so that it is the
 * same hand as itself only.
 */
export function isOwn(
  a: Pick<Edit, "actor" | "channel">,
  b: Pick<Edit, "actor" | "channel">,
): boolean {
  if (a.actor === null || a.actor !== b.actor) return false;
  return a.channel === b.channel || ![a.channel, b.channel].includes("subscription");
}
