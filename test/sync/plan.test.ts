import { describe, expect, it } from "vitest";
import { editId, itemKey, listId, personId, projectId, serviceId } from "../../src/domain/ids.ts";
import type { EventItem, Item, TaskItem } from "../../src/domain/item.ts";
import type { Edit } from "../../src/domain/journal.ts";
import { toPlain } from "../../src/domain/plain-item.ts";
import { looksLike } from "../../src/sync/creation.ts";
import { type Contents, planSnapshot } from "../../src/sync/plan.ts";
import { untouched } from "../support/edits.ts";

const sentAt = Temporal.Instant.from("2026-05-01T10:00:00.700Z");

const task = (id: number | null, more: Partial<TaskItem> = {}): TaskItem => ({
  kind: "task",
  id: id === null ? null : serviceId(id),
  projectId: projectId(1),
  listId: listId(2),
  parentId: null,
  title: `Task ${id}`,
  description: null,
  completed: false,
  assigned: [],
  creatorId: null,
  byMe: true,
  createdAt: sentAt,
  updatedAt: null,
  startOn: null,
  dueOn: Temporal.PlainDate.from("2026-05-20"),
  estimated: null,
  logged: null,
  percent: 0,
  labels: [],
  completedAt: null,
  completedBy: null,
  subtaskCount: 0,
  commentCount: 0,
  rrule: null,
  ticket: null,
  stage: null,
  customFields: [],
  ...more,
});

const day = Temporal.PlainDate.from("2026-05-20");
const event = (id: number | null, more: Partial<EventItem> = {}): EventItem => {
  const { kind: _, ...common } = task(id);
  return {
    kind: "event",
    id: common.id,
    projectId: common.projectId,
    title: common.title,
    description: null,
    completed: false,
    assigned: [],
    creatorId: null,
    byMe: true,
    createdAt: sentAt,
    updatedAt: null,
    when: { kind: "dates", start: day, end: day.add({ days: 1 }) },
    reminder: null,
    milestone: false,
    private: false,
    ...more,
  };
};

const contents = (...items: readonly Item[]): Contents =>
  new Map(
    items.map((item) => [
      serviceId(item.id ?? 0),
      { key: itemKey(1000 + (item.id ?? 0)), content: JSON.stringify(toPlain(item)) },
    ]),
  );

const plan = (
  known: Contents,
  items: readonly Item[],
  more: Partial<Parameters<typeof planSnapshot>[0]> = {},
) =>
  planSnapshot({
    before: known,
    known,
    items,
    complete: true,
    creations: () => [],
    moves: () => [],
    ...more,
  });

const creation = (base: Item, more: Partial<Edit> = {}): Edit => ({
  ...untouched,
  id: editId(1),
  channel: "upload",
  actor: null,
  item: itemKey(9),
  action: "create",
  base,
  patch: {},
  state: "claimed",
  attempts: 1,
  sentAt,
  createdAt: sentAt,
  updatedAt: sentAt,
  ...more,
});

