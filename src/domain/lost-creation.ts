import { atService } from "./clock-lead.ts";
import type { EditId, PersonId } from "./ids.ts";
import type { Item } from "./item.ts";
import { placedIn, placeOf } from "./patch.ts";
import { looksAlike, sharedFields } from "./sameness.ts";

/**
 * A creation whose answer was lost. `sentAt`, `resentAt`: first and last request; `actor`: on whose behalf;
 * `clockLead`: how far this machine's clock is ahead of the service's, if known.
 */
export interface LostCreation {
  readonly wished: Item;
  readonly sentAt: Temporal.Instant;
  readonly resentAt: Temporal.Instant | null;
  readonly actor: PersonId | null;
  readonly clockLead?: Temporal.Duration | null;
}

/** Few clocks are off by more, even with a wrong zone. An older item that differs in something is unrelated. */
const widest = Temporal.Duration.from({ hours: 26 });

/**
 * How an item that was unknown when the request was sent resembles the wanted one: `same` (same place, title and dates)
 * or `altered` (moved, renamed or rescheduled, but partly alike). Null if someone else created it, if everything
 * differs, or if something differs and its stamps say that it is older or unchanged since creation. An unchanged item
 * made within seconds of the request may have been changed at once, and counts. For `same` the stamps are ignored, as
 * the service's clock may be wrong and a second item would be a duplicate.
 */
export function likenessOf(item: Item, lost: LostCreation): "same" | "altered" | null {
  if (!isOfHand(item, lost)) return null;
  if (looksAlike(item, lost.wished)) return "same";
  const isMoved = looksAlike(placedIn(item, placeOf(lost.wished)), lost.wished);
  if (isAncient(item, lost)) return null;
  if (!isMoved && (isMadeAsItIs(item, lost) || isMadeBefore(item, lost))) return null;
  return sharedFields(item, lost.wished) > 0 ? "altered" : null;
}

/** A lost creation and its edit. */
export interface OpenCreation extends LostCreation {
  readonly edit: EditId;
}

/**
 * Assigns items to lost creations, looking at all of them together: exact matches first, then by similarity, then by
 * time since the request. No item is assigned twice. An edit with several wishes appears once per wish.
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

/** Whole seconds between a request and the item's creation by the service's clock; 0 if unknown. */
function delayOf({ createdAt }: Item, lost: LostCreation): number {
  if (!createdAt || !lost.clockLead) return 0;
  const delays = sendsOf(lost).map((at) => createdAt.since(at).abs().total("seconds"));
  return Math.min(...delays.map(Math.round));
}

/** When its requests were sent, by the service's clock. */
const sendsOf = ({
  sentAt,
  resentAt,
  clockLead = null,
}: Pick<LostCreation, "sentAt" | "resentAt" | "clockLead">): readonly Temporal.Instant[] =>
  [sentAt, ...(resentAt ? [resentAt] : [])].map((at) => atService(at, clockLead));

/** Stamps are whole seconds. */
const stampStep = Temporal.Duration.from({ seconds: 1 });
/** A request takes time, and an unknown clock may be off a little. */
const moments = Temporal.Duration.from({ seconds: 5 });

/**
 * True if the item was created before the request or long after it, and not changed since. Then another request created
 * it.
 */
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

/** A service's clock may be corrected by some seconds, so its stamps and its Date may differ by as much. */
const settings = Temporal.Duration.from({ seconds: 10 });

/** True if it was created before the request was sent, by the service's clock. */
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

/** Who created something, and when. */
interface Made {
  readonly byMe: boolean;
  readonly creatorId: PersonId | null;
  readonly createdAt: Temporal.Instant | null;
}

/** True if something was created with the key that a creation used, and not long before it was sent. */
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
