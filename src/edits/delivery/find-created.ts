import { type Edit, wishOf } from "../../domain/edit.ts";
import type { ItemKey, PersonId, ServiceId } from "../../domain/ids.ts";
import type { Item } from "../../domain/item.ts";
import {
  assign,
  type LostCreation,
  likenessOf,
  type OpenCreation,
} from "../../domain/lost-creation.ts";
import { ok, type Result } from "../../domain/result.ts";
import { isPartyTo, isPrivate } from "../../domain/sight.ts";
import { sourceOf } from "../../domain/source.ts";
import { isReadSince } from "../../store/mirror/sources.ts";
import type { SourceState } from "../../store/rows/source-rows.ts";
import type { Store } from "../../store/store.ts";
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

/** What is known of a lost creation; `ended`: it cannot be told yet, so that nothing may be sent now. */
type Found = { readonly kind: "one"; readonly item: Item } | { readonly kind: "none" } | Ended;

/** So long a list that is said not to be there is asked for again. */
const patience = Temporal.Duration.from({ minutes: 1 });

/** `wishes`: what the request may have made, as it was wished first, and as it would be wished now. */
interface Sought extends Omit<LostCreation, "wished" | "clockLead"> {
  readonly wishes: readonly [Item, ...(readonly Item[])];
}

/**
 * Looks for what a creating request has made whose answer was lost: in its list, and among what other lists have shown since.
 * What is the same as the wish is it, at once; what has been changed since only when the request can be carried out no more,
 * as the wish itself may come until then. "None" is said only after that, when no list that can be read holds it. A list
 * that is refused says nothing, and is asked again.
 */
export async function lookUp(sought: Sought, attempt: Attempt): Promise<Found> {
  const { edit, store, calls } = attempt;
  const [wished] = sought.wishes;
  const source = sourceOf(wished);
  // What is created beside this one while its list is on the way is not in it, and that is no sign that it was cut.
  const known = new Set(store.mirror.keys(source).keys());
  const listed = await calls.list(wished);
  const shown = listed.ok ? listed.value.items : [];
  const kept = await freshCandidates(attempt, new Set(shown.map(keyOf)));
  if (!kept.ok) return unseen(kept.failure, attempt);
  const former = formerKeys(attempt);
  const made = { ...sought, clockLead: attempt.clockLead() };
  const open = [...shown, ...kept.value].filter(
    (item) => !former.has(keyOf(item)) && mayBeIt(item, attempt),
  );
  const [same] = open.filter((item) => likeness(item, made) === "same").toSorted(byId);
  if (same) return { kind: "one", item: same };
  const waiting = waitForInFlight(attempt);
  if (waiting) return ended(waiting);
  if (!listed.ok) return unseen(listed.failure, attempt);

  const noted = new Map(store.candidates.ofEdit(edit.id).map((one) => [keyOf(one), one]));
  // As it is now, or as it was when it was last like the wish, with the item as it is now.
  const altered = new Map(
    open
      .filter((item) => wasLikeAtFirst(item, attempt))
      .flatMap((item) => {
        const seen = likeness(item, made) === null ? noted.get(keyOf(item)) : item;
        return seen && likeness(seen, made) !== null ? [[seen, item]] : [];
      }),
  );
  const { wishes, ...lost } = made;
  const own = wishes.map((one) => ({ ...lost, edit: edit.id, wished: one }));
  const seen = assign([...own, ...otherCreations(attempt)], [...altered.keys()]).get(edit.id);
  const item = seen && altered.get(seen);
  if (item) return { kind: "one", item };

  const { problems } = listed.value;
  const doubts = [...problems, ...(await doubtsAbout(shown, { attempt, source, known }))];
  if (doubts.length > 0) {
    const what = `its list cannot be read as a whole: ${doubts.join("; ")}`;
    return unsure(`whether the item was created is not known, as ${what}`, attempt);
  }
  const elsewhere = lookElsewhere(wished, attempt);
  return elsewhere ? ended(elsewhere) : { kind: "none" };
}

const keyOf = ({ kind, id }: Item): string => `${kind} ${id}`;

const byId = (a: Item, b: Item): number => (a.id ?? 0) - (b.id ?? 0);

function likeness(
  item: Item,
  { wishes, ...lost }: Sought & Pick<LostCreation, "clockLead">,
): "same" | "altered" | null {
  const all = wishes.map((wished) => likenessOf(item, { ...lost, wished }));
  return all.includes("same") ? "same" : (all.find((one) => one !== null) ?? null);
}

/** What other readings have shown of the creation, as it is now; what is gone is left out. */
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

/** What the item was at the service before, under other numbers: a list may show that still, seconds after it was deleted. */
function formerKeys({ edit, store }: Attempt): ReadonlySet<string> {
  const former = store.pastEdits.ofItem(edit.item).flatMap(({ id, base, before, answer }) => {
    return [base, before, id === edit.id ? null : answer];
  });
  return new Set(former.flatMap((item) => (item && item.id !== null ? [keyOf(item)] : [])));
}

/** Whether nobody knew the item before the request left, and it is not what another creation has made. */
function mayBeIt({ kind, id }: Item, { edit, store }: Attempt): boolean {
  const key = id === null ? null : store.mirror.find(kind, id);
  if (key === null || key === edit.item) return true;
  if (edit.sentAfter === null || key <= edit.sentAfter) return false;
  return !store.pastEdits.ofItem(key).some(({ action }) => action === "create");
}

