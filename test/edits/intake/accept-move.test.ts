import { expect, it } from "vitest";
import {
  type ItemKey,
  itemKey,
  listId,
  personId,
  projectId,
  serviceId,
} from "../../../src/domain/ids.ts";
import { createAcceptMove } from "../../../src/edits/intake/accept-move.ts";
import { anEvent, aProject, aTask, aTodolist } from "../../support/items.ts";
import { acceptRig, calendar, type RigSetting, vtodo, withItem } from "../rig.ts";

function moving(setting: RigSetting = {}) {
  const rig = acceptRig(setting);
  const acceptMove = createAcceptMove(rig.deps);
  const keyOf = (uid: string): ItemKey => rig.store.mirror.findUid(uid)?.item ?? itemKey(99);
  return {
    ...rig,
    keyOf,
    /** The one item of the plan. */
    move(uid: string, project: number, list: number | null) {
      const accepted = acceptMove({
        channel: "caldav",
        actor: personId(11),
        item: keyOf(uid),
        projectId: projectId(project),
        listId: list === null ? null : listId(list),
      });
      if (accepted.kind !== "plan") throw new Error("refused as a whole");
      const [item, ...others] = accepted.items;
      if (!item || others.length > 0) throw new Error("a move is about one item");
      return { ...item, summary: accepted.summary, errors: accepted.errors };
    },
  };
}

it("a move edits the task's place, and everybody sees it at once", () => {
  const { rig, uid } = withItem(moving(), aTask(601));
  const before = rig.store.changes.latest();
  const planned = rig.move(uid, 2002, 3009);
  expect(planned).toMatchObject({
    uid,
    kind: "task",
    action: "update",
    title: "Task 601",
    changes: [{ field: "place", from: "Website: List 3001", to: "Trade fair: List 3009" }],
    problems: [],
    summary: { update: 1, refused: 0 },
    errors: [],
  });
  expect(rig.edits()).toMatchObject([
    {
      id: planned.editId,
      action: "update",
      channel: "caldav",
      actor: 11,
      state: "pending",
      base: { listId: 3001 },
      patch: { place: { projectId: 2002, listId: 3009 } },
    },
  ]);
  expect(rig.woken()).toBe(1);
  const viewed = rig.store.view.findUid(uid);
  expect(viewed).toMatchObject({ collection: "tasks:3009", item: { projectId: 2002 } });
  expect(rig.store.changes.since(before, 10)).toMatchObject([
    { collection: "tasks:3001", act: "bury", item: viewed?.key },
    { collection: "tasks:3009", act: "put", item: viewed?.key },
  ]);
});

it("an event moves to another project", () => {
  const { rig, uid } = withItem(moving(), anEvent(501));
  const { changes } = rig.move(uid, 2002, null);
  expect(changes).toEqual([{ field: "place", from: "Website", to: "Trade fair" }]);
  expect(rig.store.view.findUid(uid)?.collection).toBe("events:2002");
});

it("subtasks move with their task, and back if the move is discarded", () => {
  const { rig, uid } = withItem(moving(), aTask(601, { subtaskCount: 1 }));
  const below = { kind: "subtask", parentId: serviceId(601) } as const;
  const child = rig.put(aTask(602, below));
  const { editId } = rig.move(uid, 2002, 3009);
  const shown = () => rig.store.view.findUid(child);
  expect(shown()).toMatchObject({ collection: "tasks:3009", item: { projectId: 2002 } });
  // What is read below the old place meanwhile does not matter.
  rig.put(aTask(602, { ...below, title: "Renamed there" }));
  expect(shown()).toMatchObject({ collection: "tasks:3009", item: { title: "Renamed there" } });
  expect(editId && rig.store.journal.discard(editId)).toBe(true);
  expect(shown()).toMatchObject({ collection: "tasks:3001", item: { projectId: 2001 } });
  expect(rig.store.view.findUid(uid)?.collection).toBe("tasks:3001");
});

