import type { Wake } from "../loop.ts";

export type Job = () => Promise<void>;

export interface CrewOptions {
  /** The next jobs, at most `room`; they start at once and must not reject. */
  readonly next: (room: number) => readonly Job[];
  /** How many may be under way together. */
  readonly limit: () => number;
  readonly signal: AbortSignal;
  /** Asked for more work before a job has ended, when someone has some. */
  readonly wake: Wake;
  /** Milliseconds until time alone may bring more work. */
  readonly rest: () => number;
}

/** Works until there is nothing more to do and nothing under way; after an abort it only waits for what is under way. */
export async function workThrough({ next, limit, signal, wake, rest }: CrewOptions): Promise<void> {
  const underWay = new Set<Promise<void>>();
  for (;;) {
    const room = signal.aborted ? 0 : limit() - underWay.size;
    for (const job of room > 0 ? next(room) : []) {
      const ended: Promise<void> = job().finally(() => underWay.delete(ended));
      underWay.add(ended);
    }
    if (underWay.size === 0) return;
    const enough = new AbortController();
    const woken = signal.aborted ? [] : [wake.wait(rest(), enough.signal)];
    await Promise.race([...underWay, ...woken]);
    enough.abort();
  }
}
