import type { EventLoopBudget } from "@dayferry/event-loop";
import type { Wake } from "../loop.ts";

/** A request to make. One that rejects ends the work. */
export type Job = () => Promise<void>;

export interface WorkerPoolOptions {
  /** The next jobs, at most `room`; they start at once. */
  readonly next: (room: number) => readonly Job[];
  /** Jobs are started in turns. */
  readonly eventLoop: EventLoopBudget;
  /** How many may run at once. */
  readonly limit: () => number;
  readonly signal: AbortSignal;
  /** Requests more work before a job has ended. */
  readonly wake: Wake;
  /** Milliseconds until time alone may bring more work. */
  readonly rest: () => number;
}

/**
 * Works until there is nothing to do and nothing running. After an abort, only waits for running jobs. The same after a job has
 * rejected, and then rejects with its error.
 */
export async function workInParallel({
  next,
  eventLoop,
  limit,
  signal,
  wake,
  rest,
}: WorkerPoolOptions): Promise<void> {
  const underWay = new Set<Promise<void>>();
  const faults: unknown[] = [];
  for (;;) {
    for (;;) {
      if (eventLoop.isOver()) await eventLoop.share();
      const isOver = signal.aborted || faults.length > 0;
      const room = isOver ? 0 : limit() - underWay.size;
      const jobs = room > 0 ? next(room) : [];
      for (const job of jobs) {
        const ended: Promise<void> = job()
          .catch((fault: unknown) => void faults.push(fault))
          .finally(() => underWay.delete(ended));
        underWay.add(ended);
      }
      if (jobs.length === 0) break;
    }
    if (underWay.size === 0) {
      if (faults.length > 0) throw faults[0];
      return;
    }
    const enough = new AbortController();
    const woken = signal.aborted || faults.length > 0 ? [] : [wake.wait(rest(), enough.signal)];
    await Promise.race([...underWay, ...woken]);
    enough.abort();
  }
}