it("a move takes along a subtask that is not created yet", () => {
  const { rig, uid } = withItem(moving(), aTask(601));
  rig.send(calendar(vtodo("new@example.com", "SUMMARY:Child", `RELATED-TO:${uid}`)));
  rig.move(uid, 2002, 3009);
  expect(rig.store.view.findUid("new@example.com")?.collection).toBe("tasks:3009");
});

it("an item that is not created yet can be moved", () => {
  const rig = moving();
  rig.send(calendar(vtodo("new@example.com", "SUMMARY:New")), { listId: listId(3001) });
  expect(rig.move("new@example.com", 2001, 3002).action).toBe("update");
  expect(rig.store.view.findUid("new@example.com")?.collection).toBe("tasks:3002");
});

it("a move to the present place is no edit", () => {
  const { rig, uid } = withItem(moving(), aTask(601));
  expect(rig.move(uid, 2001, 3001)).toMatchObject({ action: "unchanged", editId: null });
  rig.move(uid, 2001, 3002);
  expect(rig.move(uid, 2001, 3002)).toMatchObject({ action: "unchanged", editId: null });
  expect(rig.edits()).toHaveLength(1);
});

it("in review mode, a move waits for approval once, and is not shown before", () => {
  const { rig, uid } = withItem(moving({ mode: "review" }), aTask(601));
  const first = rig.move(uid, 2001, 3002);
  const again = rig.move(uid, 2001, 3002);
  expect(again.editId).toBe(first.editId);
  expect(again.problems).toMatchObject([{ code: "waiting" }]);
  expect(rig.edits()).toMatchObject([{ state: "held" }]);
  expect(rig.store.view.findUid(uid)?.collection).toBe("tasks:3001");
  expect(rig.woken()).toBe(0);
});

it.each<[string, string, [number, number | null]]>([
  ["a subtask", "subtask-place", [2001, 3002]],
  ["an unknown project", "unknown-project", [2999, 3002]],
  ["an unknown list", "wrong-list", [2001, 3999]],
  ["a list of another project", "wrong-list", [2001, 3009]],
  ["a task without a list", "wrong-place", [2002, null]],
  ["an event in a list", "wrong-place", [2002, 3009]],
  ["an archived project", "archived", [2003, 3010]],
  ["an archived list", "archived", [2001, 3003]],
  ["what was deleted", "gone", [2001, 3002]],
])("refuses to move %s, and stores nothing", (what, code, [project, list]) => {
  const rig = moving();
  const { directory } = rig.store;
  directory.putProjects([{ ...aProject(2003, "Old"), archived: true }], false);
  directory.putTodolists(
    null,
    [aTodolist(3003, { archived: true }), aTodolist(3010, { projectId: projectId(2003) })],
    false,
  );
  const task = rig.put(aTask(601));
  const child = rig.put(aTask(602, { kind: "subtask", parentId: serviceId(601) }));
  const event = rig.put(anEvent(501));
  const gone = rig.put(aTask(603));
  rig.store.mirror.bury(rig.keyOf(gone));
  const uids: Readonly<Record<string, string>> = {
    "a subtask": child,
    "an event in a list": event,
    "what was deleted": gone,
  };
  const uid = uids[what] ?? task;
  expect(rig.move(uid, project, list)).toMatchObject({
    uid,
    action: "refused",
    editId: null,
    changes: [],
    problems: [{ code }],
    summary: { refused: 1 },
    errors: [{ code, uid }],
  });
  expect(rig.edits()).toEqual([]);
  expect(rig.woken()).toBe(0);
});

it("a move is rolled back with the transaction around it", () => {
  const { rig, uid } = withItem(moving(), aTask(601));
  expect(() =>
    rig.store.durably(() => {
      rig.move(uid, 2001, 3002);
      throw new Error("what belongs to it failed");
    }),
  ).toThrow("what belongs to it failed");
  expect(rig.edits()).toEqual([]);
  expect(rig.store.view.findUid(uid)?.collection).toBe("tasks:3001");
});
