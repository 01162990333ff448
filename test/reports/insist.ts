import type { Result } from "../../src/domain/result.ts";

/** The value; a failure fails the test with what it says. */
export function insistOk<Value, Failure>(result: Result<Value, Failure>): Value {
  if (result.ok) return result.value;
  throw new Error(JSON.stringify(result.failure));
}
