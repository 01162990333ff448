import { type Edit, wishOf } from "../../domain/edit.ts";
import type { EditId, ItemKey, PersonId, ServiceId } from "../../domain/ids.ts";
import type { Item } from "../../domain/item.ts";
import {
  assign,
  type LostCreation,
  likenessOf,
  type OpenCreation,
} from "../../domain/lost-creation.ts";
import { applyPatch } from "../../domain/patch.ts";
import { ok, type Result } from "../../domain/result.ts";
import { sourceOf } from "../../domain/source.ts";
import { isPartyTo, isPrivate } from "../../domain/visibility.ts";
import { isReadSince } from "../../store/mirror/sources.ts";
import type { SourceState } from "../../store/rows/source-rows.ts";
import type { Store } from "../../store/store.ts";
import { stored } from "../../texts/stored.ts";
import { describeFailure, type Failure, isMissing } from "../../upstream/failure.ts";
import {
  type Attempt,
  type AttemptEnding,
  type Ended,
  ended,
  failed,
  isRefusal,
  parked,
  postponed,
  retried,
  waitForInFlight,
} from "./attempt.ts";
import { nearFirst } from "./find-moved.ts";
import type { ItemAddress } from "./item-calls.ts";

/** The result of the search for a lost creation; `ended`: nothing may be sent yet. */
type Found = { readonly kind: "one"; readonly item: Item } | { readonly kind: "none" } | Ended;

/** A list that answers 404 is requested again for this long. */
const patience = Temporal.Duration.from({ minutes: 1 });

/** `wished`: the item as it is wanted now. The requests may have created it as it was wanted then. */
type Sought = Omit<LostCreation, "clockLead">;

/** The same with every state in which a request may have created the item. */
interface Made extends Omit<LostCreation, "wished"> {
  readonly wishes: readonly Item[];
}

/**
 * Looks for the item of a creating request without an answer, in its list and among what other lists have shown since. An exact
 * match is adopted at once. A changed item is adopted only when the request can no longer be carried out, as an exact one may
 * still appear. "None" is returned only after that, if no readable list has it. A refused list proves nothing, and is requested
 * again.
 */
export async function lookUp(sought: Sought, attempt: Attempt): Promise<Found> {
  const { edit, store, calls } = attempt;
  const { wished, ...lostRequest } = sought;
  const source = sourceOf(wished);
  // Items created while the list is being read are not in it, which does not mean that it was truncated.
  const known = new Set(store.mirror.keys(source).keys());
  const listed = await calls.list(wished);
  const shown = listed.ok ? listed.value.items : [];
  const kept = await freshCandidates(attempt, new Set(shown.map(keyOf)));
  if (!kept.ok) return unseen(kept.failure, attempt);
  const former = formerKeys(attempt);
  const wishes = wishesOf(edit.id, wished, store);
  const made = { ...lostRequest, wishes, clockLead: attempt.clockLead() };
  const open = [...shown, ...kept.value].filter(
    (item) => !former.has(keyOf(item)) && mayBeIt(item, attempt),
  );
  const [same] = open.filter((item) => likeness(item, made) === "same").toSorted(byId);
  if (same) return { kind: "one", item: same };
  const waiting = waitForInFlight(attempt);
  if (waiting) return ended(waiting);
  if (!listed.ok) return unseen(listed.failure, attempt);

  const noted = new Map(store.candidates.ofEdit(edit.id).map((one) => [keyOf(one), one]));
  // Its present state, or the state in which it last matched, with the present one.
  const altered = new Map(
    open
      .filter((item) => wasLikeAtFirst(item, attempt))
      .flatMap((item) => {
        const seen = likeness(item, made) === null ? noted.get(keyOf(item)) : item;
        return seen && likeness(seen, made) !== null ? [[seen, item]] : [];
      }),
  );
  const own = wishes.map((one) => ({ ...made, edit: edit.id, wished: one }));
  const seen = assign([...own, ...otherCreations(attempt)], [...altered.keys()]).get(edit.id);
  const item = seen && altered.get(seen);
  if (item) return { kind: "one", item };

  const { problems } = listed.value;
  const gaps = [...problems, ...(await gapsIn({ items: shown, source, known }, attempt))];
  if (gaps.length > 0) {
    return unsure(stored("problem.creationUnread", { gaps: gaps.join("; ") }), attempt);
  }
  const elsewhere = lookElsewhere(wished, attempt);
  return elsewhere ? ended(elsewhere) : { kind: "none" };
}

