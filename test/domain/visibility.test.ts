import { expect, it } from "vitest";
import { personId } from "../../src/domain/ids.ts";
import type { Item } from "../../src/domain/item.ts";
import { seesItem } from "../../src/domain/visibility.ts";
import { anEvent, aProject, aTask, aTodolist } from "../support/items.ts";

const ana = personId(11);
const ben = personId(12);
const open = aProject(2001, "Website");
const list = aTodolist(3001);
const hidden = aTodolist(3001, { private: true });

it.each<[string, Item, Partial<Parameters<typeof seesItem>[1]>, boolean]>([
  ["event of a project without members", anEvent(1), {}, true],
  ["event of the own project", anEvent(1), { project: { ...open, members: [ana] } }, true],
  ["event of others' project", anEvent(1), { project: { ...open, members: [ben] } }, false],
  ["event of an archived project", anEvent(1), { project: { ...open, archived: true } }, false],
  ["event of an unknown project", anEvent(1), { project: null }, false],
  ["private event of someone else", anEvent(1, { private: true, creatorId: ben }), {}, false],
  ["private event of the person", anEvent(1, { private: true, creatorId: ana }), {}, true],
  ["private event, assigned", anEvent(1, { private: true, assigned: [ana] }), {}, true],
  [
    "private event, assigned, of others' project",
    anEvent(1, { private: true, assigned: [ana] }),
    { project: { ...open, members: [ben] } },
    false,
  ],
  ["task of an open list", aTask(1), { list }, true],
  ["task of an unknown list", aTask(1), { list: null }, true],
  ["task of an archived list", aTask(1), { list: { ...list, archived: true } }, false],
  ["task of a private list", aTask(1, { creatorId: ben }), { list: hidden }, false],
  ["task of a private list, assigned", aTask(1, { assigned: [ana] }), { list: hidden }, true],
  ["subtask of a private list", aTask(1, { kind: "subtask" }), { list: hidden }, false],
])("seesItem() answers for a %s", (_what, item, standing, expected) => {
  expect(seesItem(ana, { item, project: open, list: null, ...standing })).toBe(expected);
});
