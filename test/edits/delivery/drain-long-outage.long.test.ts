import { describe, expect, it } from "vitest";
import { calendar, vevent } from "../rig.ts";
import { drainRig } from "./drain-rig.ts";

const many = 1_000_000;

/** So many edits of different items wait when the service is gone. */
async function rigInOutage(count: number) {
  const rig = await drainRig();
  const uids: string[] = [];
  for (let at = 0; at < count; at++) uids.push((await rig.event({ title: `Event ${at}` })).uid);
  rig.sandbox.requests.clear();
  const edit = () => {
    for (const uid of uids) rig.send(calendar(vevent(uid, "SUMMARY:Changed")));
  };
  /** Steps every few seconds for so many hours; returns the requests of each hour. */
  const wait = async (hours: number) => {
    const byHour: number[] = [];
    for (let hour = 0; hour < hours; hour++) {
      rig.sandbox.requests.clear();
      for (let at = 0; at < 12; at++) {
        for (let step = 0; step < 4; step++) await rig.step();
        rig.clock.advance({ minutes: 5 });
      }
      byHour.push(rig.requests().length);
    }
    return byHour;
  };
  return { ...rig, edit, wait };
}

describe("step() during a week in which the service is gone", () => {
  it.each([
    ["answers nothing but errors", { kind: "status", status: 503 }],
    ["answers with a page that wants a log-in", { kind: "html" }],
  ] as const)("keeps every edit, parks none, and asks seldom while it %s", async (_, fault) => {
    const rig = await rigInOutage(8);
    rig.sandbox.faults.add({ ...fault, times: many });
    rig.edit();
    const [first = 0, ...later] = await rig.wait(2);
    rig.clock.advance({ hours: 7 * 24 });
    later.push(...(await rig.wait(1)));
    expect(new Set(rig.states())).toEqual(new Set(["pending"]));
    expect(Math.max(first, ...later)).toBeLessThanOrEqual(12 * 4 * 2);

    rig.sandbox.faults.clear();
    await rig.drainAll({ loops: 4 });
    expect(new Set(rig.states())).toEqual(new Set(["confirmed"]));
    expect(rig.workspaceEvents().map(({ title }) => title)).toEqual(Array(8).fill("Changed"));
  });

  it("keeps every edit and asks seldom while it takes no writes", async () => {
    const rig = await rigInOutage(8);
    rig.sandbox.faults.add({ kind: "status", status: 503, method: "PUT", times: many });
    rig.edit();
    const byHour = await rig.wait(2);
    expect(new Set(rig.states())).toEqual(new Set(["pending"]));
    expect(Math.max(...byHour.slice(1))).toBeLessThanOrEqual(12 * 6);
    rig.sandbox.faults.clear();
    await rig.drainAll({ loops: 4 });
    expect(new Set(rig.states())).toEqual(new Set(["confirmed"]));
  });
});
