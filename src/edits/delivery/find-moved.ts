import type { Edit } from "../../domain/edit.ts";
import type { ListId } from "../../domain/ids.ts";
import type { Item } from "../../domain/item.ts";
import { placedIn } from "../../domain/patch.ts";
import { ok, type Result } from "../../domain/result.ts";
import type { Source } from "../../domain/source.ts";
import { isReadSince } from "../../store/mirror/sources.ts";
import type { SourceState } from "../../store/rows/source-rows.ts";
import type { Store } from "../../store/store.ts";
import { stored } from "../../texts/stored.ts";
import type { Snapshot } from "../../upstream/client.ts";
import { describeFailure, type Failure, isMissing } from "../../upstream/failure.ts";
import {
  type Attempt,
  type AttemptEnding,
  type Ended,
  ended,
  failed,
  isRefusal,
  parked,
  trialOf,
} from "./attempt.ts";
import type { ItemAddress, ListAddress } from "./item-calls.ts";
import { findThere, followTask } from "./move-task.ts";
import { retryLater } from "./settle.ts";

/** The item in the service now. `gone`: missing or inaccessible, and not moved, as far as known. */
export type CurrentItem =
  | { readonly kind: "found"; readonly address: ItemAddress; readonly ours: Item }
  | { readonly kind: "gone"; readonly failure: Failure }
  | Ended;

/**
 * Looks for an item that is not in its place: where the edit moves it; in all polled lists, which are read first; and, before a
 * task counts as deleted, in lists that are not polled.
 */
export async function findMoved(
  attempt: Attempt,
  address: ItemAddress,
  failure: Failure,
): Promise<CurrentItem> {
  const there = await findThere(attempt, address);
  if (there?.kind === "ended") return there;
  if (there) return foundThere(attempt, { item: there.item, id: there.item.id ?? address.id });
  const { action, before, missedAt } = attempt.edit;
  // A deletion that was sent before without an answer has worked.
  const isSent = action === "delete" && before !== null && missedAt === null;
  const isOwnDoing = isSent && isMissing(failure);
  if (address.item.kind === "event" || isOwnDoing) return { kind: "gone", failure };
  const search = searchLists(attempt);
  if (search) return ended(search);
  // An uncertain item must not count as deleted. A change of it waits for a person in any case.
  if (action !== "delete" || !isMissing(failure)) return { kind: "gone", failure };
  return (await searchUnpolled(attempt, address)) ?? { kind: "gone", failure };
}

/** The task is where the edit moves it: somebody moved it there, or our own request without an answer did. */
function foundThere({ edit, store }: Attempt, address: ItemAddress): CurrentItem {
  const now = { ...address.item, id: address.id };
  store.together(() => followTask(edit.item, { now, store }));
  return { kind: "found", address, ours: now };
}

/** How long to wait for the lists to show where a task was moved to. */
const patience = Temporal.Duration.from({ seconds: 20 });
/** Lists requested at once, as each is a request of the shared quota. */
const mostHurried = 25;
const mostSearches = 1000;
const mostNamed = 3;

/**
 * Looks for a task that is not in its list and may have been moved to any other. Null if all lists were read completely since
 * and none shows it. Otherwise the edit waits for them, and for a person once nothing more can be learned: if the service
 * refuses all remaining lists, or after a day of tries.
 */
function searchLists(attempt: Attempt): AttemptEnding | null {
  const { edit, store, onMissing } = attempt;
  const { missedAt } = edit;
  const lists = store.sources.all().filter(mayShowIt);
  const unread = lists.filter((list) => !missedAt || !isReadSince(missedAt, list));
  if (missedAt && unread.length === 0) return null;
  if (missedAt && areRefused(unread, missedAt) && isAnswering(store.sources.all(), missedAt)) {
    return parked("refused", describeRefusals(unread));
  }
  if (!missedAt) store.journal.missing(edit.id, true);
  onMissing(edit, nearestOf(edit, unread));
  const problem = describeSearch(edit, { lists, unread });
  const settlement = retryLater(problem, { ...trialOf(attempt), retryAfter: patience });
  return { kind: "settled", settlement };
}

/** The search for an item that has just disappeared; null for an event, which nobody moves. */
export const searchAgain = (attempt: Attempt): AttemptEnding | null =>
  attempt.edit.base.kind === "event"
    ? null
    : searchLists({ ...attempt, edit: { ...attempt.edit, missedAt: null } });

/** Requests the lists that edits wait for again, as a restart forgets that. */
export function resumeSearches({ store, onMissing }: Pick<Attempt, "store" | "onMissing">): void {
  for (const edit of store.journal.list({ state: "pending", limit: mostSearches })) {
    const { missedAt } = edit;
    if (!missedAt) continue;
    const unread = store.sources
      .all()
      .filter((list) => mayShowIt(list) && !isReadSince(missedAt, list));
    onMissing(edit, nearestOf(edit, unread));
  }
}

/** Sources that may contain a task, or name such a place. A look-up that the service does not offer proves nothing. */
const mayShowIt = ({ source: { kind }, succeededAt }: SourceState): boolean =>
  kind === "tasks" || ((kind === "todolists" || kind === "projects") && succeededAt !== null);

/** Refused again after a first refusal, and after the task was missed. A single refusal may be a mistake. */
const areRefused = (lists: readonly SourceState[], missedAt: Temporal.Instant): boolean =>
  lists.every(
    ({ refusedAt, attemptedAt }) =>
      refusedAt !== null &&
      attemptedAt !== null &&
      Temporal.Instant.compare(attemptedAt, refusedAt) > 0 &&
      Temporal.Instant.compare(attemptedAt, missedAt) > 0,
  );

