import { ok, type Result } from "../domain/result.ts";
import type { Store } from "../store/store.ts";
import type { DavAnswer } from "./dav-request.ts";
import { type DavFault, faultAnswer } from "./fault.ts";

/** Thrown to undo what the steps of a request have stored before one of them was refused; never leaves this file. */
class RefusedStepError extends Error {
  override readonly name = "RefusedStepError";
  readonly fault: DavFault;
  constructor(fault: DavFault) {
    super(fault.reason);
    this.fault = fault;
  }
}

/** Runs the steps of a write as one, safe on the disk when it returns; a refusal leaves nothing of them behind. */
export function atomically(store: Store, steps: () => Result<DavAnswer, DavFault>): DavAnswer {
  try {
    const done = store.durably(() => {
      const result = steps();
      if (!result.ok) throw new RefusedStepError(result.failure);
      return ok(result.value);
    });
    return done.value;
  } catch (error) {
    if (error instanceof RefusedStepError) return faultAnswer(error.fault);
    throw error;
  }
}
