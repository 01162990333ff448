import { expect, it } from "vitest";
import { clashRig } from "./clash-rig.ts";

const onPage = { channel: "dashboard", actor: null } as const;

/** A finished edit of title and reminder; somebody has changed the title again since. */
async function changedSince() {
  const rig = await clashRig();
  const { editActions } = rig;
  const uid = await rig.item("event");
  const before = rig.itemOf(uid);
  rig.wish(uid, { title: "Mine", description: "By me" });
  await rig.drained();
  await rig.there(uid, { title: "Theirs" });
  await rig.sweep();
  const preview = editActions.undoPreview(1);
  if (preview?.kind !== "possible") return expect.fail("it cannot be undone");
  return {
    ...{ ...rig, uid, before, preview },
    undo: (choices: Parameters<typeof editActions.undo>[1]["choices"], seen = preview.version) =>
      editActions.undo(1, { ...onPage, actor: rig.owner, choices }, seen),
  };
}

it("undo restores a field that someone has changed since, if chosen", async () => {
  const rig = await changedSince();
  const { preview, undo, drained, uid, before } = rig;
  expect(preview.changedSince).toMatchObject([{ field: "title", was: "Mine", now: "Theirs" }]);
  expect(undo({ title: "back" }).kind).toBe("done");
  expect(await drained()).toEqual(["undone", "confirmed"]);
  expect(await rig.now(uid)).toMatchObject({
    title: before.title,
    description: before.description,
  });
});

it("undo leaves such a field if chosen, and restores the others", async () => {
  const rig = await changedSince();
  const { undo, drained, uid, before } = rig;
  expect(undo({ title: "leave" }).kind).toBe("done");
  await drained();
  expect(await rig.now(uid)).toMatchObject({ title: "Theirs", description: before.description });
});

it("a choice applies only to the version that was shown", async () => {
  const rig = await changedSince();
  await rig.there(rig.uid, { title: "Theirs again" });
  await rig.sweep();
  expect(rig.undo({ title: "back" }).kind).toBe("overwrites");
  const unseen = { ...onPage, choices: { title: "back" } } as const;
  expect(rig.editActions.undo(1, unseen)).toMatchObject({ kind: "unclear" });
  const version = rig.editActions.undoPreview(1);
  expect(
    rig.undo({ title: "back" }, version?.kind === "possible" ? version.version : "").kind,
  ).toBe("done");
  // A change between choice and request leads to another question.
  await rig.there(rig.uid, { title: "And again" });
  await rig.drained();
  expect(await rig.now(rig.uid)).toMatchObject({ title: "And again" });
  expect(rig.states()).toEqual(["confirmed", "parked: conflict"]);
});

it("undo does nothing if every field is left as it is", async () => {
  const { undo, states } = await changedSince();
  expect(undo({ title: "leave", description: "leave" })).toMatchObject({ kind: "refused" });
  expect(states()).toEqual(["confirmed"]);
});
