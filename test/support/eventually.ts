/** Asks again and again until the answer is not null; throws with the question's name when the deadline has passed. */
export async function eventually<Value>(
  what: string,
  ask: () => Promise<Value | null> | Value | null,
  withinMs = 40_000,
): Promise<Value> {
  const deadline = performance.now() + withinMs;
  for (;;) {
    const answer = await ask();
    if (answer !== null) return answer;
    if (performance.now() > deadline) throw new Error(`still not after ${withinMs} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}
