import { expect, it } from "vitest";
import { serviceId } from "../../../src/domain/ids.ts";
import { sourceOf } from "../../../src/domain/source.ts";
import { worked } from "../../contract/pair.ts";
import { calendar, vevent, vtodo } from "../rig.ts";
import { drainRig, withEvent, withTask } from "./drain-rig.ts";

type Rig = Awaited<ReturnType<typeof drainRig>>;

async function rename(rig: Rig, uid: string, titles: readonly string[]) {
  for (const title of titles) {
    rig.send(calendar(vevent(uid, `SUMMARY:${title}`)));
    await rig.drainAll();
    rig.clock.advance({ minutes: 1 });
  }
}

/** Another program gives an event its old title, and a sweep sees that. */
async function changeBack(rig: Rig, id: number) {
  rig.sandbox.workspace.events.update({ ...rig.by, event: id }, { title: "Back" });
  const place = { projectId: rig.project, id: serviceId(id) };
  const item = worked(await rig.upstream.events.get(place, { priority: "sweep" }));
  rig.store.mirror.put({ ...item, id: place.id }, sourceOf(item));
}

/** Gives an event these titles in turn, and another program undoes each. */
async function fight(
  rig: Rig,
  { id, uid }: { id: number; uid: string },
  titles: readonly string[],
) {
  for (const title of titles) {
    rig.send(calendar(vevent(uid, `SUMMARY:${title}`)), { actor: null });
    await rig.drainAll();
    await changeBack(rig, id);
    rig.clock.advance({ minutes: 1 });
  }
}

const stubborn = (rig: Rig) =>
  rig.sandbox.faults.add({
    kind: "transform",
    method: "PUT",
    times: 100,
    transform: (json) => Object.assign(json instanceof Object ? json : {}, { title: "Rewritten" }),
  });

const frozenOf = (rig: Rig) => rig.store.pastEdits.frozen().map(({ id }) => Number(id));

it("an item freezes after five writes that came back different, and the edit says so", async () => {
  const { rig, uid } = await withEvent(drainRig());
  stubborn(rig);
  for (const title of ["a", "b", "c", "d", "e", "f"]) {
    rig.send(calendar(vevent(uid, `SUMMARY:${title}`)), { actor: null });
    // Mirrors the service's present answer, as a sweep does.
    await rig.step();
    rig.sandbox.workspace.events.update(
      { ...rig.by, event: rig.edit().answer?.id ?? 0 },
      { title: "Rewritten" },
    );
  }
  expect(rig.states()).toEqual([...Array<string>(5).fill("confirmed"), "parked: failed"]);
  expect(rig.edit(6).problem).toMatch(/^frozen: 5 writes/);
  expect(rig.events.at(-1)).toMatchObject({ kind: "frozen", edit: 6 });
  expect(frozenOf(rig)).toEqual([6]);
  expect(rig.requests("PUT")).toHaveLength(5);
});

it("a frozen item stays frozen until a person retries, then counts from zero", async () => {
  const { rig, id, uid } = await withEvent(drainRig());
  await fight(rig, { id, uid }, ["A", "A", "A", "A", "A", "A"]);
  expect(rig.states().at(-1)).toBe("parked: failed");
  rig.clock.advance({ hours: 2 });
  await rename(rig, uid, ["Other"]);
  expect(rig.states().at(-1)).toBe("parked: failed");
  expect(rig.edit(7).problem).toContain("edit 6");
  expect(rig.editActions.retry(6)).toMatchObject({ kind: "done" });
  await rig.drainAll();
  expect(rig.edit(6).state).toBe("confirmed");
  rig.editActions.retry(7);
  await rig.drainAll();
  await changeBack(rig, id);
  expect(frozenOf(rig)).toEqual([]);
  await fight(rig, { id, uid }, ["A", "A", "A"]);
  expect(rig.states().slice(-3)).toEqual(["confirmed", "confirmed", "confirmed"]);
});

it("editing an item in many different ways does not freeze it", async () => {
  const { rig, uid } = await withEvent(drainRig());
  await rename(rig, uid, ["1", "2", "3", "4", "5", "6", "7"]);
  expect(new Set(rig.states())).toEqual(new Set(["confirmed"]));
});

it("completing and reopening a task repeatedly does not freeze it", async () => {
  const { rig, uid } = await withTask(drainRig());
  for (const status of Array.from({ length: 4 }, () => ["COMPLETED", "NEEDS-ACTION"]).flat()) {
    rig.send(calendar(vtodo(uid, `STATUS:${status}`)));
    await rig.drainAll();
  }
  expect(rig.states()).toEqual(Array<string>(8).fill("confirmed"));
  expect(rig.requests("PUT")).toHaveLength(8);
});

it("an item freezes if another program reverts two alternating edits", async () => {
  const rig = await drainRig();
  const event = await rig.event();
  await fight(rig, event, ["A", "B", "A", "B", "A", "B", "A", "B"]);
  const [sixth, seventh, eighth] = rig.states().slice(5);
  expect([sixth, seventh, eighth]).toEqual(["confirmed", "parked: failed", "parked: failed"]);
});

it("writes older than an hour do not count", async () => {
  const rig = await drainRig();
  const event = await rig.event();
  await fight(rig, event, ["A", "A", "A", "A", "A"]);
  rig.clock.advance({ hours: 1 });
  await fight(rig, event, ["A"]);
  expect(new Set(rig.states())).toEqual(new Set(["confirmed"]));
});

it("a frozen item does not delay other items", async () => {
  const rig = await drainRig();
  const [one, two] = [await rig.event(), await rig.event({ title: "Other" })];
  await fight(rig, one, ["A", "A", "A", "A", "A", "A"]);
  expect(rig.states().at(-1)).toBe("parked: failed");
  await rename(rig, two.uid, ["A"]);
  expect(rig.states().at(-1)).toBe("confirmed");
});
