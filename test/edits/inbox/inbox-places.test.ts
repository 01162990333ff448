import { expect, it } from "vitest";
import { listId, projectId } from "../../../src/domain/ids.ts";
import { anEvent, aProject, aTask, aTodolist } from "../../support/items.ts";
import { calendar, vevent, vtodo, withItem } from "../rig.ts";
import { born, inboxRig } from "./inbox-rig.ts";

it("a file in the root may change known items, and its new items are refused with advice", async () => {
  const { rig, uid } = withItem(inboxRig(), anEvent(1, { title: "Review" }));
  rig.drop("known.ics", calendar(vevent(uid, "SUMMARY:Moved")));
  rig.drop("both.ics", calendar(vevent(uid, "SUMMARY:Again"), vevent("n@x", "SUMMARY:New")));
  rig.drop("new.ics", born("new@example.com"));
  rig.drop("todo.ics", calendar(vtodo("todo@example.com", "SUMMARY:New task")));
  await rig.settle();

  expect(rig.files("done")).toEqual([
    "both.ics",
    "both.ics.report.txt",
    "known.ics",
    "known.ics.report.txt",
  ]);
  expect(rig.files("refused")).toContain("new.ics");
  expect(rig.files("refused")).toContain("todo.ics");
  for (const name of ["refused/new.ics", "refused/todo.ics", "done/both.ics"]) {
    expect(rig.report(name)).toContain("put it into a project's folder");
  }
  expect(rig.report("done/both.ics")).toContain("renamed Review to Again");
  expect(rig.edits()).toHaveLength(2);
});

it("a subtask of a known task may lie in the root", async () => {
  const rig = inboxRig();
  const parent = rig.put(aTask(7, { title: "Parent" }));
  rig.drop("sub.ics", calendar(vtodo("s@x", "SUMMARY:Below", `RELATED-TO:${parent}`)));
  await rig.settle();
  expect(rig.edits().map(({ base }) => base)).toMatchObject([{ kind: "subtask", parentId: 7 }]);
});

it("folders name project and list, by ID or by name", async () => {
  const rig = inboxRig();
  rig.store.directory.putTodolists(
    null,
    [aTodolist(3001, { title: "To do: Größe" }), aTodolist(3009, { projectId: projectId(2002) })],
    true,
  );
  const task = (uid: string) => calendar(vtodo(uid, `SUMMARY:${uid}`));
  rig.drop("2001/3001/a.ics", task("a"));
  rig.drop("Website/to-do-grosse/b.ics", task("b"));
  rig.drop("trade-fair/3009/c.ics", task("c"));
  rig.drop("2002/d.ics", born("d"));
  await rig.settle();
  const places = rig.edits().map(({ base }) => {
    return [base.projectId, base.kind === "event" ? null : base.listId];
  });
  expect(places).toEqual([
    [2001, 3001],
    [2002, null],
    [2001, listId(3001)],
    [2002, 3009],
  ]);
});

it.each([
  ["nowhere/x.ics", 'the folder "nowhere" names no project'],
  ["2009/x.ics", 'the folder "2009" names no project'],
  ["2001/3009/x.ics", 'the folder "3009" names no todolist'],
  ["2001/3001/deeper/x.ics", "no deeper ones"],
  ["twin/x.ics", "more than one project: use the number, 2003, 2004"],
  ["---/x.ics", "names no project"],
])("a file at %s is refused: %s", async (path, reason) => {
  const rig = inboxRig();
  rig.store.directory.putProjects(
    [aProject(2001, "Website"), aProject(2003, "Twin"), aProject(2004, "twin!")],
    true,
  );
  rig.drop(path, born("x@example.com"));
  await rig.settle();
  expect(rig.report(`refused/${path}`)).toContain(reason);
  expect(rig.edits()).toEqual([]);
});
