import { expect, it } from "vitest";
import { itemKey, personId, serviceId } from "../../../src/domain/ids.ts";
import type { TaskItem } from "../../../src/domain/item.ts";
import type { Patch } from "../../../src/domain/patch.ts";
import { toPlain } from "../../../src/domain/plain-item.ts";
import { isNews } from "../../../src/store/view/publish-changes.ts";
import { aTask } from "../../support/items.ts";

const news = (before: Partial<TaskItem>, after: Partial<TaskItem>, patch: Patch | null) =>
  isNews(
    { before: toPlain(aTask(1, before)), after: toPlain(aTask(1, after)) },
    patch && { item: itemKey(1), action: "update", patch },
  );

it.each<[string, boolean, Partial<TaskItem>, Partial<TaskItem>, Patch | null]>([
  ["another title", true, {}, { title: "x" }, null],
  ["the same title, as the list writes it later", false, { title: " x" }, { title: "x" }, null],
  [
    "the same description, as the list writes it later",
    false,
    { description: "<p>One<br>Two</p>" },
    { description: "One\nTwo" },
    null,
  ],
  ["the title as the service writes it", false, {}, { title: "x" }, { title: "x " }],
  ["a title beside the due date that was wished", true, {}, { title: "x" }, { dueOn: null }],
  ["progress", true, {}, { percent: 40 }, null],
  ["progress after a wish to reopen", false, { percent: 100 }, {}, { completed: false }],
  ["the time of a completion", false, {}, { completedBy: personId(3) }, null],
  ["other people", false, {}, { assigned: [personId(3)] }, null],
  ["a task above it for the first time", false, {}, { parentId: serviceId(9) }, null],
  ["another task above it", true, { parentId: serviceId(8) }, { parentId: serviceId(9) }, null],
])("isNews() for %s: %s", (_name, expected, before, after, patch) => {
  expect(news(before, after, patch)).toBe(expected);
});