describe("planSnapshot()", () => {
  it("puts new and changed items and asks for no creation when all are known", () => {
    const changed = task(2, { title: "Other" });
    const known = contents(task(1), task(2));
    const creations = () => {
      throw new Error("asked");
    };
    const result = plan(known, [task(1), changed], { creations });
    expect(result).toMatchObject({ put: [changed], unchanged: 1, missing: [], heldBack: [] });
    expect(plan(known, [task(1), task(2), task(3)]).put).toEqual([task(3)]);
  });

  it("takes an item for unchanged when only updatedAt and the order of people moved", () => {
    const [ana, ben] = [personId(1), personId(2)];
    const known = contents(task(1, { assigned: [ana, ben] }));
    const moved = task(1, { assigned: [ben, ana], updatedAt: sentAt, byMe: false });
    expect(plan(known, [moved])).toMatchObject({ put: [], unchanged: 1 });
  });

  it("names missing items when the snapshot is complete, and none when it is not", () => {
    const known = contents(task(1), task(2));
    expect(plan(known, [task(1)]).missing).toEqual([itemKey(1002)]);
    expect(plan(known, [task(1)], { complete: false }).missing).toEqual([]);
    expect(plan(known, []).missing).toHaveLength(2);
  });

  it("leaves an item alone when its row was written after the request left", () => {
    const before = contents(task(1), task(2), task(3));
    const written = task(1, { title: "Confirmed meanwhile" });
    const created = task(4);
    // Task 2 was deleted and task 4 created during the request.
    const known = contents(written, task(3), created);
    const result = plan(known, [task(1), task(2), task(3)], { before });
    expect(result).toMatchObject({ put: [], unchanged: 1, missing: [] });
  });

  it("holds an unknown item back when it looks like a creation under way", () => {
    const creations = () => [creation(task(null, { title: "New" }))];
    const result = plan(contents(), [task(7, { title: "New" }), task(8)], { creations });
    expect(result.heldBack.map(({ id }) => id)).toEqual([7]);
    expect(result.put.map(({ id }) => id)).toEqual([8]);
  });
});

describe("looksLike()", () => {
  const wish = task(null, { title: "New" });
  const made = (more: Partial<TaskItem> = {}) => task(7, { title: "New", ...more });
  const meeting = event(null, { title: "New" });
  const at = (hour: number, end: number | null): Partial<EventItem> => {
    const zoned = (value: number) =>
      Temporal.ZonedDateTime.from(`2026-05-20T${String(value).padStart(2, "0")}:00[Europe/Berlin]`);
    return { when: { kind: "times", start: zoned(hour), end: end === null ? null : zoned(end) } };
  };
  it.each([
    ["all is the same", creation(wish), made(), true],
    ["the title came back trimmed", creation(task(null, { title: " New " })), made(), true],
    [
      "the stamp has no seconds' parts",
      creation(wish),
      made({ createdAt: sentAt.subtract({ milliseconds: 700 }) }),
      true,
    ],
    [
      "it was made well before",
      creation(wish),
      made({ createdAt: sentAt.subtract({ seconds: 6 }) }),
      false,
    ],
    ["no stamp is known", creation(wish), made({ createdAt: null }), true],
    ["the title differs", creation(wish), made({ title: "Newer" }), false],
    ["the due date differs", creation(wish), made({ dueOn: null }), false],
    ["the start date differs", creation(wish), made({ startOn: day }), false],
    ["the list differs", creation(wish), made({ listId: listId(3) }), false],
    ["it is a subtask", creation(wish), made({ kind: "subtask", parentId: serviceId(5) }), false],
    ["it is an event", creation(wish), event(7, { title: "New" }), false],
    ["someone else made it", creation(wish), made({ byMe: false }), false],
    [
      "the editor's own key made it",
      creation(wish, { actor: personId(4) }),
      made({ byMe: false, creatorId: personId(4) }),
      true,
    ],
    ["nothing was sent yet", creation(wish, { sentAt: null }), made(), false],
    [
      "the service refused it",
      creation(wish, { state: "parked", parkReason: "refused" }),
      made(),
      false,
    ],
    [
      "its outcome is unknown",
      creation(wish, { state: "parked", parkReason: "unknown-outcome" }),
      made(),
      true,
    ],
    [
      "the patch changed the title",
      creation(wish, { patch: { title: "Patched" } }),
      made({ title: "Patched" }),
      true,
    ],
    ["it is the same event", creation(meeting), event(7, { title: "New" }), true],
    [
      "the event has other times",
      creation({ ...meeting, ...at(9, 10) }),
      event(7, { title: "New", ...at(9, 11) }),
      false,
    ],
    [
      "the event is in another project",
      creation(meeting),
      event(7, { title: "New", projectId: projectId(8) }),
      false,
    ],
    ["an event was wished and a task came", creation(meeting), made(), false],
  ] as const)("result when %s", (_what, edit, item, same) => {
    expect(looksLike(edit, item)).toBe(same);
  });
});
