import { describe, expect, it } from "vitest";
import { serviceId } from "../../../src/domain/ids.ts";
import type { Source } from "../../../src/domain/source.ts";
import { createRepeatedEdits } from "../../../src/edits/delivery/repeated-edits.ts";
import { worked } from "../../contract/pair.ts";
import { leaveCreating } from "../../support/edits.ts";
import { calendar, vevent, vtodo } from "../rig.ts";
import { drainRig, impatient } from "./drain-rig.ts";

const party = vevent("party@example.com", "SUMMARY:Party", "DTSTART;VALUE=DATE:20261224");
const wish = { title: "Party", start: "2026-12-24", all_day: true };

type Rig = Awaited<ReturnType<typeof drainRig>>;

/** A creation without an answer in time, which the service has not carried out so far. */
async function unanswered() {
  const rig = await drainRig(impatient);
  rig.send(calendar(party));
  rig.sandbox.faults.add({ kind: "hang-before", method: "POST" });
  await rig.step();
  return rig;
}

async function later(rig: Rig, seconds: number): Promise<void> {
  rig.clock.advance({ seconds });
  await rig.step();
}

/** The service carries out the request that nobody waits for any more. */
const land = (rig: Rig) => rig.sandbox.workspace.events.create(rig.by, wish);

async function sweep(rig: Rig): Promise<void> {
  const { items } = worked(
    await rig.upstream.events.list({ projectId: rig.project, view: "all" }, { priority: "sweep" }),
  );
  for (const item of items) {
    rig.store.mirror.put({ ...item, id: item.id ?? serviceId(1) }, `events:${rig.project}`);
  }
}

describe("a creation without a response in time", () => {
  it("is adopted if it arrives after the first look, without being sent again", async () => {
    const rig = await unanswered();
    await later(rig, 3);
    expect(rig.requests("GET")).toHaveLength(1);
    land(rig);
    expect(await rig.drainAll()).toEqual(["confirmed"]);
    expect(rig.workspaceEvents()).toHaveLength(1);
    expect(rig.requests("POST")).toHaveLength(1);
  });

  it("says why it waits, and until when", async () => {
    const rig = await unanswered();
    await later(rig, 3);
    const edit = rig.editActions.show(1);
    expect(edit?.problem).toContain("may still be carried out");
    expect(edit?.problem).toMatch(/not sent again before 2026-11-20T12:0(2:5\d|3:00)Z/);
    expect(edit?.notBefore?.toString()).toMatch(/^2026-11-20T12:00:1/);
  });

  it("is sent again after three minutes, right after another look", async () => {
    const rig = await unanswered();
    expect(await rig.drainAll()).toEqual(["confirmed"]);
    expect(rig.workspaceEvents()).toHaveLength(1);
    expect(rig.requests().slice(-2)).toEqual(["GET /projects/events", "POST /projects/events"]);
    expect(rig.clock().toString() > "2026-11-20T12:02:59").toBe(true);
  });

  it("waits again after the second request", async () => {
    const rig = await unanswered();
    rig.sandbox.faults.add({ kind: "hang-before", method: "POST" });
    while (rig.requests("POST").length < 2) {
      await later(rig, 5);
    }
    await later(rig, 5);
    expect(rig.requests("POST")).toHaveLength(2);
    land(rig);
    expect(await rig.drainAll()).toEqual(["confirmed"]);
    expect(rig.workspaceEvents()).toHaveLength(1);
  });

  it.each([["a task", vtodo("sub@example.com", "SUMMARY:Chore", "DUE;VALUE=DATE:20261201")]])(
    "also waits for %s",
    async (_what, text) => {
      const rig = await drainRig(impatient);
      rig.send(calendar(text));
      rig.sandbox.faults.add({ kind: "hang-before", method: "POST" });
      await rig.step();
      await later(rig, 9);
      expect(rig.requests("POST")).toHaveLength(1);
      const place = { ...rig.by, list: rig.list };
      rig.sandbox.workspace.tasks.create(place, { title: "Chore", due_date: "2026-12-01" });
      expect(await rig.drainAll()).toEqual(["confirmed"]);
      expect(rig.workspaceTasks()).toHaveLength(1);
    },
  );

  it.each([
    ["a 503", { kind: "late", answer: 503 }],
    ["a reset connection", { kind: "late", answer: "drop" }],
  ] as const)(
    "also waits after %s, since the request may still be carried out",
    async (_what, fault) => {
      const rig = await drainRig();
      rig.send(calendar(party));
      rig.sandbox.faults.add({ ...fault, method: "POST" });
      await rig.step();
      await later(rig, 9);
      expect(rig.requests("POST")).toHaveLength(1);
      rig.sandbox.faults.deliverLate();
      await rig.drainAll();
      expect(rig.requests("POST")).toHaveLength(1);
      expect(rig.workspaceEvents()).toHaveLength(1);
      expect(rig.states()).toEqual(["confirmed"]);
    },
  );

  it("does not wait if the request never left", async () => {
    const rig = await drainRig({ client: { baseUrl: "http://127.0.0.1:1/api/v3" } });
    rig.send(calendar(party));
    await rig.step();
    expect(rig.edit().inFlightUntil).toBeNull();
  });
});

