import type { PersonId, ProjectId } from "./ids.ts";

/** The events that a webhook may receive. */
export const hookEvents = [
  "item.changed",
  "milestone.slipped",
  "edit.parked",
  "edit.conflict",
] as const;
export type HookEvent = (typeof hookEvents)[number];

/** What a webhook receives. */
export interface HookScope {
  readonly events: readonly HookEvent[];
  /** Only of this project; null = of all. */
  readonly project: ProjectId | null;
  /** Only what concerns this person, also private items; null = everything that is not private. */
  readonly person: PersonId | null;
}
