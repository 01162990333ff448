import type { Item } from "../../domain/item.ts";
import type { Edit } from "../../domain/journal.ts";
import { sourceOf } from "../../domain/source.ts";
import type { Store } from "../../store/store.ts";
import { findCreated } from "./adopt.ts";

/** The service's stamps have whole seconds, and its clock is not ours. */
const tolerance = Temporal.Duration.from({ seconds: 5 });

/**
 * One sentence on what a creation that was sent more than once may have made twice; null when nothing is known of it.
 * Which of the two is to go is for a person to say.
 */
export function describeTwins(edit: Edit, store: Store): string | null {
  const ids = twinsOf(edit, store).map(({ kind, id }) => `${kind} ${id}`);
  if (ids.length === 0) return null;
  return `the service may hold it twice: ${ids.join(", ")} looks the same and was made when this was sent again; delete the one that is not wanted`;
}

/** Items of the workspace that look like what an edit has made, and were made between its first request and its end. */
function twinsOf(
  { item: own, state, sentAt, resentAt, confirmedAt, answer, actor }: Edit,
  { mirror, pastEdits }: Store,
): readonly Item[] {
  if (state !== "confirmed" || !sentAt || !resentAt || !confirmedAt) return [];
  const present = mirror.get(own)?.item;
  if (!answer || !present) return [];
  const latest = confirmedAt.add(tolerance);
  const strangers = mirror
    .ofSource(sourceOf(answer))
    .filter(({ key }) => key !== own && !pastEdits.ofItem(key).some(isCreation))
    .map(({ item }) => item)
    .filter(
      ({ createdAt }) => createdAt !== null && Temporal.Instant.compare(createdAt, latest) <= 0,
    );
  return findCreated(strangers, { wished: answer, sentAt, actor });
}

const isCreation = ({ action }: Edit): boolean => action === "create";
