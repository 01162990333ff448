/** Ends a hanging test. Far longer than anything takes, also on a busy machine. */
const limitMs = 270_000;

/** Asks until the answer is not null. Throws with `what` if that takes longer than any machine needs. */
export const eventually = <Value>(what: string, ask: Ask<Value>): Promise<Value> =>
  eventuallyWithin(limitMs, what, ask);

/** Aborts what a test awaits if it hangs. */
export const untilHung = (): AbortSignal => AbortSignal.timeout(limitMs);

/**
 * Lets background work continue for a while. The outcome of a test must not depend on it: use `eventually` to wait for
 * something.
 */
export const letPass = (ms: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, ms));

type Ask<Value> = () => Promise<Value | null> | Value | null;

/** The same for benches, which know how long a run may take. */
export async function eventuallyWithin<Value>(
  withinMs: number,
  what: string,
  ask: Ask<Value>,
): Promise<Value> {
  const deadline = performance.now() + withinMs;
  for (;;) {
    const asked = performance.now();
    const answer = await ask();
    if (answer !== null) return answer;
    const now = performance.now();
    if (now > deadline) throw new Error(`still not after ${withinMs} ms: ${what}`);
    // A slow question leaves the processor to what it waits for.
    await letPass(10 + 4 * (now - asked));
  }
}