/** The item as it is wanted now, and as each request has sent it. */
const wishesOf = (id: EditId, wished: Item, { attempts }: Store): readonly Item[] => [
  wished,
  ...attempts.createdWith(id).map((patch) => applyPatch(wished, patch)),
];

const keyOf = ({ kind, id }: Item): string => `${kind} ${id}`;

const byId = (a: Item, b: Item): number => (a.id ?? 0) - (b.id ?? 0);

function likeness(item: Item, { wishes, ...lost }: Made): "same" | "altered" | null {
  const all = wishes.map((wished) => likenessOf(item, { ...lost, wished }));
  return all.includes("same") ? "same" : (all.find((one) => one !== null) ?? null);
}

/** Candidates from other readings in their present state, without those that are gone. */
async function freshCandidates(
  { edit, store, calls }: Attempt,
  listed: ReadonlySet<string>,
): Promise<Result<readonly Item[], Failure>> {
  const found: Item[] = [];
  for (const item of store.candidates.ofEdit(edit.id)) {
    if (listed.has(keyOf(item)) || item.id === null) continue;
    const now = await calls.get({ item, id: item.id });
    if (now.ok) found.push(now.value);
    else if (!isMissing(now.failure) && now.failure.kind !== "refused") return now;
  }
  return ok(found);
}

/** Former ids of the item. A list may still show them for seconds after the deletion. */
function formerKeys({ edit, store }: Attempt): ReadonlySet<string> {
  const former = store.pastEdits.ofItem(edit.item).flatMap(({ id, base, before, answer }) => {
    return [base, before, id === edit.id ? null : answer];
  });
  return new Set(former.flatMap((item) => (item && item.id !== null ? [keyOf(item)] : [])));
}

/** True if the item was unknown before the request was sent, and was not created by another edit. */
function mayBeIt({ kind, id }: Item, { edit, store }: Attempt): boolean {
  const key = id === null ? null : store.mirror.find(kind, id);
  if (key === null || key === edit.item) return true;
  if (edit.sentAfter === null || key <= edit.sentAfter) return false;
  return !store.pastEdits.ofItem(key).some(({ action }) => action === "create");
}

/**
 * True if the first reading that showed an item considered it a candidate of this creation. An item that no list has shown yet
 * may be from this creation, unless a person has retried the edit, perhaps much later.
 */
function wasLikeAtFirst(item: Item, { edit, store }: Attempt): boolean {
  const key = item.id === null ? null : store.mirror.find(item.kind, item.id);
  if (key === edit.item || (key === null && !edit.insisted)) return true;
  return store.candidates.ofEdit(edit.id).some((one) => keyOf(one) === keyOf(item));
}

/** Other creations with open results, and events that moves create in other projects. */
const otherCreations = ({ edit, store, clockLead }: Attempt): readonly OpenCreation[] =>
  [...store.journal.openCreations(), ...store.moves.recent()].flatMap((other) => {
    const { id, sentAt, resentAt, actor } = other;
    if (id === edit.id || !sentAt) return [];
    return wishesOf(id, wishOf(other), store).map((wished) => ({
      ...{ edit: id, wished, sentAt, resentAt, actor },
      clockLead: clockLead(),
    }));
  });

/**
 * A refused list proves nothing about the creation. If the list no longer exists, nothing can be created there, and the edit
 * waits for a person.
 */
function unseen(failure: Failure, attempt: Attempt): Found {
  if (!isRefusal(failure)) return ended(failed(failure));
  const problem = stored("problem.creationUnseen", { failure: describeFailure(failure) });
  const since = attempt.edit.inFlightUntil ?? attempt.edit.sentAt ?? attempt.now;
  const isLost = Temporal.Instant.compare(since.add(patience), attempt.now) <= 0;
  if (!isMissing(failure) || !isLost) return unsure(problem, attempt);
  return ended(parked("unknown-outcome", problem));
}

