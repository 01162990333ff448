import { describe, expect, it } from "vitest";
import type { Fault } from "../../../src/sandbox/faults.ts";
import { insist } from "../../../src/sandbox/outcome.ts";
import { calendar, vevent, vtodo } from "../rig.ts";
import { drainRig, settingFor } from "./drain-rig.ts";

const party = vevent("party@example.com", "SUMMARY:Party", "DTSTART;VALUE=DATE:20261224");
const outage = { kind: "status", status: 503, times: 4 } as const;

describe("step() after a fault of a creation", () => {
  it.each<[string, Fault, number]>([
    ["a lost request", { kind: "drop-before" }, 2],
    ["a lost answer", { kind: "drop-after" }, 1],
    ["a request that hangs", { kind: "hang-before" }, 2],
    ["an answer that hangs", { kind: "hang-after" }, 1],
    ["a 500", { kind: "status", status: 500 }, 2],
    ["a web page", { kind: "html" }, 2],
    ["half an answer", { kind: "cut" }, 1],
    ["another answer", { kind: "replace", body: { hello: "world" } }, 1],
    ["a 429", { kind: "status", status: 429, headers: { "retry-after": "1" } }, 2],
  ])("makes the item exactly once in spite of %s", async (_name, fault, posts) => {
    const rig = await drainRig(settingFor(fault));
    rig.send(calendar(party));
    rig.sandbox.faults.add({ ...fault, method: "POST" });
    await rig.drainAll();
    expect(rig.states()).toEqual(["confirmed"]);
    expect(rig.workspaceEvents().map(({ title }) => title)).toEqual(["Party"]);
    expect(rig.requests("POST")).toHaveLength(posts);
    expect(rig.store.view.ofProject(rig.project)).toMatchObject([{ uid: "party@example.com" }]);
  });

  it("looks before it sends after a restart with the request under way", async () => {
    const rig = await drainRig();
    rig.send(calendar(party, vtodo("sub@example.com", "SUMMARY:Chore")));
    rig.sandbox.faults.add({ kind: "hang-after", method: "POST", times: 2 });
    const steps = [rig.step(), rig.step()];
    await expect.poll(() => rig.workspaceEvents().length + rig.workspaceTasks().length).toBe(2);
    rig.abort();
    await Promise.all(steps);
    expect(rig.states()).toEqual(["pending", "pending"]);
    rig.restart();
    await rig.drainAll();
    expect(rig.states()).toEqual(["confirmed", "confirmed"]);
    expect(rig.workspaceEvents()).toHaveLength(1);
    expect(rig.workspaceTasks()).toHaveLength(1);
    expect(rig.requests("POST")).toHaveLength(2);
  });

  it("puts claims back that an earlier run has left", async () => {
    const rig = await drainRig();
    const { uid } = await rig.event();
    rig.send(calendar(vevent(uid, "SUMMARY:Renamed"), party));
    rig.store.journal.claimNext();
    rig.store.journal.claimNext();
    expect(rig.recover()).toBe(2);
    await rig.drainAll();
    expect(rig.states()).toEqual(["confirmed", "confirmed"]);
  });

  it("does nothing once its signal is aborted", async () => {
    const rig = await drainRig();
    rig.send(calendar(party));
    rig.abort();
    expect(await rig.step()).toBe("idle");
    expect(rig.states()).toEqual(["pending"]);
  });

  it("waits for a person when several items could be the lost one", async () => {
    const rig = await drainRig();
    rig.send(calendar(party));
    rig.sandbox.faults.add({ kind: "drop-after", method: "POST" });
    await rig.step();
    insist(
      rig.sandbox.workspace.events.create(rig.by, {
        title: "Party",
        start: "2026-12-24",
        all_day: true,
      }),
    );
    await rig.drainAll();
    expect(rig.states()).toEqual(["parked: unknown-outcome"]);
    expect(rig.edit().problem).toMatch(/\d+, \d+/);
    expect(rig.requests("POST")).toHaveLength(1);
  });

  it("waits for a person when somebody has changed what the lost creation made", async () => {
    const rig = await drainRig();
    rig.send(calendar(party));
    rig.sandbox.faults.add({ kind: "drop-after", method: "POST" });
    await rig.step();
    rig.clock.advance({ seconds: 1 });
    const [made] = rig.workspaceEvents();
    const place = { ...rig.by, event: made?.id ?? 0 };
    insist(rig.sandbox.workspace.events.update(place, { title: "Feast" }));
    await rig.drainAll();
    expect(rig.states()).toEqual(["parked: unknown-outcome"]);
    expect(rig.edit().problem).toContain(`it could be ${made?.id}`);
    expect(rig.requests("POST")).toHaveLength(1);
  });

  it("goes on where only what was there before has been changed", async () => {
    const rig = await drainRig();
    const { id } = await rig.event({ title: "Meeting" });
    rig.clock.advance({ seconds: 1 });
    rig.send(calendar(party));
    rig.sandbox.faults.add({ kind: "drop-before", method: "POST" });
    await rig.step();
    rig.clock.advance({ seconds: 1 });
    insist(
      rig.sandbox.workspace.events.update({ ...rig.by, event: id }, { title: "Board meeting" }),
    );
    await rig.drainAll();
    expect(rig.states()).toEqual(["confirmed"]);
    expect(rig.workspaceEvents()).toHaveLength(2);
  });

  it("sends nothing while the list cannot be read as a whole", async () => {
    const rig = await drainRig();
    rig.send(calendar(party));
    rig.sandbox.faults.add({ kind: "drop-before", method: "POST" });
    await rig.step();
    rig.sandbox.faults.add({ kind: "transform", method: "GET", transform: () => [{ id: null }] });
    rig.sandbox.faults.add({ ...outage, method: "GET" });
    rig.clock.advance({ seconds: 10 });
    await rig.step();
    expect(rig.edit().problem).toContain("cannot be read as a whole");
    rig.clock.advance({ minutes: 1 });
    await rig.step();
    expect(rig.requests("POST")).toHaveLength(1);
    await rig.drainAll();
    expect(rig.states()).toEqual(["confirmed"]);
    expect(rig.workspaceEvents()).toHaveLength(1);
  });

  it.each([
    ["an empty list where something is known", () => []],
    ["a list that ends at a page", () => aPage],
  ])("does not take %s for proof that nothing was made", async (_what, shown) => {
    const rig = await drainRig();
    await rig.event({ title: "Known already" });
    rig.send(calendar(party));
    rig.sandbox.faults.add({ kind: "drop-after", method: "POST" });
    await rig.step();
    rig.sandbox.faults.add({ kind: "transform", method: "GET", transform: shown });
    rig.clock.advance({ seconds: 10 });
    await rig.step();
    expect(rig.edit().problem).toContain("cannot be read as a whole");
    await rig.drainAll();
    expect(rig.states()).toEqual(["confirmed"]);
    expect(rig.workspaceEvents()).toHaveLength(2);
    expect(rig.requests("POST")).toHaveLength(1);
  });

  it("does not take a refused list for a refused creation", async () => {
    const rig = await drainRig();
    rig.send(calendar(party));
    rig.sandbox.faults.add({ kind: "drop-after", method: "POST" });
    rig.sandbox.faults.add({ kind: "status", status: 403, method: "GET" });
    await rig.drainAll();
    expect(rig.states()).toEqual(["parked: unknown-outcome"]);
    rig.store.journal.resume(rig.edit().id);
    await rig.drainAll();
    expect(rig.states()).toEqual(["confirmed"]);
    expect(rig.workspaceEvents()).toHaveLength(1);
  });

  it("creates items of the same looks one after the other, each once", async () => {
    const rig = await drainRig();
    const twins = [1, 2, 3].map((n) => party.replace("party@", `party-${n}@`));
    rig.send(calendar(...twins));
    rig.sandbox.faults.add({ kind: "drop-after", method: "POST" });
    rig.sandbox.faults.add({ kind: "drop-before", method: "POST" });
    await rig.drainAll({ loops: 3 });
    expect(rig.states()).toEqual(["confirmed", "confirmed", "confirmed"]);
    expect(rig.workspaceEvents()).toHaveLength(3);
    const ids = rig.store.view.ofProject(rig.project).map(({ item }) => item.id);
    expect(new Set(ids).size).toBe(3);
  });
});

const aPage = Array.from({ length: 20 }, (_, index) => ({
  id: 880_000 + index,
  title: `Listed ${index}`,
  start: "2027-01-01 00:00",
  end: "2027-01-01 23:59",
  all_day: true,
}));
