import type { EditId, ServiceId } from "./ids.ts";

/**
 * What an edit asks for beside its fields. A `comment` goes to the `task`, and a file (`attachment`) with the item's own
 * creation (`item`) or into the project's home `folder`; a property that nothing but this installation can hold is
 * `kept` `here`.
 */
export type ExtraKind = "comment" | "attachment" | "kept";
export type ExtraTarget = "task" | "item" | "folder" | "here";

/** `pending` → `claimed` (a request may be under way) → `done`, or `parked` until a person tries again. */
export const extraStates = ["pending", "claimed", "done", "parked"] as const;
export type ExtraState = (typeof extraStates)[number];

/** One wish of an edit beside its fields. */
export interface EditExtra {
  readonly id: number;
  readonly edit: EditId;
  readonly kind: ExtraKind;
  readonly target: ExtraTarget;
  /** Name of the file or of the property; "COMMENT" for a comment. */
  readonly name: string;
  /** Media type of a file; null for what is none. */
  readonly mediaType: string | null;
  /** The comment, or the lines of the property; null for a file. */
  readonly text: string | null;
  /** Equal for equal contents. */
  readonly digest: string;
  readonly state: ExtraState;
  /** What went wrong last; null when nothing did. */
  readonly problem: string | null;
  readonly attempts: number;
  readonly notBefore: Temporal.Instant | null;
  /** What the upload has answered; null before it. */
  readonly fileId: string | null;
  /** Id of the comment or file that came of it; null where that is not known. */
  readonly answerId: ServiceId | null;
  readonly createdAt: Temporal.Instant;
}

/** A wish that is to be taken in with its edit. */
export interface NewExtra
  extends Pick<EditExtra, "kind" | "target" | "name" | "mediaType" | "text" | "digest"> {
  /** The file; null for what is none. */
  readonly content: Uint8Array | null;
}
