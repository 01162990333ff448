import { type Edit, visibleStates, wishOf } from "../domain/edit.ts";
import type { ItemKey, ServiceId } from "../domain/ids.ts";
import type { Item } from "../domain/item.ts";
import { likenessOf } from "../domain/lost-creation.ts";
import { applyPatch } from "../domain/patch.ts";
import { toPlain } from "../domain/plain-item.ts";
import { looksAlike, sameCreation } from "../domain/sameness.ts";
import type { Failure } from "../upstream/failure.ts";
import { restAfter } from "./schedule.ts";

/** Items of one source as the mirror holds them, by the service's id; of those at least that are asked about. */
export type Contents = ReadonlyMap<ServiceId, { readonly key: ItemKey; readonly content: string }>;

/** An item that the service has named. */
export type Identified = Item & { readonly id: ServiceId };

interface SnapshotFacts {
  readonly known: Contents;
  /** Rows that were written since the request was made: they are newer than the snapshot. */
  readonly overtaken: ReadonlySet<ServiceId>;
  readonly items: readonly Item[];
  /** Whether the list is older than what is known of an item that it shows otherwise; `known`: its handle where it has a row here. */
  readonly isOutdated: (item: Identified, known: ItemKey | null) => boolean;
  /** The handle of an item, also of one that is known from elsewhere; null when it is new. */
  readonly handleOf: (item: Identified) => ItemKey | null;
  /** Creations that may have made an item; asked for only when an unknown one turns up. */
  readonly creations: () => readonly Edit[];
  /** Creations that were given up although a request of theirs may have been carried out; asked for as those are. */
  readonly givenUp: () => readonly Edit[];
  /** Whether an item that nobody was shown yet cannot be what a given up creation has made. */
  readonly isRuledOut: (edit: Edit, item: Identified) => boolean;
  /** Moves under way, or lately ended; asked for as creations are. */
  readonly moves: () => readonly Edit[];
  /** How far this machine's clock is ahead of the service's; null where the service has not told. */
  readonly clockLead: Temporal.Duration | null;
}

/** What is to be done about a snapshot. */
export interface SnapshotPlan {
  /** New or different. */
  readonly put: readonly Identified[];
  readonly unchanged: number;
  /** Shown as they were before an own edit. */
  readonly outdated: readonly Identified[];
  /** Left to the creations and moves on their way that have probably made them. */
  readonly heldBack: readonly Item[];
  /** Items that a creation may have made, with that one; those of parked ones are shown all the same. */
  readonly candidates: readonly { readonly edit: Edit; readonly item: Identified }[];
  /** Items that were made by a creation after it was given up. */
  readonly lateCreations: readonly { readonly edit: Edit; readonly item: Identified }[];
  /** What each item says, as the mirror writes it, which takes longer than to compare it. */
  readonly contents: ReadonlyMap<Item, string>;
}

/**
 * What items of a snapshot change in the mirror, decided on stored text alone: an unchanged item is neither decoded nor written,
 * also when nothing but its `updatedAt` has moved.
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

/** Rows of the source that a snapshot, which is complete, does not show. */
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

/** Whether a snapshot may say that something is missing. */
export const isComplete = (snapshot: { readonly problems: readonly string[] }): boolean =>
  snapshot.problems.length === 0;

type Claim = { readonly edit: Edit; readonly item: Identified };

/** What an unknown item may be. */
interface Explanation {
  /** The creations that may have made it. */
  readonly made: readonly Edit[];
  /** The creation that has made it after it was given up. */
  readonly madeLateBy: Edit | null;
  /** Shown now, it would stand twice in the view until the answer comes in. */
  readonly isHeldBack: boolean;
}

/** The edits that may account for what a snapshot shows. */
export type Expectations = Pick<
  SnapshotFacts,
  "isOutdated" | "handleOf" | "creations" | "givenUp" | "isRuledOut" | "moves" | "clockLead"
>;

/** What edits account for in an unknown item; the journal is read when the first one is asked about. */
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
    return {
      made:
        move && claims.length === 0 && isMadeBy(move, item)
          ? [move]
          : claims.map(({ edit }) => edit),
      madeLateBy: claims.length > 0 ? null : (madeLateBy ?? null),
      isHeldBack: move !== undefined || claims.some(isAwaited),
    };
  };
}

/** Whether it is the new event of a move whose answer is open. */
const isMadeBy = (move: Edit, item: Identified): boolean =>
  item.kind === "event" &&
  item.id !== (move.before ?? move.base).id &&
  likenessTo(move, item) === "same";

const nothing: Explanation = { made: [], madeLateBy: null, isHeldBack: false };

/**
 * Whether the item waits for the creation's end. One that is merely alike may well be somebody's new one while an answer is
 * awaited in the usual way; once that is lost, it is the likeliest thing to have become of it.
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

/** What is just the wish of one creation is not a changed one of another; of several alike the delivery finds out. */
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

/** Whether the move's outcome is open: until then its item may be in neither place, or in both. */
export const isUnderWay = ({ state }: Edit): boolean => visibleStates.includes(state);

/**
 * Whether an item that no row of its list knows is one that a move is about: the event that it has left behind and will
 * delete, or what it has just made in the new place under another id. Shown, it would stand twice in the view. A task
 * that is found in its new place under its own id is simply there.
 */
export function isOfMove(move: Edit, item: Item): boolean {
  const before = move.before ?? move.base;
  if (item.kind === before.kind && item.id === before.id) return item.kind === "event";
  const { place } = move.patch;
  const { sentAt, resentAt, actor } = move;
  if (!isUnderWay(move) || !place || !sentAt) return false;
  // A task is moved first and gets its other fields then; one under another id may still have its old stamp.
  const wished = applyPatch(before, before.kind === "event" ? move.patch : { place });
  return sameCreation(item, before)
    ? looksAlike(item, wished)
    : likenessOf(item, { wished, sentAt, resentAt, actor }) === "same";
}

/** The service said no to this address, and will say so again; a refused key (401) is another matter. */
export const isDenied = (failure: Failure): boolean =>
  failure.kind === "refused" && failure.status !== 401;

/** A look-up that answers in another shape is one that the service does not have. */
export const isLookUpRefused = (failure: Failure): boolean =>
  isDenied(failure) || failure.kind === "unreadable" || failure.kind === "service-refused";

/**
 * How long a source rests that has failed so many times in a row: what the service has asked for, where that is longer than
 * our own growing rest. A failing service is asked again after `maxAge` whatever it says, as its guess at its own repair may
 * be hours too long; one that is over its limit is obeyed.
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
