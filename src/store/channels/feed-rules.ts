import { type FeedChoice, type FeedRules, feedRules } from "../../domain/feed-filter.ts";
import type { Store } from "../store.ts";

/** Resolves what a feed shows in the present workspace. */
export function rulesOfFeed(
  feed: FeedChoice,
  { directory, keyAccess }: Pick<Store, "directory" | "keyAccess">,
): FeedRules {
  const { personId: person } = feed;
  const people = person === null ? [] : directory.people();
  return feedRules(feed, {
    projects: directory.projects(),
    lists: directory.todolists(),
    labels: new Set(directory.labels().map(({ id }) => id)),
    hasPerson: people.some(({ id, suspended }) => id === person && !suspended),
    closed: person === null ? new Set() : keyAccess.closedFor(person),
  });
}
