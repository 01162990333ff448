import { backOff } from "../domain/backoff.ts";
import { type Edit, visibleStates, wishOf } from "../domain/edit.ts";
import type { ItemKey, ServiceId } from "../domain/ids.ts";
import type { Item } from "../domain/item.ts";
import { likenessOf } from "../domain/lost-creation.ts";
import { applyPatch } from "../domain/patch.ts";
import { toPlain } from "../domain/plain-item.ts";
import { looksAlike, sameCreation } from "../domain/sameness.ts";
import type { Failure } from "../upstream/failure.ts";

/** Mirrored items of one source by the service's id; at least those of the snapshot. */
export type Contents = ReadonlyMap<ServiceId, { readonly key: ItemKey; readonly content: string }>;

/** An item with an id of the service. */
export type Identified = Item & { readonly id: ServiceId };

interface SnapshotFacts {
  readonly known: Contents;
  /** Rows written since the request was sent. They are newer than the snapshot. */
  readonly overtaken: ReadonlySet<ServiceId>;
  readonly items: readonly Item[];
  /** True if the list response predates our copy of an item it contradicts; `known`: its key if it has a row here. */
  readonly isOutdated: (item: Identified, known: ItemKey | null) => boolean;
  /** The key of an item, also if known from elsewhere; null if it is new. */
  readonly handleOf: (item: Identified) => ItemKey | null;
  /** Creations that may have made an item; queried only when an unknown one turns up. */
  readonly creations: () => readonly Edit[];
  /** Creations that were given up but may still be carried out; queried like `creations`. */
  readonly givenUp: () => readonly Edit[];
  /** True if an item that nobody has seen yet cannot come from a given-up creation. */
  readonly isRuledOut: (edit: Edit, item: Identified) => boolean;
  /** Moves in progress or recently ended; queried like `creations`. */
  readonly moves: () => readonly Edit[];
  /** How far this machine's clock is ahead of the service's; null if unknown. */
  readonly clockLead: Temporal.Duration | null;
}

/** What to do about a snapshot. */
export interface SnapshotPlan {
  /** New or changed. */
  readonly put: readonly Identified[];
  readonly unchanged: number;
  /** Shown as before one of our edits. */
  readonly outdated: readonly Identified[];
  /** Not shown yet, as an edit in progress has probably created them. */
  readonly heldBack: readonly Item[];
  /** Items that a creation may have made, with that creation. Items of parked creations are shown anyway. */
  readonly candidates: readonly { readonly edit: Edit; readonly item: Identified }[];
  /** Items made by a creation after it was given up. */
  readonly lateCreations: readonly { readonly edit: Edit; readonly item: Identified }[];
  /** Each item's stored content, as serialising takes longer than comparing. */
  readonly contents: ReadonlyMap<Item, string>;
}

/**
 * Decides what a snapshot's items change in the mirror, on stored text alone: an unchanged item is neither decoded nor written,
 * even if its `updatedAt` has changed.
 */
export function planSnapshot({ known, overtaken, items, ...facts }: SnapshotFacts): SnapshotPlan {
  const put: Identified[] = [];
  const outdated: Identified[] = [];
  const heldBack: Item[] = [];
  const candidates: Claim[] = [];
  const lateCreations: Claim[] = [];
  const explain = explanation(facts);
  const contents = new Map<Item, string>();
  let unchanged = 0;
  for (const item of items) {
    if (!isIdentified(item)) continue;
    const stored = known.get(item.id);
    if (overtaken.has(item.id)) continue;
    const content = JSON.stringify(toPlain(item));
    contents.set(item, content);
    if (stored?.content === content) {
      unchanged += 1;
      continue;
    }
    if (facts.isOutdated(item, stored?.key ?? null)) {
      outdated.push(item);
      continue;
    }
    const why = stored ? null : explain(item);
    for (const edit of why?.made ?? []) candidates.push({ edit, item });
    if (why?.madeLateBy) lateCreations.push({ edit: why.madeLateBy, item });
    if (why?.isHeldBack) heldBack.push(item);
    else put.push(item);
  }
  return { put, outdated, unchanged, heldBack, candidates, lateCreations, contents };
}

