import type { EditId, ServiceId } from "./ids.ts";

/**
 * What an edit requests besides fields. A `comment` goes to the `task`. An `attachment` goes with the creation of the
 * `item`, or into the project's home `folder`. A property that the service cannot store is `kept` `here`.
 */
export type ExtraKind = "comment" | "attachment" | "kept";
export type ExtraTarget = "task" | "item" | "folder" | "here";

/** `pending` → `claimed` (a request may be in progress) → `done`, or `parked` until a person retries it. */
export const extraStates = ["pending", "claimed", "done", "parked"] as const;
export type ExtraState = (typeof extraStates)[number];

/** One request of an edit besides its fields. */
export interface EditExtra {
  readonly id: number;
  readonly edit: EditId;
  readonly kind: ExtraKind;
  readonly target: ExtraTarget;
  /** File name or property name; "COMMENT" for a comment. */
  readonly name: string;
  /** Media type of a file; null if it is no file. */
  readonly mediaType: string | null;
  /** Text of the comment, or the lines of the property; null for a file. */
  readonly text: string | null;
  /** Hash of the contents. */
  readonly digest: string;
  readonly state: ExtraState;
  /** The last error; null if none. */
  readonly problem: string | null;
  readonly attempts: number;
  readonly notBefore: Temporal.Instant | null;
  /** The upload's answer; null before the upload. */
  readonly fileId: string | null;
  /** Id of the created comment or file; null if unknown. */
  readonly answerId: ServiceId | null;
  readonly createdAt: Temporal.Instant;
}

/** An extra to be stored with its edit. */
export interface NewExtra
  extends Pick<EditExtra, "kind" | "target" | "name" | "mediaType" | "text" | "digest"> {
  /** Contents of the file; null if it is no file. */
  readonly content: Uint8Array | null;
}
