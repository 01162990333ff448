import { onTestFinished } from "vitest";

/** Aborts when the test that asks for it has finished. */
export function signalUntilTestEnds(): AbortSignal {
  const end = new AbortController();
  onTestFinished(() => end.abort());
  return end.signal;
}
