import { expect, it } from "vitest";
import { createEditWaker } from "../../../src/edits/delivery/edit-waker.ts";
import type { UpstreamEvent } from "../../../src/upstream/client.ts";
import { calendar, vevent } from "../rig.ts";
import { drainRig } from "./drain-rig.ts";

const many = 1_000_000;

interface Failing {
  readonly method?: "PUT";
  readonly rounds: number;
  readonly minutes: number;
}

/** Three edits of different items, and what wakes them. */
async function rigWithWaker() {
  const { signal } = new AbortController();
  const rig = await drainRig({
    client: {
      onEvent(event: UpstreamEvent) {
        if (event.kind === "back") editWaker.ended();
      },
    },
  });
  const told: (number | "back")[] = [];
  const { store, upstream, clock } = rig;
  const editWaker = createEditWaker({
    store,
    upstream,
    clock,
    onWoken: (count) => told.push(count),
    onBack: () => told.push("back"),
  });
  for (const name of ["one", "two", "three"]) {
    const { uid } = await rig.event({ title: name });
    rig.send(calendar(vevent(uid, `SUMMARY:${name}, changed`)));
  }
  const steps = async (count: number) => {
    for (let step = 0; step < count; step++) await rig.step();
  };
  /** The service fails such requests, and the three edits are tried so many times, so many minutes apart. */
  const failFor = async ({ method, rounds, minutes }: Failing) => {
    rig.sandbox.faults.add({ kind: "status", status: 503, times: many, ...(method && { method }) });
    for (let round = 0; round < rounds; round++) {
      await steps(3);
      clock.advance({ minutes });
    }
  };
  /** One look wakes so many of them, and all three are sent. */
  const expectAllToGo = async ({ woken }: { readonly woken: number }) => {
    await editWaker.step(signal);
    expect(told).toEqual([woken, "back"]);
    await steps(3);
    expect(rig.states()).toEqual(["confirmed", "confirmed", "confirmed"]);
  };
  const recover = () => editWaker.step(signal);
  return { ...rig, told, steps, failFor, expectAllToGo, recover };
}

it("sends all edits as soon as the service is back, long before their next retry", async () => {
  const rig = await rigWithWaker();
  await rig.failFor({ rounds: 6, minutes: 5 });
  await rig.steps(3);
  expect(rig.upstream.isOut()).toBe(true);
  await rig.recover();
  expect(rig.told).toEqual([]);

  rig.sandbox.faults.clear();
  await rig.expectAllToGo({ woken: 3 });
});

it("sends edits whose key is accepted again", async () => {
  const rig = await rigWithWaker();
  rig.sandbox.faults.add({ kind: "status", status: 403, times: many });
  await rig.steps(3);
  rig.clock.advance({ minutes: 20 });
  await rig.steps(3);
  await rig.recover();
  expect(rig.told).toEqual([]);
  rig.sandbox.faults.clear();
  await rig.expectAllToGo({ woken: 1 });
});

it("sends the others when the service accepts one write again", async () => {
  const rig = await rigWithWaker();
  await rig.failFor({ method: "PUT", rounds: 6, minutes: 2 });
  rig.sandbox.faults.clear();
  await rig.steps(1);
  await rig.expectAllToGo({ woken: 2 });
});

it("asks nothing while nothing is pending", async () => {
  const rig = await rigWithWaker();
  await rig.steps(3);
  rig.sandbox.requests.clear();
  await rig.recover();
  expect(rig.requests()).toEqual([]);
});

it("wakes repeatedly failing edits less and less often", async () => {
  const rig = await rigWithWaker();
  rig.sandbox.faults.add({ kind: "status", status: 503, times: many });
  await rig.steps(3);
  const wakenings: number[] = [];
  for (let second = 0; second < 40; second++) {
    rig.sandbox.faults.clear();
    await rig.recover();
    rig.sandbox.faults.add({ kind: "status", status: 503, times: many });
    if (rig.told.includes(3)) wakenings.push(second);
    rig.told.length = 0;
    await rig.steps(3);
    rig.clock.advance({ seconds: 1 });
  }
  expect(wakenings.length).toBeLessThan(6);
});

it("tries a refused key less and less often, and reads nothing else for it", async () => {
  const rig = await rigWithWaker();
  rig.sandbox.faults.add({ kind: "status", status: 401, times: many });
  await rig.steps(3);
  rig.sandbox.requests.clear();
  const tried: number[] = [];
  for (let minute = 0; minute < 20; minute++) {
    for (let step = 0; step < 20; step++) {
      await rig.recover();
      rig.clock.advance({ seconds: 3 });
    }
    tried.push(rig.requests().length);
    rig.sandbox.requests.clear();
  }
  expect(tried[0]).toBeGreaterThan(8);
  expect(tried.slice(12).every((requests) => requests > 0 && requests < 3)).toBe(true);
  expect(rig.told).toEqual([]);
});
