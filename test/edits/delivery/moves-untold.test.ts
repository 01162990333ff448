import { expect, it } from "vitest";
import { withEvent, withTask } from "./drain-rig.ts";
import { type MoveRig, moveRig } from "./move-rig.ts";

const refused = { kind: "status", status: 403, method: "GET" } as const;

/** Lets some seconds pass in which the service refuses what it showed before, then shows it again. */
async function refuseForSeconds(rig: MoveRig, path: RegExp): Promise<void> {
  rig.sandbox.faults.add({ ...refused, path, times: 1000 });
  for (let step = 0; step < 3; step++) {
    await rig.step();
    expect(rig.states()).toEqual(["pending"]);
    rig.clock.advance({ seconds: 20 });
  }
  expect(rig.edit().problem).toContain("(403)");
  rig.sandbox.faults.clear();
  expect(await rig.drainAll({ sweep: rig.sweep })).toEqual(["confirmed"]);
}

it("moves an event once if the old one is refused before its deletion", async () => {
  const { rig, id, uid } = await withEvent(moveRig());
  rig.sandbox.faults.add({ kind: "status", status: 503, method: "DELETE", times: 4 });
  rig.eventToFar(uid);
  await rig.step();
  rig.sandbox.faults.clear();
  rig.clock.advance({ seconds: 20 });
  await refuseForSeconds(rig, new RegExp(`/events/${id}$`));
  expect(rig.shown()).toEqual(["Review in elsewhere"]);
  expect(rig.requests("POST")).toHaveLength(1);
  await rig.expectRest();
});

it("moves an event once if the old one is refused right after the new one was created", async () => {
  const rig = await moveRig({
    async between(one) {
      one.sandbox.faults.add({ ...refused, path: /\/events\/\d+$/ });
    },
  });
  const { uid } = await rig.event();
  rig.eventToFar(uid);
  await rig.step();
  expect(rig.states()).toEqual(["pending"]);
  rig.sandbox.faults.clear();
  expect(await rig.drainAll({ sweep: rig.sweep })).toEqual(["confirmed"]);
  await rig.expectRest();
});

it("moves an event once if the new one is refused after a restart", async () => {
  const { rig, uid } = await withEvent(moveRig());
  rig.sandbox.faults.add({ kind: "status", status: 503, method: "DELETE", times: 4 });
  rig.eventToFar(uid);
  await rig.step();
  rig.sandbox.faults.clear();
  rig.restart();
  rig.clock.advance({ seconds: 20 });
  await refuseForSeconds(rig, new RegExp(`/${rig.otherProject}/events`));
  expect(rig.requests("POST")).toHaveLength(1);
  await rig.expectRest();
});

it("moves an event once if its creation was never carried out and the old one is refused", async () => {
  const { rig, id, uid } = await withEvent(moveRig());
  rig.sandbox.faults.add({ kind: "late", answer: "drop", method: "POST" });
  rig.eventToFar(uid);
  await rig.step();
  rig.clock.advance({ minutes: 4 });
  await refuseForSeconds(rig, new RegExp(`/events/${id}$`));
  expect(rig.shown()).toEqual(["Review in elsewhere"]);
  await rig.expectRest();
});

it.each([
  ["its new list", (rig: MoveRig) => new RegExp(`/todolists/${rig.otherList}/`)],
  ["the whole project", (rig: MoveRig) => new RegExp(`/projects/${rig.project}/`)],
])("moves a task once after a lost response while %s is refused", async (_what, path) => {
  const { rig, uid } = await withTask(moveRig());
  rig.sandbox.faults.add({ kind: "cut", method: "PUT" });
  rig.sandbox.faults.add({ ...refused, path: new RegExp(`/todolists/${rig.otherList}/`) });
  rig.toOther(uid);
  await rig.step();
  rig.clock.advance({ seconds: 20 });
  await refuseForSeconds(rig, path(rig));
  expect(rig.shown()).toEqual(["Write in other"]);
  await rig.expectRest();
});

it("moves a task once after a lost request while its new list is refused", async () => {
  const { rig, uid } = await withTask(moveRig());
  rig.sandbox.faults.add({ kind: "drop-before", method: "PUT", times: 4 });
  rig.toOther(uid);
  await rig.step();
  rig.sandbox.faults.clear();
  rig.clock.advance({ seconds: 20 });
  await refuseForSeconds(rig, new RegExp(`/todolists/${rig.otherList}/`));
  expect(rig.shown()).toEqual(["Write in other"]);
  await rig.expectRest();
});
