import type { Errand, Outcome } from "./errand.ts";
import { again } from "./settle.ts";

/**
 * Holds back a creation that is not in its list while an earlier request for it may still be carried out: what is not
 * there yet may be there a moment later, and would be made twice. It is looked for again in between. Null when it may go.
 */
export function waitToLand({ edit, clock, random }: Errand): Outcome | null {
  const now = clock();
  const { landsUntil: until, attempts, createdAt } = edit;
  if (!until || Temporal.Instant.compare(until, now) <= 0) return null;
  const then = until.round({ smallestUnit: "second", roundingMode: "ceil" }).toString();
  const problem = `no answer came to the creation, and it may still be carried out: it is looked for, and not sent again before ${then}`;
  const settlement = again(problem, {
    trial: { attempts, createdAt, now, random },
    retryAfter: null,
  });
  const isLate =
    settlement.kind === "retry" && Temporal.Instant.compare(until, settlement.notBefore) < 0;
  return {
    kind: "settled",
    settlement: isLate ? { ...settlement, notBefore: until } : settlement,
  };
}
