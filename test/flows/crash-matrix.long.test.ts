import { afterAll, describe, it } from "vitest";
import type { Fault } from "../../src/sandbox/faults.ts";
import { eventually } from "../support/eventually.ts";
import { CrashRig } from "./crash-rig.ts";

// The daemon's own process dies between each pair of steps of an edit's life: with a creation, an update, a completion
// and a deletion at that step, of events in one daemon and of tasks in another. Nothing in the daemon knows of this
// test: faults of the service, a pause of the gate and a busy database hold it where it is to die.

interface Cell {
  readonly name: string;
  /** Creating requests that did nothing in the workspace, 429s aside. */
  readonly wasted: number;
  readonly die: (rig: CrashRig, cell: string) => Promise<void>;
}

/** Dies as soon as the fault has met the request of each edit. */
function struck(name: string, fault: Fault, outcome: "done" | "wasted" | "limited"): Cell {
  return {
    name,
    wasted: outcome === "wasted" ? 1 : 0,
    async die(rig, cell) {
      const { workspace } = rig;
      workspace.strike(cell, fault);
      await rig.edit(cell);
      await workspace.allSent(cell);
      if (outcome === "done") {
        await eventually("all is done", () => (workspace.isCarriedOut(cell) ? true : null));
      }
      await rig.kill();
    },
  };
}

const soon = { "retry-after": "1" };
const cells: readonly Cell[] = [
  // These wait for three minutes, side by side.
  struck("request sent", { kind: "hang-before" }, "wasted"),
  struck("request dropped", { kind: "drop-before" }, "wasted"),
  struck("answered 500", { kind: "status", status: 500 }, "wasted"),
  struck("answered 503", { kind: "status", status: 503, headers: soon }, "wasted"),
  struck("answered with a page", { kind: "html" }, "wasted"),
  { name: "committed", wasted: 0, die: (rig, cell) => rig.dieCommitted(cell) },
  { name: "claimed", wasted: 0, die: (rig, cell) => rig.dieClaimed(cell) },
  struck("carried out", { kind: "hang-after" }, "done"),
  { name: "answer received", wasted: 0, die: (rig, cell) => rig.dieAnswered(cell) },
  { name: "confirmed", wasted: 0, die: (rig, cell) => rig.dieConfirmed(cell) },
  struck("answer dropped", { kind: "drop-after" }, "done"),
  struck("answered 429", { kind: "status", status: 429, headers: soon }, "limited"),
];

describe("kill -9", () => {
  const started: CrashRig[] = [];
  const free: (readonly CrashRig[])[] = [];
  const start = async () => {
    const names = cells.map(({ name }) => name);
    const rigs = [CrashRig.start("event", names), CrashRig.start("task", names)];
    const pair = await Promise.all(rigs);
    started.push(...pair);
    return pair;
  };
  afterAll(() => Promise.all(started.map((rig) => rig.close())));

  // Most of the time is waiting for what a time-out of the service may still bring: some cells wait side by side.
  it.concurrent.each(cells)(
    "$name: every edit is in the workspace once",
    async ({ name, wasted, die }) => {
      const rigs = free.pop() ?? (await start());
      await Promise.all(
        rigs.map(async (rig) => {
          await die(rig, name);
          await rig.restart();
          await rig.expectOnce(name, wasted);
        }),
      );
      free.push(rigs);
    },
  );
});
