/** Thrown if the service refuses a request. The message names the field or resource. */
export class RefusedError extends Error {
  override readonly name = "RefusedError";
  /** HTTP status. */
  readonly status: number;
  /** The service's own number inside a 200 (2033: custom field type). */
  readonly code: number | undefined;

  constructor(status: number, message: string, code?: number) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/** Refuses a request. */
export function refuse(status: number, message: string): never {
  throw new RefusedError(status, message);
}

/** The result of a call on the workspace; null if the service refuses it. */
export function ifAllowed<T>(call: () => T): T | null {
  try {
    return call();
  } catch (error) {
    if (error instanceof RefusedError) return null;
    throw error;
  }
}
