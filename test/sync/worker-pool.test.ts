import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, it } from "vitest";
import { createWake } from "../../src/loop.ts";
import { type Job, workInParallel } from "../../src/sync/worker-pool.ts";
import { shortBudget } from "./support/short-budget.ts";

it("lets others run after each turn before the next jobs start", async () => {
  const log: string[] = [];
  let left = 3;
  const job: Job = async () => {
    log.push("begun");
  };
  await workInParallel({
    next: () => (left-- > 0 ? [job] : []),
    eventLoop: shortBudget(() => void log.push("others")),
    limit: () => 25,
    wake: createWake(),
    rest: () => 1,
    signal: new AbortController().signal,
  });
  expect(log.slice(0, 6)).toEqual(["others", "begun", "others", "begun", "others", "begun"]);
});

it("starts nothing more once aborted between turns", async () => {
  const stop = new AbortController();
  const begun: number[] = [];
  let asked = 0;
  await workInParallel({
    next: (room) => {
      if (room === 0) return [];
      asked += 1;
      const number = asked;
      return [async () => void begun.push(number)];
    },
    eventLoop: shortBudget(() => {
      if (asked === 2) stop.abort();
    }),
    limit: () => 25,
    wake: createWake(),
    rest: () => 1,
    signal: stop.signal,
  });
  expect(begun).toEqual([1, 2]);
});

it.each(["first", "second", "slow"])(
  "rejects if the %s job rejects, after the others have ended, and starts nothing more",
  async (which) => {
    const log: string[] = [];
    const job =
      (name: string): Job =>
      async () => {
        if (name === "slow") for (let turn = 0; turn < 5; turn += 1) await nextTurn();
        log.push(name);
        if (name === which) throw new Error("a full disk");
      };
    const jobs = ["first", "second", "slow", "later"].map(job);
    const work = workInParallel({
      next: (room) => jobs.splice(0, Math.min(3, room)),
      eventLoop: shortBudget(() => undefined),
      limit: () => 3,
      wake: createWake(),
      rest: () => 1000,
      signal: new AbortController().signal,
    });
    await expect(work).rejects.toThrow("a full disk");
    const begun =
      which === "slow" ? ["first", "second", "later", "slow"] : ["first", "second", "slow"];
    expect(log).toEqual(begun);
  },
);
