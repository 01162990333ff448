import type { PersonId } from "../domain/ids.ts";

/** How urgent a request is: an edit never waits behind a sweep. */
export type Priority = "edit" | "interactive" | "sweep";

/**
 * On whose behalf and how urgently a method is called. `person`: whose key to use, when one is configured. `onUnanswered`: told
 * of each try of a write that has left and got no usable answer (none in time, a cut connection, an error of the service,
 * an unreadable body), with the time since it left: it may be carried out later, also when another try is answered.
 */
export interface Call {
  readonly priority: Priority;
  readonly person?: PersonId | null;
  readonly signal?: AbortSignal;
  readonly onUnanswered?: (waited: Temporal.Duration) => void;
}
