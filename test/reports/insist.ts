import type { Result } from "../../src/domain/result.ts";

/** The value; fails the test with the failure's words. */
export function insistOk<Value, Failure>(result: Result<Value, Failure>): Value {
  if (result.ok) return result.value;
  throw new Error(JSON.stringify(result.failure));
}
