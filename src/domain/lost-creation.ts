import { atService } from "./clock-lead.ts";
import type { EditId, PersonId } from "./ids.ts";
import type { Item } from "./item.ts";
import { placedIn, placeOf } from "./patch.ts";
import { looksAlike, sharedFields } from "./sameness.ts";

/**
 * A creation whose answer was lost. `sentAt`, `resentAt`: when it left first and last; `actor`: on whose behalf; `clockLead`: how far
 * this machine's clock is ahead of the service's, where the service tells.
 */
export interface LostCreation {
  readonly wished: Item;
  readonly sentAt: Temporal.Instant;
  readonly resentAt: Temporal.Instant | null;
  readonly actor: PersonId | null;
  readonly clockLead?: Temporal.Duration | null;
}

/** More than most clocks are wrong, a wrong zone included: what is older by its own stamp, and differs in something, is something else. */
const widest = Temporal.Duration.from({ hours: 26 });

/**
 * How an item that nobody knew when the request left is like what the creation was to make: the `same` place, title and dates, or
 * `altered`: moved, renamed or dated anew, but alike in something. Null when a different hand has made it, when it differs in
 * everything, or when it differs in something and its own stamps say that it is older, or that nobody has changed it: then it was
 * made as it is, unless it was made within seconds of the request, and may have been changed at once. Of the `same` the service's
 * clock says nothing: it may be wrong by years, or stand still, and a second one would be a duplicate.
 */
export function likenessOf(item: Item, lost: LostCreation): "same" | "altered" | null {
  if (!isOfHand(item, lost)) return null;
  if (looksAlike(item, lost.wished)) return "same";
  const isMoved = looksAlike(placedIn(item, placeOf(lost.wished)), lost.wished);
  if (isAncient(item, lost)) return null;
  if (!isMoved && (isMadeAsItIs(item, lost) || isMadeBefore(item, lost))) return null;
  return sharedFields(item, lost.wished) > 0 ? "altered" : null;
}

/** A creation whose answer was lost, with the edit that wishes it. */
export interface OpenCreation extends LostCreation {
  readonly edit: EditId;
}

/**
 * Which item each creation has most likely made, when all of them and all items are looked at together: what is just as it was wished
 * first, then what has more in common with the wish, then what was made sooner after the request left. No item is made by
 * two. An edit with several wishes stands in `creations` with each of them.
 */
export function assign(
  creations: readonly OpenCreation[],
  items: readonly Item[],
): ReadonlyMap<EditId, Item> {
  const claims = creations.flatMap((creation) =>
    items.flatMap((item) => {
      const likeness = likenessOf(item, creation);
      if (likeness === null) return [];
      const isAltered = likeness === "altered";
      const shared = sharedFields(item, creation.wished);
      return [{ edit: creation.edit, item, isAltered, shared, delay: delayOf(item, creation) }];
    }),
  );
  const best = claims.toSorted(
    (a, b) =>
      Number(a.isAltered) - Number(b.isAltered) ||
      b.shared - a.shared ||
      a.delay - b.delay ||
      a.edit - b.edit ||
      (a.item.id ?? 0) - (b.item.id ?? 0),
  );
  const assigned = new Map<EditId, Item>();
  const taken = new Set<Item>();
  for (const { edit, item } of best) {
    if (assigned.has(edit) || taken.has(item)) continue;
    assigned.set(edit, item);
    taken.add(item);
  }
  return assigned;
}

/** Whole seconds between a request and the item's creation, by the service's clock, as far as they tell; 0 otherwise. */
function delayOf({ createdAt }: Item, lost: LostCreation): number {
  if (!createdAt || !lost.clockLead) return 0;
  const delays = sendsOf(lost).map((at) => createdAt.since(at).abs().total("seconds"));
  return Math.min(...delays.map(Math.round));
}

/** When its requests left, by the service's clock. */
const sendsOf = ({
  sentAt,
  resentAt,
  clockLead = null,
}: Pick<LostCreation, "sentAt" | "resentAt" | "clockLead">): readonly Temporal.Instant[] =>
  [sentAt, ...(resentAt ? [resentAt] : [])].map((at) => atService(at, clockLead));

/** Stamps are whole seconds. */
const stampStep = Temporal.Duration.from({ seconds: 1 });
/** A request takes some, and so may a clock be wrong of which nothing is known. */
const moments = Temporal.Duration.from({ seconds: 5 });

/** Whether it was made before the request left, or long after, and has not been changed since: then another request has made it. */
function isMadeAsItIs(
  { createdAt, updatedAt }: Pick<Item, "createdAt" | "updatedAt">,
  { sentAt, resentAt, clockLead = null }: Omit<LostCreation, "wished" | "actor">,
): boolean {
  if (!createdAt || !updatedAt || Temporal.Instant.compare(updatedAt, createdAt) > 0) return false;
  const early = clockLead ? stampStep : moments;
  return !sendsOf({ sentAt, resentAt, clockLead }).some((at) =>
    isBetween(createdAt, at.subtract(early), at.add(moments)),
  );
}

/** A service's clock is set by some seconds at times, so that its stamps and its Date may differ by as much. */
const settings = Temporal.Duration.from({ seconds: 10 });

/** Whether it was made before the request left, by the service's own clock. */
function isMadeBefore(
  { createdAt }: Pick<Item, "createdAt">,
  { sentAt, clockLead = null }: Pick<LostCreation, "sentAt" | "clockLead">,
): boolean {
  if (!createdAt || !clockLead) return false;
  const left = atService(sentAt, clockLead);
  return Temporal.Instant.compare(createdAt, left.subtract(settings)) < 0;
}

const isBetween = (at: Temporal.Instant, from: Temporal.Instant, to: Temporal.Instant): boolean =>
  Temporal.Instant.compare(at, from) >= 0 && Temporal.Instant.compare(at, to) <= 0;

/** What tells who has made something, and when. */
interface Made {
  readonly byMe: boolean;
  readonly creatorId: PersonId | null;
  readonly createdAt: Temporal.Instant | null;
}

/** Whether something was made by the hand that a creation went out under, and not long before that left. */
export const isByHand = (made: Made, sent: Pick<LostCreation, "sentAt" | "actor">): boolean =>
  isOfHand(made, sent) && !isAncient(made, sent);

const isOfHand = (
  { byMe, creatorId }: Pick<Made, "byMe" | "creatorId">,
  { actor }: Pick<LostCreation, "actor">,
): boolean => byMe || (actor !== null && creatorId === actor);

const isAncient = (
  { createdAt }: Pick<Made, "createdAt">,
  { sentAt }: Pick<LostCreation, "sentAt">,
): boolean =>
  createdAt !== null && Temporal.Instant.compare(createdAt, sentAt.subtract(widest)) < 0;
