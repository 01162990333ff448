import { expect, it } from "vitest";
import { listId, projectId } from "../../../src/domain/ids.ts";
import { anEvent, aTask } from "../../support/items.ts";
import { acceptRig, calendar, codes, list, vevent, vtodo, wishes } from "../rig.ts";

const party = vevent("party@example.com", "SUMMARY:Party", "DTSTART;VALUE=DATE:20261224");
const chore = vtodo("chore@example.com", "SUMMARY:Chore", "DUE;VALUE=DATE:20261224");

it.each<[string, string, object, object]>([
  [
    "an all-day event",
    party,
    { kind: "event", title: "Party" },
    { title: "Party", when: { startOn: "2026-12-24", endOn: "2026-12-25" } },
  ],
  [
    "a timed event with all that fits",
    vevent(
      "call@example.com",
      "SUMMARY:Call",
      "DESCRIPTION:Dial in",
      "DTSTART:20261224T090000Z",
      "DTEND:20261224T100000Z",
      "CLASS:PRIVATE",
      "ATTENDEE:mailto:ana@example.com",
      "BEGIN:VALARM",
      "ACTION:DISPLAY",
      "TRIGGER:-PT10M",
      "END:VALARM",
    ),
    { kind: "event", title: "Call" },
    {
      title: "Call",
      description: "Dial in",
      when: { startAt: "2026-12-24T09:00:00Z", endAt: "2026-12-24T10:00:00Z" },
      reminder: 10,
      private: true,
      assigned: [11],
    },
  ],
  [
    "a milestone by category",
    vevent(
      "live@example.com",
      "SUMMARY:Live",
      "DTSTART;VALUE=DATE:20261224",
      "CATEGORIES:milestone",
    ),
    { kind: "milestone", title: "Live" },
    { title: "Live", milestone: true, when: { startOn: "2026-12-24", endOn: "2026-12-25" } },
  ],
  [
    "a completed milestone by its marks",
    vevent("live@example.com", "SUMMARY:✓ ◆ Live", "DTSTART;VALUE=DATE:20261224"),
    { kind: "milestone", title: "Live" },
    {
      title: "Live",
      milestone: true,
      completed: true,
      when: { startOn: "2026-12-24", endOn: "2026-12-25" },
    },
  ],
  ["a task", chore, { kind: "task", title: "Chore" }, { title: "Chore", dueOn: "2026-12-24" }],
  [
    "a completed task with labels",
    vtodo("chore@example.com", "SUMMARY:Chore", "STATUS:COMPLETED", "CATEGORIES:qa"),
    { kind: "task" },
    { title: "Chore", completed: true, labels: [53] },
  ],
])("creates %s under the calendar's own UID", (_name, component, expected, changes) => {
  const rig = acceptRig();
  const item = rig.one(calendar(component), { listId: list });
  expect(item).toMatchObject({ action: "create", problems: [], ...expected });
  expect(wishes(item)).toEqual(changes);
  const [edit] = rig.edits();
  expect(edit).toMatchObject({
    action: "create",
    state: "pending",
    base: { id: null },
    actor: 11,
  });
  expect(rig.store.view.findUid(item.uid)).toMatchObject({
    pending: true,
    item: { projectId: 2001 },
  });
  expect(rig.woken()).toBe(1);
});

it("creates a to-do below the task it names, wherever that is", () => {
  const rig = acceptRig();
  const there = { projectId: projectId(2002), listId: listId(3009) };
  const parent = rig.put(aTask(600, there));
  const item = rig.one(calendar(vtodo("sub@example.com", "SUMMARY:Sub", `RELATED-TO:${parent}`)));
  expect(item).toMatchObject({ action: "create", kind: "subtask", problems: [] });
  expect(rig.edits()[0]?.base).toMatchObject({ kind: "subtask", parentId: 600, ...there });
});

it("creates a task of its own, with a note, if the parent is unknown", () => {
  const rig = acceptRig();
  const file = calendar(vtodo("sub@example.com", "SUMMARY:Sub", "RELATED-TO:nobody@example.com"));
  const item = rig.one(file, { listId: list });
  expect(item).toMatchObject({ action: "create", kind: "task" });
  expect(codes(item)).toEqual(["not-stored"]);
});