/** Rows of the source missing from a complete snapshot. */
export function missingFrom({
  rows,
  seen,
  overtaken,
}: {
  readonly rows: ReadonlyMap<ServiceId, ItemKey>;
  readonly seen: ReadonlySet<ServiceId>;
  readonly overtaken: ReadonlySet<ServiceId>;
}): readonly ItemKey[] {
  return [...rows].flatMap(([id, key]) => (seen.has(id) || overtaken.has(id) ? [] : [key]));
}

/** True if a snapshot can prove that something is missing. */
export const isComplete = (snapshot: { readonly problems: readonly string[] }): boolean =>
  snapshot.problems.length === 0;

type Claim = { readonly edit: Edit; readonly item: Identified };

/** What an unknown item may be. */
interface Explanation {
  /** Creations that may have made it. */
  readonly made: readonly Edit[];
  /** The creation that made it after being given up. */
  readonly madeLateBy: Edit | null;
  /** If shown now, it would appear twice in the view until the answer arrives. */
  readonly isHeldBack: boolean;
}

/** Edits that may explain what a snapshot shows. */
export type Expectations = Pick<
  SnapshotFacts,
  "isOutdated" | "handleOf" | "creations" | "givenUp" | "isRuledOut" | "moves" | "clockLead"
>;

/** Which edits explain an unknown item. The journal is read for the first one only. */
function explanation({
  handleOf,
  creations,
  givenUp,
  isRuledOut,
  moves,
  clockLead,
}: Omit<Expectations, "isOutdated">): (item: Identified) => Explanation {
  let open: Readonly<Record<"made" | "givenUp" | "moved", readonly Edit[]>> | null = null;
  return (item) => {
    open ??= { made: creations(), givenUp: givenUp(), moved: moves() };
    const { made, moved } = open;
    if (made.length + open.givenUp.length + moved.length === 0) return nothing;
    const handle = handleOf(item);
    const mayMake = (edit: Edit) => handle === null || isNewTo(edit, handle);
    const claims = likeliest(made.filter(mayMake), { item, clockLead });
    const madeLateBy = open.givenUp
      .filter(mayMake)
      .find((edit) => likenessTo(edit, item) === "same" && !isRuledOut(edit, item));
    const move = handle === null ? moved.find((edit) => isOfMove(edit, item)) : undefined;
    const making =
      handle === null && claims.length === 0
        ? moved.filter((edit) => isMadeBy(edit, { item, clockLead }))
        : [];
    return {
      made: [...claims.map(({ edit }) => edit), ...making],
      madeLateBy: claims.length > 0 ? null : (madeLateBy ?? null),
      isHeldBack: move !== undefined || claims.some(isAwaited),
    };
  };
}

/** True if it may be the new event of a move with an unknown result, also if someone has changed it since. */
const isMadeBy = (
  move: Edit,
  { item, clockLead }: { readonly item: Identified } & Pick<Expectations, "clockLead">,
): boolean =>
  item.kind === "event" &&
  isUnderWay(move) &&
  item.id !== (move.before ?? move.base).id &&
  likenessTo(move, item, clockLead) !== null;

const nothing: Explanation = { made: [], madeLateBy: null, isHeldBack: false };

/**
 * True if the item must wait for the creation's end. While the answer is expected, a similar item may have been created by
 * somebody else. If the answer is lost, the item is most likely the edit's.
 */
function isAwaited({ edit, likeness }: Likely): boolean {
  const isLost = edit.state === "pending" || edit.begun > 1;
  return visibleStates.includes(edit.state) && (likeness === "same" || isLost);
}

