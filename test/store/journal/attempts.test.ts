import { describe, expect, it } from "vitest";
import { listId, projectId } from "../../../src/domain/ids.ts";
import { aTask } from "../../support/items.ts";
import { storeRig } from "../rig.ts";

const place = { projectId: projectId(2001), listId: listId(3002) };

/** A move of a task whose request is under way. */
function movedRig() {
  const rig = storeRig();
  const task = aTask(601);
  const item = rig.put(task);
  const edit = rig.append({ item, action: "update", base: task, patch: { place } });
  const claimed = rig.store.journal.claimNext();
  if (!claimed) throw new Error("nothing was claimed");
  const { attempts } = rig.store;
  const request = { edit, item, act: "move", serviceId: task.id, before: task } as const;
  const leave = () => attempts.leaving({ ...request, patch: { place } });
  return { ...rig, attempts, item, edit, claimed, leave };
}

describe("a move without an answer", () => {
  it("is watched after its edit was given up, and read at most once in thirty seconds", () => {
    const { store, clock, attempts, edit, claimed, leave } = movedRig();
    const id = leave();
    attempts.lost(id, clock().add({ minutes: 3 }));
    attempts.ended(id, { isLost: true });
    store.journal.settle(claimed, { kind: "park", reason: "unknown-outcome", problem: "lost" });
    store.journal.discard(edit);
    clock.advance({ seconds: 10 });
    expect(store.unanswered.claimLook()?.writes).toHaveLength(1);
    expect(store.unanswered.claimLook()).toBeNull();
    expect(store.journal.givenUpCreations()).toMatchObject([{ id: edit }]);
  });

  it("has one write for each try, and none after an answer", () => {
    const { store, clock, attempts, item, edit, leave } = movedRig();
    const until = clock().add({ minutes: 3 });
    const first = leave();
    attempts.lost(first, until);
    attempts.lost(first, until.add({ seconds: 5 }));
    attempts.ended(first, { isLost: true });
    expect(store.unanswered.ofItem(item)).toHaveLength(2);
    clock.advance({ seconds: 30 });
    attempts.ended(leave(), { isLost: false });
    expect(store.unanswered.ofItem(item)).toHaveLength(2);
    const told = store.journal.get(edit);
    expect(told?.inFlightUntil).toEqual(until.add({ seconds: 5 }));
    expect([told?.sentAt, told?.resentAt]).toEqual([until.subtract({ minutes: 3 }), clock()]);
  });
});

it("an answered creation may be carried out for three minutes after a crash, until its edit is settled", () => {
  const { store, clock, appendCreation } = storeRig();
  const { key, edit } = appendCreation(aTask(601));
  const claimed = store.journal.claimNext();
  if (!claimed) return expect.fail("nothing was claimed");
  store.attempts.leaving({ edit, item: key, act: "create", patch: {} });
  clock.advance({ minutes: 5 });
  store.journal.release();
  expect(store.journal.get(edit)?.inFlightUntil).toEqual(clock().add({ minutes: 3 }));
  expect(store.unanswered.nextLookAt()).toBeNull();
  store.journal.claimNext();
  store.journal.confirm(claimed, aTask(601));
  store.attempts.release();
  expect(store.journal.openCreations()).toEqual([]);
  expect(store.journal.get(edit)?.state).toBe("confirmed");
});