it("creates labels if the policy allows it", () => {
  const rig = acceptRig({ labels: "create" });
  const file = calendar(vtodo("a@example.com", "SUMMARY:A", "CATEGORIES:Fresh,FRESH,Design"));
  const item = rig.one(file, { listId: list });
  expect(wishes(item)).toEqual({ title: "A", labels: [51, "FRESH"] });
  expect(rig.edits()[0]).toMatchObject({ newLabels: ["FRESH"] });
});

it.each<[string, string, string, object]>([
  ["no-list", "a task without a list", chore, {}],
  ["wrong-list", "a list of another project", chore, { listId: listId(3009) }],
  ["wrong-list", "a list that is not there", chore, { listId: listId(4711) }],
  ["no-start", "an event without a start", vevent("a@example.com", "SUMMARY:A"), {}],
  [
    "no-title",
    "an event without a title",
    vevent("a@example.com", "DTSTART;VALUE=DATE:20261224"),
    {},
  ],
  [
    "no-title",
    "an event with nothing but a mark",
    vevent("a@example.com", "SUMMARY:◆ (untitled)", "DTSTART;VALUE=DATE:20261224"),
    {},
  ],
  [
    "no-title",
    "a task without a title",
    vtodo("a@example.com", "DUE;VALUE=DATE:20261224"),
    { listId: list },
  ],
  [
    "task-time",
    "a task with a time",
    vtodo("a@example.com", "SUMMARY:A", "DUE:20261224T100000Z"),
    { listId: list },
  ],
  [
    "unknown-label",
    "an unknown label",
    vtodo("a@example.com", "SUMMARY:A", "CATEGORIES:Fresh"),
    { listId: list },
  ],
  [
    "not-completable",
    "a completed event",
    vevent("a@example.com", "SUMMARY:✓ A", "DTSTART;VALUE=DATE:20261224"),
    {},
  ],
  [
    "milestone-time",
    "a milestone with a time",
    vevent("a@example.com", "SUMMARY:◆ A", "DTSTART:20261224T100000Z"),
    {},
  ],
  [
    "milestone-days",
    "a milestone of two days",
    vevent("a@example.com", "SUMMARY:◆ A", "DTSTART;VALUE=DATE:20261224", "DURATION:P2D"),
    {},
  ],
  ["missing-uid", "an item without a UID", "BEGIN:VEVENT\r\nSUMMARY:A\r\nEND:VEVENT", {}],
  ["unknown-uid", "a deletion", vevent("a@example.com", "STATUS:CANCELLED"), {}],
])("refuses (%s) %s", (code, _name, component, request) => {
  const rig = acceptRig();
  const plan = rig.plan(calendar(component), request);
  expect(plan.items).toMatchObject([{ action: "refused", editId: null }]);
  expect(plan.errors[0]).toMatchObject({ code, line: 4, uid: plan.items[0]?.uid });
  expect(plan.errors[0]?.message).not.toBe("");
  expect(rig.edits()).toEqual([]);
  expect(rig.woken()).toBe(0);
});

it("creates tasks of their own, with a note, if the parent is no task or in a cycle", () => {
  const rig = acceptRig();
  const event = rig.put(anEvent(501));
  const sub = (uid: string, parent: string) => vtodo(uid, "SUMMARY:Sub", `RELATED-TO:${parent}`);
  const file = calendar(
    sub("event", event),
    sub("nobody", "nobody@example.com"),
    sub("ring-a", "ring-b"),
    sub("ring-b", "ring-a"),
  );
  const plan = rig.plan(file, { listId: list });
  expect(plan.items.map((item) => [item.action, ...codes(item)])).toEqual(
    Array.from({ length: 4 }, () => ["create", "not-stored"]),
  );
  expect(plan.items[2]?.problems[0]?.message).toContain("cycle");
});

it("an unknown UID of this installation counts as deleted", () => {
  const rig = acceptRig();
  const uid = `event-9@${rig.store.meta.installation}`;
  const item = rig.one(calendar(vevent(uid, "SUMMARY:Old", "DTSTART;VALUE=DATE:20261224")));
  expect(codes(item)).toEqual(["gone"]);
  expect(item.title).toBe("Old");
});
