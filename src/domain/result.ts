/** An expected ending: a value, or a failure that the caller must look at. */
export type Result<Value, Failure> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly failure: Failure };

export const ok = <Value>(value: Value): { readonly ok: true; readonly value: Value } => ({
  ok: true,
  value,
});

export const fail = <Failure>(
  failure: Failure,
): { readonly ok: false; readonly failure: Failure } => ({
  ok: false,
  failure,
});

/** What a thrown error says. */
export const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);

/** Ends every switch over a union: the compiler refuses a forgotten case, and so does the running program. */
export function unreachable(value: never): never {
  throw new Error(`unreachable case: ${JSON.stringify(value)}`);
}
