import type { EditId, ItemKey, PersonId, ServiceId } from "./ids.ts";
import type { Item } from "./item.ts";
import { applyPatch, type Patch, type PatchField } from "./patch.ts";

/** The ways in which an edit can come in. */
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

/** Who decides about an edit: lets it go, discards it, settles its conflict or takes it back. */
export interface Decider {
  readonly channel: Channel;
  /** Null for the admin, and for whoever has a link. */
  readonly actor: PersonId | null;
  /** User-Agent of the program that asks; none unless said. */
  readonly program?: string | undefined;
}

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

/**
 * A field that both sides changed to different values, each in JSON as in `PlainPatch`. For a deletion `theirs` is null.
 * `taken`: the side that was followed, so that the other one is the value that was lost; null while a person decides.
 */
export interface FieldConflict {
  readonly field: PatchField;
  readonly base: unknown;
  readonly ours: unknown;
  readonly theirs: unknown;
  readonly taken: "ours" | "theirs" | null;
  /** The later edit of the same editor that set `ours`; left out where somebody else did. */
  readonly by?: EditId;
  /** Set where a person has chosen the side, and has seen both: should `ours` change before the edit is there, it is asked again. */
  readonly agreed?: true;
  /** What a person has put in the place of both. */
  readonly combined?: string | null;
  /** Of a deletion of a task: the subtask that has the field, which would go with it. */
  readonly below?: { readonly id: ServiceId; readonly title: string };
}

/**
 * What a request that was carried out late has undone: the fields as they are to be again, as that request has left them,
 * and the edit that it belonged to. Both are empty where it has deleted the item.
 */
export interface Restoration {
  readonly patch: Patch;
  readonly over: Patch;
  readonly by: EditId;
}

/** One durable wish of a person for one item. */
export interface Edit {
  readonly id: EditId;
  readonly channel: Channel;
  readonly actor: PersonId | null;
  /** User-Agent of the program that sent it; null where none did. */
  readonly program: string | null;
  readonly item: ItemKey;
  readonly action: EditAction;
  /** What the editor last saw; for a creation the item as it is to become, with `id` null. */
  readonly base: Item;
  /** The item as everybody was shown it when the edit came in; null where that is `base`, or nobody was shown it. */
  readonly shown: Item | null;
  readonly patch: Patch;
  /** Names of labels that must be created before the patch can be sent. */
  readonly newLabels: readonly string[];
  readonly state: EditState;
  readonly parkReason: ParkReason | null;
  /** What went wrong last, for people; null when nothing did. */
  readonly problem: string | null;
  readonly attempts: number;
  /** How often it was taken up, interruptions included, which are no attempts. */
  readonly begun: number;
  /** Not before this moment; null = at once. */
  readonly notBefore: Temporal.Instant | null;
  /** When the first creating request left; an answer that was lost is looked up from here on. */
  readonly sentAt: Temporal.Instant | null;
  /** The newest handle of an item that was known when that request left; null when none has, or not known. */
  readonly sentAfter: ItemKey | null;
  /** The item as the service last answered; null until it was confirmed once, and for a deletion. */
  readonly answer: Item | null;
  /**
   * The item as the service had it before this edit's first request, or when the edit was parked as a conflict. Null
   * where nothing was sent, and for a creation.
   */
  readonly before: Item | null;
  readonly conflicts: readonly FieldConflict[];
  /** Whether a person has asked for it a second time, or as the inverse of another edit: it is never frozen. */
  readonly insisted: boolean;
  /** Parked because its item would not settle. */
  readonly frozen: boolean;
  /** The edit of which this one is the inverse. */
  readonly undoes: EditId | null;
  readonly confirmedAt: Temporal.Instant | null;
  /** When the item was not found in its place; it may have been moved. */
  readonly missedAt: Temporal.Instant | null;
  /** Until then the service may still carry out a creating request whose answer was lost; null when it will not. */
  readonly inFlightUntil: Temporal.Instant | null;
  /** When the creating request was last sent again; null when it left once at most. */
  readonly resentAt: Temporal.Instant | null;
  /** Since when the service refuses the key under which the edit goes out; null when it does not. */
  readonly keyRefusedAt: Temporal.Instant | null;
  /** Set where the edit is carried out, or was last, to put back what a late request had undone: nothing else of it is sent. */
  readonly restores: Restoration | null;
  readonly createdAt: Temporal.Instant;
  readonly updatedAt: Temporal.Instant;
}

/** The item as an edit wishes it: what it makes, or what it changes as the service had it before. */
export const wishOf = ({ action, base, before, patch }: Edit): Item =>
  applyPatch(action === "create" ? base : (before ?? base), patch);

/** How a write ended without an answer that says what became of it. */
export interface NoAnswer {
  /** Time since the request was sent. */
  readonly waited: Temporal.Duration;
  /** Whether the service itself said that it failed, rather than a gateway, or nobody. */
  readonly hasFailed: boolean;
}

/** A request may be carried out up to this long after it was sent: proxies and queues hold it back. */
export const longestInFlight = Temporal.Duration.from({ minutes: 3 });
/** The same for a request that the service answered with an error of its own. */
const longestAfterFailure = Temporal.Duration.from({ seconds: 20 });
/** When its item is looked for, as parts of the time in which the request may be carried out. The end is such a time as well. */
const lookPoints = [0.02, 0.08, 0.25, 0.5];
/** No two looks are closer to each other. */
const betweenLooks = Temporal.Duration.from({ seconds: 1 });

/** Until when a request may be carried out that was on its way when the process ended. */
export const inFlightAfterCrash = (now: Temporal.Instant): Temporal.Instant =>
  now.add(longestInFlight);

/** Until when a request may be carried out that was given up now. */
export function inFlightUntil(
  now: Temporal.Instant,
  { waited, hasFailed }: NoAnswer,
): Temporal.Instant {
  const until = now.subtract(waited).add(hasFailed ? longestAfterFailure : longestInFlight);
  return Temporal.Instant.compare(until, now) > 0 ? until : now;
}

/** When the item of a request that was sent at `sentAt` is looked for next; at `until` at the latest. */
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
 * The item as its readers see it: the mirror's row with the visible edits laid over it in their order. Null when
 * there is none: never mirrored and no creation pending, or a deletion is under way. Of an edit that is carried out again
 * because a late request has undone it, only what was undone counts.
 */
export function overlay(mirrored: Item | null, edits: readonly Edit[]): Item | null {
  let item = mirrored;
  for (const edit of edits) {
    if (edit.action === "delete") item = null;
    else if (edit.action === "create") item = applyPatch(edit.base, edit.patch);
    else if (item) item = applyPatch(item, edit.restores?.patch ?? edit.patch);
  }
  return item;
}
