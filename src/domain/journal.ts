import type { EditId, ItemKey, PersonId } from "./ids.ts";
import type { Item } from "./item.ts";
import type { Patch } from "./merge.ts";

/** The ways in which an edit can come in. */
const channels = ["upload", "cli", "inbox", "subscription", "link", "caldav", "dashboard"] as const;
export type Channel = (typeof channels)[number];

/** What an edit does to its item in the workspace. */
const editActions = ["create", "update", "complete", "reopen", "delete"] as const;
export type EditAction = (typeof editActions)[number];

/**
 * `pending` → `claimed` (a request may be under way) → `confirmed` (the service has it). `parked` and `held` wait for a
 * person; `discarded` and `undone` are ends.
 */
export const editStates = [
  "pending",
  "claimed",
  "confirmed",
  "parked",
  "held",
  "discarded",
  "undone",
] as const;
export type EditState = (typeof editStates)[number];

/** Why an edit is parked. */
const parkReasons = ["conflict", "refused", "failed", "unknown-outcome"] as const;
export type ParkReason = (typeof parkReasons)[number];

/** States whose edits are laid over the mirror. A parked edit leaves the view; a held one has not entered it. */
export const visibleStates: readonly EditState[] = ["pending", "claimed"];

/** One durable wish of a person for one item. */
export interface Edit {
  readonly id: EditId;
  readonly channel: Channel;
  readonly actor: PersonId | null;
  readonly item: ItemKey;
  readonly action: EditAction;
  /** What the editor last saw; for a creation the item as it is to become, with `id` null. */
  readonly base: Item;
  readonly patch: Patch;
  /** Names of labels that must be created before the patch can be sent. */
  readonly newLabels: readonly string[];
  readonly state: EditState;
  readonly parkReason: ParkReason | null;
  /** What went wrong last, for people; null when nothing did. */
  readonly problem: string | null;
  readonly attempts: number;
  /** Not before this moment; null = at once. */
  readonly notBefore: Temporal.Instant | null;
  /** When the first creating request left; an answer that was lost is looked up from here on. */
  readonly sentAt: Temporal.Instant | null;
  /** The item as the service answered; null until confirmed, and for a deletion. */
  readonly answer: Item | null;
  readonly createdAt: Temporal.Instant;
  readonly updatedAt: Temporal.Instant;
}
