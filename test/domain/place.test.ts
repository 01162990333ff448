import { describe, expect, it } from "vitest";
import { listId, projectId, serviceId } from "../../src/domain/ids.ts";
import {
  applyPatch,
  fieldsOf,
  type Place,
  placedIn,
  valuesOf,
  without,
} from "../../src/domain/patch.ts";
import {
  patchFromPlain,
  patchToPlain,
  publishedPart,
  toPlain,
} from "../../src/domain/plain-item.ts";
import { changedFields, sameStored } from "../../src/domain/sameness.ts";
import { mergeFields } from "../../src/domain/three-way.ts";
import { zone } from "../support/items.ts";
import { anEvent, aTask } from "./items.ts";

const at = (project: number, list: number | null): Place => ({
  projectId: projectId(project),
  listId: list === null ? null : listId(list),
});
const far = at(2002, 3009);
const subtask = aTask({ kind: "subtask", parentId: serviceId(600) });

describe("a patch of the place", () => {
  it("moves a task into a list and an event into a project", () => {
    const there = { projectId: projectId(2002), listId: listId(3009) };
    expect(applyPatch(aTask(), { place: far, title: "B" })).toEqual(
      aTask({ ...there, title: "B" }),
    );
    const moved = applyPatch(anEvent(), { place: at(2002, null) });
    expect(moved).toEqual(anEvent({ projectId: projectId(2002) }));
  });

  it("does nothing to a subtask, which follows its task, or to a task without a list", () => {
    expect(applyPatch(subtask, { place: far })).toEqual(subtask);
    expect(valuesOf(subtask).place).toBeUndefined();
    expect(applyPatch(aTask(), { place: at(2002, null) })).toEqual(aTask());
    expect(placedIn(subtask, far)).toMatchObject({ projectId: 2002, listId: 3009 });
  });

  it("is one field of project and list", () => {
    expect(valuesOf(aTask()).place).toEqual(at(2001, 3001));
    expect(valuesOf(anEvent()).place).toEqual(at(2001, null));
    expect(sameStored("place", { place: far }, { place: at(2002, 3009) })).toBe(true);
    for (const other of [at(2002, 3001), at(2001, 3009), at(2002, null)]) {
      expect(sameStored("place", { place: far }, { place: other })).toBe(false);
    }
    expect(changedFields(valuesOf(aTask()), { place: far, title: aTask().title })).toEqual({
      place: far,
    });
    expect(fieldsOf(without({ place: far, title: "B" }, "place"))).toEqual(["title"]);
  });

  it("survives JSON", () => {
    for (const place of [far, at(2002, null)]) {
      const plain = patchToPlain({ place });
      expect(plain).toEqual({ place });
      expect(patchFromPlain(JSON.parse(JSON.stringify(plain)), zone)).toEqual({ place });
    }
  });

  it("merges like any field", () => {
    const [here, there, elsewhere] = [at(2001, 3001), far, at(2001, 3002)];
    const merge = (ours: Place, theirs: Place) =>
      mergeFields({ base: { place: here }, ours: { place: ours }, theirs: { place: theirs } });
    expect(merge(here, there)).toEqual({ patch: { place: there }, conflicts: [] });
    expect(merge(there, there)).toEqual({ patch: {}, conflicts: [] });
    expect(merge(elsewhere, there)).toEqual({ patch: {}, conflicts: ["place"] });
  });

  it("changes what calendars show only if the project changes", () => {
    const shown = (place: Place) => publishedPart(toPlain(applyPatch(aTask(), { place })));
    expect(shown(at(2001, 3002))).toBe(publishedPart(toPlain(aTask())));
    expect(shown(far)).not.toBe(publishedPart(toPlain(aTask())));
  });
});
