import type { Item } from "../../domain/item.ts";
import type { Edit } from "../../domain/journal.ts";
import { longestLanding } from "../../domain/landing.ts";
import { likenessOf } from "../../domain/lost-creation.ts";
import { sourceOf } from "../../domain/source.ts";
import type { Store } from "../../store/store.ts";

/**
 * One sentence on what a creation that was sent more than once may have made twice; null when nothing is known of it.
 * Which of the two is to go is for a person to say.
 */
export function describeTwins(edit: Edit, store: Store): string | null {
  const ids = twinsOf(edit, store).map(({ kind, id }) => `${kind} ${id}`);
  if (ids.length === 0) return null;
  return `the service may hold it twice: ${ids.join(", ")} looks the same and was made when this was sent again; delete the one that is not wanted`;
}

/**
 * Items of the workspace that look like what an edit has made, that nobody knew before its first request, and that were made
 * at about the same time by the service's own clock.
 */
function twinsOf(
  { item: own, state, sentAt, sentAfter, resentAt, answer, actor }: Edit,
  { mirror, pastEdits }: Store,
): readonly Item[] {
  if (state !== "confirmed" || !sentAt || !resentAt || !answer || !mirror.get(own)) return [];
  return mirror
    .ofSource(sourceOf(answer))
    .filter(({ key }) => key !== own && (sentAfter === null || key > sentAfter))
    .filter(({ key }) => !pastEdits.ofItem(key).some(isCreation))
    .map(({ item }) => item)
    .filter((item) => isOfTheTime(item, { answer, spans: [sentAt, resentAt] }))
    .filter((item) => likenessOf(item, { wished: answer, sentAt, actor }) === "same");
}

/** As long before or after as there were between the sendings, and as a request may take to be carried out. */
function isOfTheTime(
  { createdAt }: Item,
  {
    answer,
    spans: [first, last],
  }: { readonly answer: Item; readonly spans: readonly [Temporal.Instant, Temporal.Instant] },
): boolean {
  if (!createdAt || !answer.createdAt) return false;
  const apart = Math.abs(createdAt.until(answer.createdAt).total("seconds"));
  return apart <= first.until(last).total("seconds") + longestLanding.total("seconds");
}

const isCreation = ({ action }: Edit): boolean => action === "create";
