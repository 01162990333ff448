import type { EditId, ItemKey, PersonId, ServiceId } from "./ids.ts";
import type { Item } from "./item.ts";
import { applyPatch, type Patch, type PatchField } from "./patch.ts";

/** The ways in which edits come in. */
export const channels = [
  "upload",
  "cli",
  "inbox",
  "subscription",
  "link",
  "caldav",
  "dashboard",
] as const;
export type Channel = (typeof channels)[number];

/** Who approves, discards, resolves or undoes an edit. */
export interface Decider {
  readonly channel: Channel;
  /** Null for the admin, and for anonymous users of a link. */
  readonly actor: PersonId | null;
  /** User-Agent of the program, if known. */
  readonly program?: string | undefined;
}

/** What an edit does to its item. */
export const editActions = ["create", "update", "complete", "reopen", "delete"] as const;
export type EditAction = (typeof editActions)[number];

/**
 * `pending` → `claimed` (a request may be in progress) → `confirmed` (the service has it). `parked` and `held` wait for
 * a person. `discarded` and `undone` are final.
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
export const parkReasons = ["conflict", "refused", "failed", "unknown-outcome"] as const;
export type ParkReason = (typeof parkReasons)[number];

/** Edits in these states are laid over the mirror. A parked edit has left the view; a held edit has not entered it. */
export const visibleStates: readonly EditState[] = ["pending", "claimed"];

/**
 * A field that both sides changed to different values, each in JSON as in `PlainPatch`. `theirs` is null for a
 * deletion. `taken`: the side that was applied, so that the other value was lost; null until a person decides.
 */
export interface FieldConflict {
  readonly field: PatchField;
  readonly base: unknown;
  readonly ours: unknown;
  readonly theirs: unknown;
  readonly taken: "ours" | "theirs" | null;
  /** The later edit of the same editor that set `ours`; absent if someone else did. */
  readonly by?: EditId;
  /**
   * Set if a person has seen both values and chosen a side. If `ours` changes before the edit is applied, the person is
   * asked again.
   */
  readonly agreed?: true;
  /** A value entered by a person to replace both. */
  readonly combined?: string | null;
  /** For the deletion of a task: the changed subtask that would be deleted too. */
  readonly below?: { readonly id: ServiceId; readonly title: string };
}

/**
 * What a late request has overwritten: the fields to restore, the values that the request left, and its edit. Both are
 * empty if the request deleted the item.
 */
export interface Restoration {
  readonly patch: Patch;
  readonly over: Patch;
  readonly by: EditId;
}

/** A durable change that a person wants to make to one item. */
export interface Edit {
  readonly id: EditId;
  readonly channel: Channel;
  readonly actor: PersonId | null;
  /** User-Agent of the program that sent it; null if none did. */
  readonly program: string | null;
  readonly item: ItemKey;
  readonly action: EditAction;
  /** What the editor last saw; for a creation the new item, with `id` null. */
  readonly base: Item;
  /** The item as everyone saw it when the edit came in; null if that is `base`, or if nobody saw it. */
  readonly shown: Item | null;
  readonly patch: Patch;
  /** Names of labels to create before the patch can be sent. */
  readonly newLabels: readonly string[];
  readonly state: EditState;
  readonly parkReason: ParkReason | null;
  /** The last error, for people; null if none. */
  readonly problem: string | null;
  readonly attempts: number;
  /** Number of starts, including interrupted ones, which do not count as attempts. */
  readonly begun: number;
  /** Earliest time of the next attempt; null = immediately. */
  readonly notBefore: Temporal.Instant | null;
  /** When the first creating request was sent. Its item is looked up from here on if the answer was lost. */
  readonly sentAt: Temporal.Instant | null;
  /** The newest item key known when that request was sent; null if none was sent, or unknown. */
  readonly sentAfter: ItemKey | null;
  /** The item in the service's last answer; null before the first confirmation, and for a deletion. */
  readonly answer: Item | null;
  /**
   * The item in the service before this edit's first request, or when the edit was parked as a conflict. Null if
   * nothing was sent, and for a creation.
   */
  readonly before: Item | null;
  readonly conflicts: readonly FieldConflict[];
  /** True if a person retried it, or made it by undoing another edit. Such edits are never frozen. */
  readonly insisted: boolean;
  /** Parked because its item kept changing. */
  readonly frozen: boolean;
  /** The edit that this one undoes. */
  readonly undoes: EditId | null;
  readonly confirmedAt: Temporal.Instant | null;
  /** When the item was not found in its place. It may have been moved. */
  readonly missedAt: Temporal.Instant | null;
  /**
   * The service may still carry out a creating request whose answer was lost, until this time; null if it cannot any
   * more.
   */
  readonly inFlightUntil: Temporal.Instant | null;
  /** When the creating request was last resent; null if it was sent at most once. */
  readonly resentAt: Temporal.Instant | null;
  /** Start of the time in which the service refuses the key that the edit uses; null if it accepts the key. */
  readonly keyRefusedAt: Temporal.Instant | null;
  /** Set if the edit is repeated to restore what a late request overwrote. Only these fields are sent. */
  readonly restores: Restoration | null;
  readonly createdAt: Temporal.Instant;
  readonly updatedAt: Temporal.Instant;
}

