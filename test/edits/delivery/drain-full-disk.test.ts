import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { unreachable } from "../../../src/domain/result.ts";
import type { Upstream } from "../../../src/upstream/client.ts";
import { canFillDisk, fullDisk } from "../../support/full-disk.ts";
import { testDirectory } from "../../support/test-store.ts";
import { calendar, vevent, vtodo } from "../rig.ts";
import { drainRig, withEvent, withTask } from "./drain-rig.ts";

const day = "DTSTART;VALUE=DATE:20261201";

type Answered = "event read" | "event created" | "event updated" | "comment created";

/** A rig whose disk is full as soon as the service has answered such a request. */
async function rigThatFills(answered: Answered) {
  const disk = fullDisk();
  const rig = await drainRig({
    file: join(testDirectory(), "dayferry.sqlite"),
    wrap: (upstream) => ({ ...upstream, ...filling(answered, { upstream, fill: disk.fill }) }),
  });
  return { ...rig, disk };
}

function filling(
  answered: Answered,
  of: { readonly upstream: Upstream; readonly fill: () => void },
): Partial<Upstream> {
  const { events, comments } = of.upstream;
  switch (answered) {
    case "event read":
      return {
        events: { ...events, get: (ask, call) => thenFill(events.get(ask, call), of.fill) },
      };
    case "event created":
      return {
        events: { ...events, create: (ask, call) => thenFill(events.create(ask, call), of.fill) },
      };
    case "event updated":
      return {
        events: { ...events, update: (ask, call) => thenFill(events.update(ask, call), of.fill) },
      };
    case "comment created":
      return {
        comments: {
          ...comments,
          create: (ask, call) => thenFill(comments.create(ask, call), of.fill),
        },
      };
    default:
      return unreachable(answered);
  }
}

async function thenFill<Value>(answer: Promise<Value>, fill: () => void): Promise<Value> {
  const value = await answer;
  fill();
  return value;
}

describe.skipIf(!canFillDisk())("while the disk is full", () => {
  it("keeps the response to a creation until it can be stored, and creates nothing twice", async () => {
    const rig = await rigThatFills("event created");
    rig.send(calendar(vevent("new@example.com", "SUMMARY:New", day)));
    await expect(rig.step()).rejects.toMatchObject({ code: expect.stringMatching(/^SQLITE_/) });
    await expect(rig.step()).rejects.toThrow();
    expect(rig.states()).toEqual(["claimed"]);

    rig.disk.makeRoom();
    expect(await rig.step()).toBe("idle");
    expect(rig.states()).toEqual(["confirmed"]);
    rig.send(calendar(vevent("new@example.com", "SUMMARY:Newer", day)));
    await rig.drainAll();
    expect(rig.requests("POST")).toHaveLength(1);
    expect(rig.workspaceEvents().map(({ title }) => title)).toEqual(["Newer"]);
  });

  it("adopts an item whose response was lost with the process", async () => {
    const rig = await rigThatFills("event created");
    rig.send(calendar(vevent("new@example.com", "SUMMARY:New", day)));
    await expect(rig.step()).rejects.toThrow();
    rig.disk.makeRoom();
    rig.restart();
    expect(await rig.drainAll()).toEqual(["confirmed"]);
    expect(rig.requests("POST")).toHaveLength(1);
  });

  it("sends a change later if its request could not be recorded, without counting an attempt", async () => {
    const rig = await rigThatFills("event read");
    const { uid } = await rig.event();
    rig.disk.makeRoom();
    rig.send(calendar(vevent(uid, "SUMMARY:Renamed")));
    await expect(rig.step()).rejects.toThrow();
    expect(rig.requests("PUT")).toEqual([]);
    rig.disk.makeRoom();
    await rig.step();
    expect(rig.edit()).toMatchObject({ state: "pending", attempts: 0, begun: 1 });
    expect(rig.editActions.show(1)?.problem).toContain("could not be stored");
    expect(rig.store.health.trouble()).toMatchObject({ kind: "failing", failures: 1 });
  });

  it("stores the confirmation of a change later, and leaves nothing in flight", async () => {
    const rig = await rigThatFills("event updated");
    const { uid } = await rig.event();
    rig.send(calendar(vevent(uid, "SUMMARY:Renamed")));
    await expect(rig.step()).rejects.toThrow();
    rig.disk.makeRoom();
    await rig.drainAll();
    expect(rig.edit()).toMatchObject({ state: "confirmed", attempts: 1 });
    expect(rig.requests("PUT")).toHaveLength(1);
    expect(rig.store.unanswered.claimLook()).toBeNull();
  });

  it("looks for a comment if the process ended before its confirmation was stored", async () => {
    const { rig, uid } = await withTask(drainRig({}));
    rig.send(calendar(vtodo(uid, "SUMMARY:Renamed", "COMMENT:Well done")));
    await rig.step();
    const settle = vi.spyOn(rig.store.extras, "settle").mockImplementation(() => {
      throw Object.assign(new Error("database or disk is full"), { code: "SQLITE_FULL" });
    });
    await expect(rig.step()).rejects.toThrow();
    settle.mockRestore();
    rig.restart();
    await rig.drainAll();
    expect(rig.requests("POST")).toHaveLength(1);
    expect(rig.store.extras.ofEdit(rig.edit().id)[0]?.state).toBe("done");
  });

  it("stores the confirmation of a comment later, and creates it once", async () => {
    const rig = await rigThatFills("comment created");
    const { uid } = await rig.task();
    rig.send(calendar(vtodo(uid, "SUMMARY:Renamed", "COMMENT:Well done")));
    await rig.step();
    await expect(rig.step()).rejects.toThrow();
    rig.disk.makeRoom();
    for (let round = 0; round < 3; round++) {
      rig.clock.advance({ seconds: 3 });
      await rig.drainAll();
    }
    expect(rig.store.extras.counts()).toMatchObject({ claimed: 0, done: 1 });
    expect(rig.requests("POST")).toHaveLength(1);
  });
});

it("puts back a claim that no worker holds, and goes on with the item's edits", async () => {
  const { rig, uid } = await withEvent(drainRig());
  rig.send(calendar(vevent(uid, "SUMMARY:One")));
  rig.send(calendar(vevent(uid, "SUMMARY:Two")));
  rig.store.journal.claimNext();
  expect(await rig.step()).toBe("idle");
  expect(await rig.drainAll()).toEqual(["confirmed", "confirmed"]);
});
