import type { PersonId } from "../domain/ids.ts";

/** How urgent a request is: an edit never waits behind a sweep. */
export type Priority = "edit" | "interactive" | "sweep";

/** On whose behalf and how urgently a method is called. `person`: whose key to use, when one is configured. */
export interface Call {
  readonly priority: Priority;
  readonly person?: PersonId | null;
  readonly signal?: AbortSignal;
}
