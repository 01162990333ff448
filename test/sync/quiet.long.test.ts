import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, it } from "vitest";
import { roomy, type Stage, stage } from "./support/stage.ts";

/** The service's quota in simulated time; the gate itself admits everything, so that hours take seconds. */
const quota = { requests: 25, per: Temporal.Duration.from({ seconds: 10 }) };
const perSecond = 2.5;

/** A working day's morning: silent hours mean little at night, when nothing was expected. */
const morning = Temporal.Instant.from("2026-11-18T08:00:00Z");

async function world() {
  let now = morning;
  const here = await stage({ size: "s", quota: roomy, pollQuota: quota, now: () => now });
  await here.sweep();
  return {
    here,
    skip: (length: Temporal.DurationLike) => {
      now = now.add(length);
    },
  };
}

/**
 * Lets so many simulated seconds pass, a slot of the quota at a time; returns the number of requests. A slot lasts
 * until its request has gone out: otherwise more and more would be under way on a slow machine.
 */
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
    const { sent } = here.upstream.gate.state();
    do await nextTurn();
    while (awaitsAnswers(here, sent));
  }
  stop.abort();
  await running;
  return here.asked().length;
}

function awaitsAnswers({ upstream: { gate } }: Stage, sentBefore: number): boolean {
  const { inFlight, sent } = gate.state();
  return inFlight > 0 && sent === sentBefore;
}

it("a quiet workspace is polled with at most a quarter of the quota after some hours", async () => {
  const { here, skip } = await world();
  for (const _ of ["noon", "afternoon", "evening"]) {
    skip({ hours: 4 });
    await requestsIn({ here, skip }, 60);
  }
  const used = await requestsIn({ here, skip }, 400);
  expect(used).toBeLessThanOrEqual(0.25 * 400 * perSecond);
  expect(used).toBeGreaterThan(50);
});
