import { expect, it } from "vitest";
import { calendar, vevent } from "../rig.ts";
import { change, drainRig, withEvent } from "./drain-rig.ts";

const titled = (uid: string, title: string, ...lines: readonly string[]) =>
  calendar(vevent(uid, `SUMMARY:${title}`, ...lines));

type Rig = Awaited<ReturnType<typeof drainRig>>;

/** The mark of the current version, as a feed writes it. */
const markOf = (rig: Rig, uid: string) =>
  `X-DAYFERRY-BASE:${rig.store.view.findUid(uid)?.sequence}`;

async function titles(rig: Rig) {
  return rig.workspaceEvents().map(({ title }) => title);
}

it("a later edit by the same person is no conflict if a value comes back and another program wrote in between", async () => {
  const { rig, uid } = await withEvent(drainRig(), { title: "A" });
  for (const [title, channel] of [
    ["B", "caldav"],
    ["C", "caldav"],
    ["A", "upload"],
    ["D", "caldav"],
  ] as const) {
    rig.send(titled(uid, title), { channel });
    await rig.drainAll();
    rig.clock.advance({ seconds: 2 });
  }
  expect(new Set(rig.states())).toEqual(new Set(["confirmed"]));
  expect(await titles(rig)).toEqual(["D"]);
});

it("an edit of an old copy is no conflict if another program of the same person has written since", async () => {
  const { rig, uid } = await withEvent(drainRig(), { title: "A" });
  const old = markOf(rig, uid);
  rig.send(titled(uid, "B"), { channel: "caldav" });
  await rig.drainAll();
  rig.clock.advance({ seconds: 5 });
  rig.send(titled(uid, "C", old), { channel: "upload" });
  expect(await rig.drainAll()).toEqual(["confirmed", "confirmed"]);
  expect(await titles(rig)).toEqual(["C"]);
});

it("an edit that the service refused does not count as someone else's change", async () => {
  const { rig, uid } = await withEvent(drainRig(), { title: "A" });
  rig.sandbox.faults.add({ kind: "status", status: 422, method: "PUT" });
  rig.send(titled(uid, "B"), { channel: "caldav" });
  rig.send(titled(uid, "C"), { channel: "caldav" });
  expect(await rig.drainAll()).toEqual(["parked: refused", "confirmed"]);
  expect(await titles(rig)).toEqual(["C"]);
});

it("undo of an edit that absorbed an earlier one conflicts if someone else has written since", async () => {
  const { rig, id, uid } = await withEvent(drainRig({ mode: "review" }), { title: "A" });
  rig.send(titled(uid, "B"), { channel: "caldav" });
  rig.send(titled(uid, "B", "DESCRIPTION:More"), { channel: "caldav" });
  expect(rig.states()).toEqual(["discarded", "held"]);
  rig.editActions.approve(2);
  await rig.drainAll();
  change(rig, id, { title: "Theirs" });
  await rig.mirrorAgain(id);
  rig.clock.advance({ seconds: 5 });
  expect(rig.editActions.undo(2, { channel: "upload", actor: null }).kind).toBe("done");
  rig.editActions.approve(3);
  await rig.drainAll();
  expect(rig.states().at(-1)).toBe("parked: conflict");
  rig.keepMine(3);
  await rig.drainAll();
  expect(await titles(rig)).toEqual(["A"]);
});

it("an edit of an old copy conflicts if someone else has written after the person's own edit", async () => {
  const { rig, id, uid } = await withEvent(drainRig(), { title: "A" });
  const old = markOf(rig, uid);
  rig.send(titled(uid, "B"), { channel: "caldav" });
  await rig.drainAll();
  change(rig, id, { title: "Theirs" });
  rig.send(titled(uid, "C", old), { channel: "upload" });
  expect(await rig.drainAll()).toEqual(["confirmed", "parked: conflict"]);
  expect(await titles(rig)).toEqual(["Theirs"]);
});

it("another person's change conflicts even if the value was once the editor's own", async () => {
  const { rig, uid } = await withEvent(drainRig(), { title: "A" });
  const old = markOf(rig, uid);
  rig.send(titled(uid, "B"), { actor: rig.person("member") });
  await rig.drainAll();
  rig.clock.advance({ seconds: 5 });
  rig.send(titled(uid, "C", old));
  expect(await rig.drainAll()).toEqual(["confirmed", "parked: conflict"]);
});
