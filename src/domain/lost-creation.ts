import type { PersonId } from "./ids.ts";
import type { Item } from "./item.ts";
import { looksAlike, sharedFields } from "./sameness.ts";

/** A creation whose answer was lost. `sentAt`: when it first left; `actor`: on whose behalf. */
export interface LostCreation {
  readonly wished: Item;
  readonly sentAt: Temporal.Instant;
  readonly actor: PersonId | null;
}

/** More than any clock is wrong, a wrong zone included: what is older by its own stamp is something else. */
const widest = Temporal.Duration.from({ hours: 26 });

/**
 * How an item that nobody knew when the request left is like what the creation was to make: the `same` place, title and dates, or
 * `altered`: moved, renamed or dated anew, but alike in something. Null when a different hand has made it, or when it differs in
 * everything. The service's clock does not decide: it may be wrong by any zone.
 */
export function likenessOf(item: Item, lost: LostCreation): "same" | "altered" | null {
  if (!isByHand(item, lost)) return null;
  if (looksAlike(item, lost.wished)) return "same";
  return sharedFields(item, lost.wished) > 0 ? "altered" : null;
}

/** What tells who has made something, and when. */
interface Made {
  readonly byMe: boolean;
  readonly creatorId: PersonId | null;
  readonly createdAt: Temporal.Instant | null;
}

/** Whether something was made by the hand that a creation went out under, and not long before that left. */
export function isByHand(
  { byMe, creatorId, createdAt }: Made,
  { sentAt, actor }: Pick<LostCreation, "sentAt" | "actor">,
): boolean {
  const isAncient =
    createdAt !== null && Temporal.Instant.compare(createdAt, sentAt.subtract(widest)) < 0;
  return !isAncient && (byMe || (actor !== null && creatorId === actor));
}
