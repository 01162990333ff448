import type { ListId, PersonId, ProjectId, ServiceId } from "./ids.ts";

interface InTask {
  readonly projectId: ProjectId;
  readonly listId: ListId;
  readonly taskId: ServiceId;
  readonly id: ServiceId;
}

/** A comment on a task; `description` is its text and may be HTML. */
export interface Comment extends InTask {
  readonly description: string;
  readonly creatorId: PersonId | null;
  /** True if it was created with the account's own key. */
  readonly byMe: boolean;
  readonly createdAt: Temporal.Instant | null;
}

/** A history entry of a task; `action` is the service's own word. */
export interface HistoryEntry extends InTask {
  readonly personId: PersonId | null;
  readonly action: string;
  readonly activityAt: Temporal.Instant | null;
  readonly on: Temporal.PlainDate | null;
}