describe("a creation that is made but not yet completed", () => {
  async function half() {
    const rig = await drainRig();
    rig.send(calendar(vtodo("half@example.com", "SUMMARY:Chore", "STATUS:COMPLETED")));
    rig.sandbox.faults.add({ kind: "status", status: 503, method: "PUT", times: 4 });
    await rig.step();
    rig.sandbox.faults.clear();
    expect(rig.workspaceTasks()).toMatchObject([{ completed: false }]);
    return rig;
  }

  it("cannot be discarded, and is completed", async () => {
    const rig = await half();
    const decision = rig.editActions.discard(1);
    expect(decision.kind === "refused" && decision.reason).toContain("half done");
    await rig.drainAll();
    expect(rig.workspaceTasks()).toMatchObject([{ completed: true }]);
    expect(rig.states()).toEqual(["confirmed"]);
  });

  it("is completed where someone has moved it", async () => {
    const rig = await half();
    const { tasks } = rig.sandbox.workspace;
    const at = { by: rig.owner, project: rig.project, list: rig.list };
    const [made] = rig.workspaceTasks();
    const task = made?.id ?? expect.fail("nothing was made");
    const far: Source = { kind: "tasks", projectId: rig.otherProject, listId: rig.farList };
    rig.store.sources.put([far]);
    const moved = { project: rig.otherProject, list_id: rig.farList, move_task: true };
    tasks.update({ ...at, task }, moved);
    await later(rig, 20);
    expect(rig.edit().problem).toContain("whether it was moved");
    rig.clock.advance({ seconds: 1 });
    rig.store.sources.attempted(far, rig.clock());
    const { items } = worked(await rig.upstream.tasks.list(far, { priority: "sweep" }));
    for (const item of items) {
      if (item.id) rig.store.mirror.put({ ...item, id: item.id }, `tasks:${rig.farList}`);
    }
    rig.store.sources.succeeded(far, { items: items.length, gaps: null });
    expect(await rig.drainAll()).toEqual(["confirmed"]);
    const there = { ...at, project: rig.otherProject, list: rig.farList };
    expect(tasks.list(there)).toMatchObject([{ id: task, completed: true }]);
  });

  it("is read again while it is refused", async () => {
    const rig = await half();
    rig.sandbox.faults.add({ kind: "status", status: 403, method: "GET", path: /tasks\/\d+$/ });
    await later(rig, 20);
    expect(rig.states()).toEqual(["pending"]);
    expect(await rig.drainAll()).toEqual(["confirmed"]);
    expect(rig.workspaceTasks()).toMatchObject([{ completed: true }]);
  });
});

describe("a creation in flight during a crash", () => {
  it("is looked up at once, and sent again only after three minutes", async () => {
    const rig = await drainRig();
    rig.send(calendar(party));
    const claimed = rig.store.journal.claimNext();
    leaveCreating(rig.store, claimed?.id ?? rig.edit().id);
    rig.clock.advance({ seconds: 2 });
    expect(rig.restart()).toBe(1);
    await rig.step();
    expect(rig.requests()).toEqual(["GET /projects/events"]);
    rig.clock.advance({ seconds: 5 });
    land(rig);
    expect(await rig.drainAll()).toEqual(["confirmed"]);
    expect(rig.workspaceEvents()).toHaveLength(1);
    expect(rig.requests("POST")).toHaveLength(0);
  });

  it("is sent again after three minutes if nothing was created", async () => {
    const rig = await drainRig();
    rig.send(calendar(party));
    const claimed = rig.store.journal.claimNext();
    leaveCreating(rig.store, claimed?.id ?? rig.edit().id);
    rig.restart();
    expect(await rig.drainAll()).toEqual(["confirmed"]);
    expect(rig.requests("POST")).toHaveLength(1);
    expect(rig.clock().toString() > "2026-11-20T12:02:59.8").toBe(true);
  });
});

describe("a duplicate that appears after the second request", () => {
  async function twice() {
    const rig = await unanswered();
    await rig.drainAll();
    const repeated = createRepeatedEdits(rig.store);
    expect(repeated()).toEqual([]);
    const twin = land(rig);
    await sweep(rig);
    return { rig, twin, repeated: () => repeated().map(({ edit }) => edit) };
  }

  it("is reported with the edit, and nothing is deleted", async () => {
    const { rig, twin, repeated } = await twice();
    expect(rig.states()).toEqual(["confirmed"]);
    expect(repeated()).toEqual([1]);
    expect(repeated()).toEqual([1]);
    expect(createRepeatedEdits(rig.store)()).toHaveLength(1);
    expect(rig.editActions.show(1)?.problem).toContain("the service may have it twice");
    expect(rig.editActions.show(1)?.problem).toContain(String(twin.id));
    expect(rig.workspaceEvents()).toHaveLength(2);
    expect(rig.requests("DELETE")).toEqual([]);
  });

  it("is not reported once a person has deleted it", async () => {
    const { rig, twin, repeated } = await twice();
    const key = rig.store.mirror.find("event", serviceId(twin.id));
    if (key) rig.store.mirror.bury(key);
    expect(rig.editActions.show(1)?.problem).toBeNull();
    expect(repeated()).toEqual([]);
  });

  it("is no duplicate if it was created later", async () => {
    const rig = await unanswered();
    await rig.drainAll();
    rig.clock.advance({ minutes: 10 });
    land(rig);
    await sweep(rig);
    expect(rig.editActions.show(1)?.problem).toBeNull();
  });
});