/** If nothing at all can be read, the key is refused, which says nothing about a list. */
const isAnswering = (sources: readonly SourceState[], missedAt: Temporal.Instant): boolean =>
  sources.some((source) => isReadSince(missedAt, source));

function describeRefusals(unread: readonly SourceState[]): string {
  const names = unread.map(({ name, failure }) => `${name} (${failure})`);
  return stored("problem.moveUnknown", { lists: someOf(names, ", ") });
}

/** The first few, and the number of others. */
function someOf(all: readonly string[], separator: string): string {
  const more = all.length > mostNamed ? ` and ${all.length - mostNamed} more` : "";
  return `${all.slice(0, mostNamed).join(separator)}${more}`;
}

const nearestOf = (edit: Edit, unread: readonly SourceState[]): readonly string[] =>
  unread
    .toSorted(nearFirst(edit.base))
    .map(({ name }) => name)
    .slice(0, mostHurried);

/** Sources of the item's own project come first. */
export const nearFirst =
  ({ projectId }: Item) =>
  ({ source: a }: SourceState, { source: b }: SourceState): number => {
    const isFar = (source: Source) => "projectId" in source && source.projectId !== projectId;
    return Number(isFar(a)) - Number(isFar(b));
  };

function describeSearch(
  { missedAt }: Edit,
  { lists, unread }: Readonly<Record<"lists" | "unread", readonly SourceState[]>>,
): string {
  const what = stored("problem.searching");
  if (!missedAt) return what;
  const failing = unread.filter(({ failure }) => failure !== null);
  const [first] = failing;
  const why = first ? ` (${first.name}: ${first.failure})` : "";
  return `${what}, and ${unread.length} of ${lists.length} lists have not been read completely since${why}`;
}

/** Lists requested for one task, as each is a request of the shared quota. */
const mostLists = 100;

/**
 * Looks up a task in lists that are not polled, one at a time: those excluded by the configuration, or archived. A task in no
 * polled list may be there, so only this proves that it is gone. It waits for a person if that is uncertain. Null if none of
 * them has the task.
 */
async function searchUnpolled(
  attempt: Attempt,
  { item, id }: ItemAddress,
): Promise<Exclude<CurrentItem, { readonly kind: "gone" }> | null> {
  const places = await unpolledPlaces(attempt);
  if (!places.ok) return ended(failed(places.failure));
  const { lists, gaps } = places.value;
  const asked = lists.slice(0, mostLists);
  const unclear = [...gaps];
  if (lists.length > asked.length) {
    unclear.push(`${lists.length - asked.length} lists are too many to search`);
  }
  for (const { projectId, id: listId } of asked) {
    const found = await attempt.calls.get({ item: placedIn(item, { projectId, listId }), id });
    if (found.ok) return { kind: "found", address: { item: found.value, id }, ours: found.value };
    const { failure } = found;
    if (isMissing(failure)) continue;
    if (failure.kind !== "refused") return ended(failed(failure));
    unclear.push(`list ${listId}: ${describeFailure(failure)}`);
  }
  if (unclear.length === 0) return null;
  const problem = stored("problem.taskLost", { lists: someOf(unclear, "; ") });
  return ended(parked("refused", problem));
}

/** `gaps`: why there may be unknown lists. */
interface Places {
  readonly lists: readonly ListAddress[];
  readonly gaps: readonly string[];
}

/** Lists that are not polled, as known or named by the service. Fails if that does not respond. */
async function unpolledPlaces(attempt: Attempt): Promise<Result<Places, Failure>> {
  const { store, places } = attempt;
  const known = store.directory.projects().map(({ id }) => id);
  const gaps: string[] = [];
  const listing = isFresh("projects", attempt) ? null : named(await places.projects());
  if (listing && !listing.ok) return listing;
  if (listing?.value.gap) gaps.push(listing.value.gap);
  const projects = new Set([...known, ...(listing?.value.items ?? []).map(({ id }) => id)]);
  const lists = new Map(
    store.directory.todolists().map((list): [ListId, ListAddress] => [list.id, list]),
  );
  for (const project of projects) {
    if (isFresh(`todolists:${project}`, attempt)) continue;
    const listing = named(await places.todolists(project));
    if (!listing.ok) return listing;
    if (listing.value.gap) gaps.push(listing.value.gap);
    for (const { id } of listing.value.items) lists.set(id, { id, projectId: project });
  }
  const polled = polledLists(store);
  return ok({ lists: [...lists.values()].filter(({ id }) => !polled.has(id)), gaps });
}

/** True if a look-up was read since the task was missed, so that the directory is up to date. */
function isFresh(name: string, { edit: { missedAt }, store }: Attempt): boolean {
  const source = store.sources.all().find((one) => one.name === name);
  return source !== undefined && missedAt !== null && isReadSince(missedAt, source);
}

const polledLists = ({ sources }: Store): ReadonlySet<ListId> =>
  new Set(sources.all().flatMap(({ source }) => (source.kind === "tasks" ? [source.listId] : [])));

/** The entries of a look-up. One that the service does not offer leaves a gap. */
function named<Value>(
  answer: Result<Snapshot<Value>, Failure>,
): Result<{ readonly items: readonly Value[]; readonly gap: string | null }, Failure> {
  if (answer.ok) {
    const { items, problems } = answer.value;
    return ok({ items, gap: problems.length > 0 ? problems.join("; ") : null });
  }
  const { failure } = answer;
  if (!isRefusal(failure) && failure.kind !== "unreadable") return answer;
  return ok({ items: [], gap: describeFailure(failure) });
}
