declare const brand: unique symbol;
type Branded<Base, Name extends string> = Base & { readonly [brand]: Name };

export type ProjectId = Branded<number, "project">;
export type PersonId = Branded<number, "person">;
export type ListId = Branded<number, "todolist">;
export type LabelId = Branded<number, "label">;
export type FolderId = Branded<number, "folder">;
/** Id of an event, task, subtask, comment, file or history entry. Unique within its resource only. */
export type ServiceId = Branded<number, "service">;
/** Permanent local id of an event, task or subtask, also before the service has assigned one. */
export type ItemKey = Branded<number, "item">;
export type EditId = Branded<number, "edit">;
export type FeedId = Branded<number, "feed">;
/** Position in the append-only change log. Never decreases. */
export type Revision = Branded<number, "revision">;

/** Thrown if a number that must be an id is none. A bug: decoders check first. */
export class InvalidIdError extends Error {
  override readonly name = "InvalidIdError";
  readonly value: unknown;
  constructor(value: unknown) {
    super(`not an id: ${String(value)} (must be a positive whole number up to 2^53 - 1)`);
    this.value = value;
  }
}

/** True for a positive integer up to 2^53 - 1. */
export const isId = (value: unknown): value is number =>
  typeof value === "number" && Number.isSafeInteger(value) && value > 0;

export const projectId = (value: number): ProjectId => checked(value) as ProjectId;
export const personId = (value: number): PersonId => checked(value) as PersonId;
export const listId = (value: number): ListId => checked(value) as ListId;
export const labelId = (value: number): LabelId => checked(value) as LabelId;
export const folderId = (value: number): FolderId => checked(value) as FolderId;
export const serviceId = (value: number): ServiceId => checked(value) as ServiceId;
export const itemKey = (value: number): ItemKey => checked(value) as ItemKey;
export const editId = (value: number): EditId => checked(value) as EditId;
export const feedId = (value: number): FeedId => checked(value) as FeedId;

/** A revision is a count, so 0 ("before any change") is valid. */
export function revision(value: number): Revision {
  if (!Number.isSafeInteger(value) || value < 0) throw new InvalidIdError(value);
  return value as Revision;
}

function checked(value: number): number {
  if (!isId(value)) throw new InvalidIdError(value);
  return value;
}
