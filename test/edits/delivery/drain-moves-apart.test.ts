import { readCalendar } from "@dayferry/ical";
import type { Fault } from "@dayferry/sandbox";
import { describe, expect, it } from "vitest";
import type { ListId } from "../../../src/domain/ids.ts";
import { createAcceptItems } from "../../../src/edits/intake/accept.ts";
import { zone } from "../../support/items.ts";
import { timersByHand } from "../../support/timers-by-hand.ts";
import { calendar, vtodo } from "../rig.ts";
import { moveRig } from "./move-rig.ts";

/** A task with a subtask and a comment, and a program that moves it by a deletion here and a PUT there. */
async function apartRig() {
  const timers = timersByHand();
  let duringHang = () => {};
  const rig = await moveRig({
    client: { startTimer: timers.start },
    sandbox: { onHang: () => duringHang() },
  });
  const { store, clock, owner, project } = rig;
  const { id, uid } = await rig.task();
  await rig.subtask(id, "Child");
  const place = { ...rig.by, list: rig.list, task: id };
  rig.sandbox.workspace.comments.create(place, { description: "Keep me" });
  const acceptItems = createAcceptItems({
    store,
    zone,
    policy: { labels: "known", mode: "apply" },
    clock,
    feeds: { assignees: true, tasks: "due", webUrl: null },
    onAccepted: () => {},
  });
  function take(lines: readonly string[], listId: ListId) {
    const read = readCalendar(Buffer.from(calendar(...lines)), { zone });
    if (!read.ok) throw new Error(JSON.stringify(read.failure));
    const from = { channel: "caldav", actor: owner, projectId: project, listId } as const;
    const common = { calendar: read.value, bases: new Map(), dryRun: false, recreate: true };
    return acceptItems({ ...common, ...from });
  }
  return {
    ...rig,
    id,
    uid,
    remove: () => take(["METHOD:CANCEL", vtodo(uid)], rig.list),
    /** The effect of a PUT into the other list. */
    putThere() {
      take([vtodo(uid, "SUMMARY:Write", "DUE;VALUE=DATE:20261124")], rig.otherList);
      if (store.view.findUid(uid)?.collection !== `tasks:${rig.otherList}`) rig.toOther(uid);
    },
    /**
     * Runs a step, and something else while the service has one of its requests: its first GET, or a DELETE without an
     * answer.
     */
    async during(ending: "answered" | "unanswered" | "deleted", meanwhile: () => void) {
      const answered: Fault = {
        kind: "transform",
        transform(json) {
          meanwhile();
          return json;
        },
      };
      duringHang = () => {
        meanwhile();
        timers.end();
      };
      const faults: Record<typeof ending, Fault> = {
        answered: { ...answered, method: "GET" },
        unanswered: { kind: "hang-before", method: "GET" },
        deleted: { kind: "hang-after", method: "DELETE" },
      };
      rig.sandbox.faults.add(faults[ending]);
      clock.advance({ seconds: 3 });
      await rig.step();
      duringHang = () => {};
    },
    /** Lets the drain work until a fault holds its request, and ends the process. */
    async dieAt(fault: Fault) {
      rig.sandbox.faults.add(fault);
      clock.advance({ seconds: 3 });
      rig.sandbox.requests.clear();
      const step = rig.step();
      await expect.poll(() => rig.requests(fault.method)).toHaveLength(1);
      rig.abort();
      await step;
      rig.restart();
    },
  };
}

describe("a deletion that is the first half of a move", () => {
  it("is never sent, even if the process ends between the halves or after them", async () => {
    const rig = await apartRig();
    rig.remove();
    expect(await rig.step()).toBe("idle");
    rig.restart();
    rig.putThere();
    rig.restart();
    expect(rig.shown()).toEqual(["Child in other", "Write in other"]);
    await rig.drainAll();
    expect(rig.requests("DELETE")).toEqual([]);
    expect(rig.tasksIn(rig.otherList)).toMatchObject([{ id: rig.id, comments: 1, sub_tasks: 1 }]);
    await rig.expectRest();
  });

  it("is withdrawn if the process ended before it was sent", async () => {
    const rig = await apartRig();
    rig.remove();
    await rig.dieAt({ kind: "hang-before", method: "GET" });
    rig.putThere();
    await rig.drainAll();
    expect(rig.requests("DELETE")).toEqual([]);
    expect(rig.tasksIn(rig.otherList)).toMatchObject([{ id: rig.id, comments: 1, sub_tasks: 1 }]);
    await rig.expectRest();
  });

  it.each(["hang-before", "hang-after"] as const)(
    "creates the task once if it may have been sent: %s",
    async (kind) => {
      const rig = await apartRig();
      rig.remove();
      await rig.dieAt({ kind, method: "DELETE" });
      rig.putThere();
      await rig.drainAll();
      expect(rig.tasksIn(rig.list)).toEqual([]);
      expect(rig.tasksIn(rig.otherList)).toMatchObject([{ title: "Write", comments: 0 }]);
      expect(new Set(rig.states())).toEqual(new Set(["confirmed"]));
      await rig.expectRest();
    },
  );

  it("is sent after two seconds if nothing follows", async () => {
    const rig = await apartRig();
    rig.remove();
    rig.clock.advance({ milliseconds: 1999 });
    expect(await rig.step()).toBe("idle");
    await rig.drainAll();
    expect(rig.tasksIn(rig.list)).toEqual([]);
    expect(rig.states()).toEqual(["confirmed"]);
    await rig.expectRest();
  });
});

describe("a deletion that is withdrawn while its item is read", () => {
  it.each([
    ["is unchanged", "answered", {}],
    ["has been changed", "answered", { title: "Changed" }],
    ["is not heard of", "unanswered", {}],
  ] as const)("is never sent if the item %s", async (_what, ending, change) => {
    const rig = await apartRig();
    rig.remove();
    const place = { ...rig.by, list: rig.list, task: rig.id };
    rig.sandbox.workspace.tasks.update(place, change);
    await rig.during(ending, () => rig.putThere());
    expect(rig.states()[0]).toBe("discarded");
    expect(rig.shown()).toEqual(["Child in other", "Write in other"]);
    await rig.drainAll();
    expect(rig.requests("DELETE")).toEqual([]);
    expect(rig.tasksIn(rig.list)).toEqual([]);
    const there = { id: rig.id, comments: 1, sub_tasks: 1, title: "Write", ...change };
    expect(rig.tasksIn(rig.otherList)).toMatchObject([there]);
    expect(
      rig
        .states()
        .slice(1)
        .every((state) => state === "confirmed"),
    ).toBe(true);
    await rig.expectRest();
  });

  it("does not delete what is put again if the item is gone", async () => {
    const rig = await apartRig();
    rig.remove();
    rig.sandbox.workspace.tasks.remove({ ...rig.by, list: rig.list, task: rig.id });
    await rig.during("answered", () => rig.putThere());
    expect(rig.states()).toEqual(["discarded", "pending", "pending"]);
    expect(rig.shown()).toContain("Write in other");
  });

  it("recreates the task if the deletion was already sent", async () => {
    const rig = await apartRig();
    rig.remove();
    await rig.during("deleted", () => rig.putThere());
    await rig.drainAll();
    expect(rig.tasksIn(rig.list)).toEqual([]);
    expect(rig.tasksIn(rig.otherList)).toMatchObject([{ title: "Write", comments: 0 }]);
    expect(new Set(rig.states())).toEqual(new Set(["confirmed"]));
    await rig.expectRest();
  });
});
