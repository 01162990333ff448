import type { Priority } from "../../src/upstream/client.ts";
import { Gate, type GateOptions, type Ticket } from "../../src/upstream/gate.ts";
import { memoryHistory } from "./loopback.ts";

export const perMs = 10_000;
export const quota = { requests: 25, per: Temporal.Duration.from({ seconds: 10 }) };
export const spacingMs = perMs / quota.requests;

export const gateOf = (options: Partial<GateOptions> = {}): Gate =>
  new Gate({
    quota,
    clock: () => Temporal.Now.instant(),
    monotonic: () => performance.now(),
    random: () => 0,
    history: memoryHistory(),
    ...options,
  });

export const ticket = (priority: Priority, rank: Ticket["rank"] = "first"): Ticket => ({
  priority,
  rank,
  signal: null,
});

export const sleep = (ms: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, ms));

/** The most arrivals in any stretch of `perMs`, as a service with a sliding window counts them. */
export function mostInWindow(arrivals: readonly number[]): number {
  const sorted = arrivals.toSorted((a, b) => a - b);
  let first = 0;
  let most = 0;
  for (const [index, moment] of sorted.entries()) {
    while (moment - (sorted[first] ?? moment) >= perMs) first += 1;
    most = Math.max(most, index - first + 1);
  }
  return most;
}

/** A job that reaches the service after `upMs` and is answered `downMs` later. */
export const trip =
  (arrivals: number[], { upMs, downMs }: { upMs: number; downMs: number }) =>
  async () => {
    await sleep(upMs);
    arrivals.push(performance.now());
    await sleep(downMs);
  };
