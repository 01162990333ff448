/** Result of a call on the workspace: a value, or an error with the service's status. */
export type Outcome<T> = Done<T> | Refused;

interface Done<T> {
  readonly kind: "done";
  readonly value: T;
}

/** `status` is the HTTP status; `code` is the service's own number inside a 200 (2033: custom field type). */
export interface Refused {
  readonly kind: "refused";
  readonly status: number;
  readonly message: string;
  readonly code?: number;
}

/** A successful outcome. */
export function done<T>(value: T): Done<T> {
  return { kind: "done", value };
}

/** An error with an HTTP status and a message that names the field or resource. */
export function refused(status: number, message: string): Refused {
  return { kind: "refused", status, message };
}

/** The value of a call that cannot fail here; throws with its message otherwise. */
export function insist<T>(outcome: Outcome<T>): T {
  if (outcome.kind === "done") return outcome.value;
  throw new RefusedError(outcome);
}

/** Thrown by `insist` only, if its caller was wrong. */
class RefusedError extends Error {
  override readonly name = "RefusedError";
  readonly refusal: Refused;

  constructor(refusal: Refused) {
    super(`the sandbox refused with ${refusal.status}: ${refusal.message}`);
    this.refusal = refusal;
  }
}