/**
 * Whether the first reading that showed an item took it for what this creation may have made. What it did not, was something else
 * then: made as it was, or by another creation. An item that no reading has shown yet may be it, unless a person has let the edit
 * go once more, perhaps long after.
 */
function wasLikeAtFirst(item: Item, { edit, store }: Attempt): boolean {
  const key = item.id === null ? null : store.mirror.find(item.kind, item.id);
  if (key === edit.item || (key === null && !edit.insisted)) return true;
  return store.candidates.ofEdit(edit.id).some((one) => keyOf(one) === keyOf(item));
}

/** The other creations whose outcome is open, and the events that moves make in other projects. */
const otherCreations = ({ edit, store, clockLead }: Attempt): readonly OpenCreation[] =>
  [...store.journal.openCreations(), ...store.moves.recent()].flatMap((other) => {
    const { id, sentAt, resentAt, actor } = other;
    if (id === edit.id || !sentAt) return [];
    const wished = wishOf(other);
    return [{ edit: id, wished, sentAt, resentAt, actor, clockLead: clockLead() }];
  });

/**
 * That the list is refused says nothing about the creation, as little as an error of the service does. Where there is no such
 * list any more, nothing can be made there either, and a person has to look.
 */
function unseen(failure: Failure, attempt: Attempt): Found {
  if (!isRefusal(failure)) return ended(failed(failure));
  const what = `the service does not show whether it was made: ${describeFailure(failure)}`;
  const problem = `the answer to the creation was lost, and ${what}`;
  const since = attempt.edit.inFlightUntil ?? attempt.edit.sentAt ?? attempt.now;
  const isLost = Temporal.Instant.compare(since.add(patience), attempt.now) <= 0;
  if (!isMissing(failure) || !isLost) return unsure(problem, attempt);
  return ended(parked("unknown-outcome", problem));
}

const unsure = (problem: string, attempt: Attempt): Found => ended(retried(problem, attempt));

/** So many lists are asked for at once: each is a request of the quota that everybody shares. */
const mostHurried = 10;
/**
 * How long they are given to be read before they are looked at again: so long at least, and half as long as has been waited already.
 * Each look reads the creation's own list again, and goes before the polls that are waited for.
 */
const shortestPauseMs = 2000;
/** So long a creation waits for other lists: in a workspace of many hundreds the rest is left to the next sweep. */
const longest = Temporal.Duration.from({ minutes: 1 });

/**
 * Holds a lost creation back until the other lists were read once since its request could last be carried out: somebody may have
 * moved what it made. What they show of it is kept with the edit (`store.candidates`). Null when nothing is left to wait for.
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
  const problem = `no answer came to the creation, and it is not in its list: ${unread.length} other lists are looked at before it is sent again`;
  const waitedMs = since.until(now).total("milliseconds");
  const pauseMs = Math.max(shortestPauseMs, Math.round(waitedMs / 2));
  return postponed(now.add({ milliseconds: pauseMs }), problem);
}

/** Whether the list was read, or could not be, since then: no more can be learnt from it now. */
function isAskedSince(since: Temporal.Instant, state: SourceState): boolean {
  const { attemptedAt, failure } = state;
  const isTried = attemptedAt !== null && Temporal.Instant.compare(attemptedAt, since) > 0;
  return isReadSince(since, state) || (isTried && failure !== null);
}

/** So many items are asked for one by one: each is a request of the quota that everybody shares. */
const mostAsked = 10;

/**
 * Why a list that was read for an attempt may be less than the whole: it lacks what is known to be there, as one that was
 * cut silently would. What was to be deleted or moved from here is no such sign, nor is what the attempt's person may not
 * see, as the list was read with that one's key.
 */
async function doubtsAbout(
  items: readonly Item[],
  {
    attempt,
    source,
    known,
  }: {
    readonly attempt: Attempt;
    readonly source: string;
    /** Known before the list was asked for. */
    readonly known: ReadonlySet<ServiceId>;
  },
): Promise<readonly string[]> {
  const { store, edit } = attempt;
  const listed = new Set(items.map(({ id }) => id));
  const missing = [...store.mirror.keys(source)]
    .filter(([id, key]) => known.has(id) && !listed.has(id) && !isLeaving(key, store))
    .flatMap(([id, key]) => addressOf({ id, key }, store))
    .filter(({ item }) => !isHiddenFrom(edit.actor, { item, store }));
  const count = missing.length <= mostAsked ? await countThere(missing, attempt) : missing.length;
  return count > 0 ? [`${count} known items are not in it`] : [];
}

const isLeaving = (key: ItemKey, { pastEdits }: Store): boolean =>
  pastEdits
    .ofItem(key)
    .some(({ action, patch }: Edit) => action === "delete" || patch.place !== undefined);

function addressOf(
  { id, key }: { readonly id: ServiceId; readonly key: ItemKey },
  { mirror }: Store,
): readonly ItemAddress[] {
  const item = mirror.get(key)?.item;
  return item ? [{ item, id }] : [];
}

function isHiddenFrom(
  person: PersonId | null,
  { item, store }: { readonly item: Item; readonly store: Store },
): boolean {
  if (person === null) return false;
  const list = item.kind === "event" ? null : store.directory.todolist(item.listId);
  return isPrivate(item, list) && !isPartyTo(person, item);
}

/** How many of them the person can read, or may be able to. */
async function countThere(missing: readonly ItemAddress[], { calls }: Attempt): Promise<number> {
  const answers = await Promise.all(missing.map((address) => calls.get(address)));
  return answers.filter((answer) => answer.ok || answer.failure.kind !== "refused").length;
}