const isNewTo = ({ sentAfter, item }: Edit, handle: ItemKey): boolean =>
  handle !== item && sentAfter !== null && handle > sentAfter;

interface Likely {
  readonly edit: Edit;
  readonly likeness: "same" | "altered";
}

/**
 * An item that matches one creation exactly is not taken for a changed item of another. If several match exactly, delivery
 * decides.
 */
function likeliest(
  edits: readonly Edit[],
  { item, clockLead }: { readonly item: Item } & Pick<Expectations, "clockLead">,
): readonly Likely[] {
  const alike = edits.flatMap((edit): readonly Likely[] => {
    const likeness = likenessTo(edit, item, clockLead);
    return likeness ? [{ edit, likeness }] : [];
  });
  const same = alike.find(({ likeness }) => likeness === "same");
  return same ? [same] : alike;
}

function likenessTo(edit: Edit, item: Item, clockLead: Temporal.Duration | null = null) {
  const { sentAt, resentAt, actor } = edit;
  return sentAt && likenessOf(item, { wished: wishOf(edit), sentAt, resentAt, actor, clockLead });
}

export const isIdentified = (item: Item): item is Identified => item.id !== null;

/** True if the move's result is open: its item may be in neither place, or in both. */
export const isUnderWay = ({ state }: Edit): boolean => visibleStates.includes(state);

/**
 * True if an item unknown to its list belongs to a move: the old event, which is about to be deleted, or a new item with
 * another id in the new place. It would appear twice in the view. A task found in its new place with its own id has been moved.
 */
export function isOfMove(move: Edit, item: Item): boolean {
  const before = move.before ?? move.base;
  if (item.kind === before.kind && item.id === before.id) return item.kind === "event";
  const { place } = move.patch;
  const { sentAt, resentAt, actor } = move;
  if (!isUnderWay(move) || !place || !sentAt) return false;
  // A task is moved first and gets its other fields then. A copy with another id may still have its old change time.
  const wished = applyPatch(before, before.kind === "event" ? move.patch : { place });
  return sameCreation(item, before)
    ? looksAlike(item, wished)
    : likenessOf(item, { wished, sentAt, resentAt, actor }) === "same";
}

/** The service refuses this URL, and will do so again. A refused key (401) is different. */
export const isDenied = (failure: Failure): boolean =>
  failure.kind === "refused" && failure.status !== 401;

/** A look-up that answers in another shape does not exist in this service. */
export const isLookUpRefused = (failure: Failure): boolean =>
  isDenied(failure) || failure.kind === "unreadable" || failure.kind === "service-refused";

/**
 * How long a source rests after consecutive failures: the service's requested wait, if longer than our own growing pause. A
 * failing service is retried after `maxAge` at the latest, as its estimate may be hours too long. A rate limit is respected.
 */
export function restOf(
  failure: Failure,
  { failures, maxAge }: { readonly failures: number; readonly maxAge: Temporal.Duration },
): Temporal.Duration {
  const rest = restAfter(failures, maxAge);
  if (failure.kind === "rate-limited") return longer(failure.retryAfter, rest);
  if (failure.kind !== "unavailable" || !failure.retryAfter) return rest;
  const isTooLong = Temporal.Duration.compare(failure.retryAfter, maxAge) > 0;
  return isTooLong ? maxAge : longer(failure.retryAfter, rest);
}

const longer = (a: Temporal.Duration, b: Temporal.Duration): Temporal.Duration =>
  Temporal.Duration.compare(a, b) > 0 ? a : b;

/**
 * Rest after consecutive failed polls: doubled by each, from 1/64 of `cap` up to `cap`. This also applies to refusals, which
 * may be temporary. No data gets older than `cap` because of a rest.
 */
export function restAfter(failures: number, cap: Temporal.Duration): Temporal.Duration {
  const microseconds = Math.round(cap.total("microseconds") / 64);
  const first = Temporal.Duration.from({ microseconds });
  return backOff(failures, { first, ceiling: cap });
}