/** The item with the edit applied: the created item, or the item in the service before the edit, changed. */
export const wishOf = ({ action, base, before, patch }: Edit): Item =>
  applyPatch(action === "create" ? base : (before ?? base), patch);

/** A write without an answer that says whether it was carried out. */
export interface NoAnswer {
  /** Time since the request was sent. */
  readonly waited: Temporal.Duration;
  /** True if the service itself reported the failure, rather than a gateway or nobody. */
  readonly hasFailed: boolean;
}

/** The service may carry out a request this long after it was sent, as proxies and queues can delay it. */
export const longestInFlight = Temporal.Duration.from({ minutes: 3 });
/** The same for a request that the service answered with an error of its own. */
const longestAfterFailure = Temporal.Duration.from({ seconds: 20 });
/**
 * When to look up the item of a lost request, as fractions of the time in which the request may still be carried out. A
 * last look-up follows at the end.
 */
const lookPoints = [0.02, 0.08, 0.25, 0.5];
/** Shortest time between two look-ups. */
const betweenLooks = Temporal.Duration.from({ seconds: 1 });

/** Until when a request that was in progress when the process ended may be carried out. */
export const inFlightAfterCrash = (now: Temporal.Instant): Temporal.Instant =>
  now.add(longestInFlight);

/** Until when a request that got no answer may be carried out. */
export function inFlightUntil(
  now: Temporal.Instant,
  { waited, hasFailed }: NoAnswer,
): Temporal.Instant {
  const until = now.subtract(waited).add(hasFailed ? longestAfterFailure : longestInFlight);
  return Temporal.Instant.compare(until, now) > 0 ? until : now;
}

/** The next look-up for a request sent at `sentAt`; at the latest at `until`. */
export function nextLook(
  now: Temporal.Instant,
  { sentAt, until }: { readonly sentAt: Temporal.Instant; readonly until: Temporal.Instant },
): Temporal.Instant {
  const spanMs = sentAt.until(until).total("milliseconds");
  const points = lookPoints.map((part) => sentAt.add({ milliseconds: Math.round(spanMs * part) }));
  const soonest = now.add(betweenLooks);
  return points.find((point) => Temporal.Instant.compare(point, soonest) >= 0) ?? until;
}

/**
 * `{ private: true }` for a text written for a private event that exists anew without its privacy, as a late request of a move
 * may have created it from an older version. Otherwise empty.
 */
export function lostPrivacy({ base, patch }: Pick<Edit, "base" | "patch">, now: Item): Patch {
  const hasText = patch.title !== undefined || patch.description !== undefined;
  const wasPrivate = base.kind === "event" && base.private && patch.private === undefined;
  const isAnew = now.kind === "event" && !now.private && now.id !== base.id;
  return hasText && wasPrivate && isAnew ? { private: true } : {};
}

/**
 * The item as its readers see it: the mirror's row with the visible edits applied in order. Null if there is none: it
 * was never mirrored and no creation is pending, or a deletion is in progress. An edit that restores what a late
 * request overwrote only applies the restored fields.
 */
export function overlay(mirrored: Item | null, edits: readonly Edit[]): Item | null {
  let item = mirrored;
  for (const edit of edits) {
    if (edit.action === "delete") item = null;
    else if (edit.action === "create") item = applyPatch(edit.base, edit.patch);
    else if (item)
      item = applyPatch(item, {
        ...(edit.restores?.patch ?? edit.patch),
        ...lostPrivacy(edit, item),
      });
  }
  return item;
}
