import { setImmediate as nextTurn } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { roomy, type Stage, stage } from "./support/stage.ts";

/** The service's quota in simulated time; the gate itself lets through what is asked, so that hours take seconds. */
const quota = { requests: 25, per: Temporal.Duration.from({ seconds: 10 }) };
const perSecond = 2.5;

async function world() {
  let now = Temporal.Now.instant();
  const here = await stage({ size: "s", quota: roomy, pollQuota: quota, now: () => now });
  await here.sweep();
  return {
    here,
    skip: (length: Temporal.DurationLike) => {
      now = now.add(length);
    },
  };
}

/** Lets so many simulated seconds go by, a slot of the quota at a time; returns how many requests were made. */
async function requestsIn(
  { here, skip }: { readonly here: Stage; readonly skip: (length: Temporal.DurationLike) => void },
  seconds: number,
): Promise<number> {
  const stop = new AbortController();
  const running = here.sync.run(stop.signal);
  here.asked();
  for (let slot = 0; slot < seconds * perSecond; slot += 1) {
    skip({ milliseconds: 1000 / perSecond });
    here.sync.hint("nothing", 1);
    do await nextTurn();
    while (here.upstream.gate.state().inFlight > 0);
  }
  stop.abort();
  await running;
  return here.asked().length;
}

describe("a workspace in which nothing happens", () => {
  it("is asked with a quarter of the quota at most once that has lasted for hours", async () => {
    const { here, skip } = await world();
    for (const _ of ["evening", "night", "morning"]) {
      skip({ hours: 4 });
      await requestsIn({ here, skip }, 60);
    }
    const used = await requestsIn({ here, skip }, 400);
    expect(used).toBeLessThanOrEqual(0.25 * 400 * perSecond);
    expect(used).toBeGreaterThan(50);
  }, 60_000);
});