const unsure = (problem: string, attempt: Attempt): Found => ended(retried(problem, attempt));

/** Lists requested at once, as each is a request of the shared quota. */
const mostHurried = 10;
/**
 * Shortest time before they are checked again, and at least half of the time waited so far. Each check reads the creation's own
 * list again, before the polls that are waited for.
 */
const shortestPauseMs = 2000;
/** How long a creation waits for other lists. In a workspace with many hundreds, the rest is left to the next sweep. */
const longest = Temporal.Duration.from({ minutes: 1 });

/**
 * Delays a lost creation until the other lists were read once since its request could last be carried out, as somebody may have
 * moved the item. Findings are stored with the edit (`store.candidates`). Null if there is nothing to wait for.
 */
function lookElsewhere(
  wished: Item,
  { edit, store, now, onMissing }: Attempt,
): AttemptEnding | null {
  const since = edit.inFlightUntil ?? edit.resentAt ?? edit.sentAt;
  if (!since || Temporal.Instant.compare(now, since.add(longest)) >= 0) return null;
  const kind = wished.kind === "event" ? "events" : "tasks";
  const unread = store.sources
    .all()
    .filter((state) => state.source.kind === kind && !isAskedSince(since, state))
    .toSorted(nearFirst(wished));
  if (unread.length === 0) return null;
  onMissing(
    edit,
    unread.slice(0, mostHurried).map(({ name }) => name),
  );
  const problem = stored("problem.creationElsewhere", { count: unread.length });
  const waitedMs = since.until(now).total("milliseconds");
  const pauseMs = Math.max(shortestPauseMs, Math.round(waitedMs / 2));
  return postponed(now.add({ milliseconds: pauseMs }), problem);
}

/** True if the list was read, or could not be read, since then, so that nothing more can be learned from it. */
function isAskedSince(since: Temporal.Instant, state: SourceState): boolean {
  const { attemptedAt, failure } = state;
  const isTried = attemptedAt !== null && Temporal.Instant.compare(attemptedAt, since) > 0;
  return isReadSince(since, state) || (isTried && failure !== null);
}

/** Items looked up one by one, as each is a request of the shared quota. */
const mostAsked = 10;

/** A list that was read; `known`: items known before it was requested. */
interface ReadList {
  readonly items: readonly Item[];
  readonly source: string;
  readonly known: ReadonlySet<ServiceId>;
}

/**
 * Why a list read for an attempt may be incomplete: it lacks existing items, as a silently truncated one would. Items being
 * deleted or moved do not count, nor those the attempt's person may not see, as the list was read with that person's key.
 */
async function gapsIn(
  { items, source, known }: ReadList,
  attempt: Attempt,
): Promise<readonly string[]> {
  const { store, edit } = attempt;
  const listed = new Set(items.map(({ id }) => id));
  const missing = [...store.mirror.keys(source)]
    .filter(([id, key]) => known.has(id) && !listed.has(id) && !isLeaving(key, store))
    .flatMap(([id, key]) => addressOf(id, key, store))
    .filter(({ item }) => !isHiddenFrom(edit.actor, item, store));
  const count = missing.length <= mostAsked ? await countThere(missing, attempt) : missing.length;
  return count > 0 ? [`${count} known items are not in it`] : [];
}

const isLeaving = (key: ItemKey, { pastEdits }: Store): boolean =>
  pastEdits
    .ofItem(key)
    .some(({ action, patch }: Edit) => action === "delete" || patch.place !== undefined);

function addressOf(id: ServiceId, key: ItemKey, { mirror }: Store): readonly ItemAddress[] {
  const item = mirror.get(key)?.item;
  return item ? [{ item, id }] : [];
}

function isHiddenFrom(person: PersonId | null, item: Item, store: Store): boolean {
  if (person === null) return false;
  const list = store.directory.listOf(item);
  return isPrivate(item, list) && !isPartyTo(person, item);
}

/** How many of them the person can read, or may be able to. */
async function countThere(missing: readonly ItemAddress[], { calls }: Attempt): Promise<number> {
  const answers = await Promise.all(missing.map((address) => calls.get(address)));
  return answers.filter((answer) => answer.ok || answer.failure.kind !== "refused").length;
}
