import { describe, expect, it } from "vitest";
import { labelId, listId, personId, projectId } from "../../../src/domain/ids.ts";
import { aLabel, aPerson, aProject, aTodolist } from "../../support/items.ts";
import { storeRig } from "../rig.ts";

describe("directory", () => {
  it("putProjects() removes a project missing from a complete list, and still knows it by id", () => {
    const { store } = storeRig();
    const { directory } = store;
    directory.putProjects([aProject(1, "One"), aProject(2, "Two")], true);
    directory.putProjects([aProject(2, "Two")], true);
    expect(directory.projects()).toEqual([aProject(2, "Two")]);
    expect(directory.project(projectId(1))?.title).toBe("One");
    directory.putProjects([aProject(1, "One")], false);
    expect(directory.projects().map(({ id }) => id)).toEqual([1, 2]);
    expect(directory.project(projectId(9))).toBeNull();
  });

  it("putPeople() and putLabels() keep the names of what is gone", () => {
    const { store } = storeRig();
    const { directory } = store;
    directory.putPeople([aPerson(11, "Ana")], true);
    directory.putLabels([aLabel(51, "Design")], true);
    directory.putPeople([], true);
    directory.putLabels([], true);
    expect([directory.people(), directory.labels()]).toEqual([[], []]);
    expect(directory.personNames().get(personId(11))).toBe("Ana");
    expect(directory.labelNames().get(labelId(51))).toBe("Design");
  });

  it("putTodolists() keeps other projects' lists when one project's are complete", () => {
    const { store } = storeRig();
    const { directory } = store;
    const other = aTodolist(4001, { projectId: projectId(2002), private: true });
    directory.putTodolists(projectId(2001), [aTodolist(3001), aTodolist(3002)], true);
    directory.putTodolists(projectId(2002), [other], true);
    directory.putTodolists(projectId(2001), [aTodolist(3002)], true);
    expect(directory.todolists()).toEqual([aTodolist(3002), other]);
    expect(directory.todolist(listId(3001))).toEqual(aTodolist(3001));
    expect(directory.todolist(listId(1))).toBeNull();
    directory.putTodolists(null, [aTodolist(3001)], true);
    expect(directory.todolists()).toEqual([aTodolist(3001)]);
  });

  it("put…() makes no revision when nothing changed", () => {
    const { store } = storeRig();
    const { directory } = store;
    const member = (ids: readonly number[]) => ({
      ...aProject(1, "One"),
      members: ids.map(personId),
    });
    const put = (members: readonly number[]) => {
      directory.putProjects([member(members)], true);
      directory.putPeople(
        [{ ...aPerson(11, "Ana"), email: "ana@example.com", timeZone: "Europe/Lisbon" }],
        true,
      );
      directory.putTodolists(null, [aTodolist(3001)], true);
      directory.putLabels([aLabel(51, "Design")], true);
    };
    put([11, 12]);
    const latest = store.changes.latest();
    put([12, 11]);
    expect(store.changes.latest()).toBe(latest);
    directory.putPeople([{ ...aPerson(11, "Ana"), suspended: true }], false);
    expect(store.changes.latest()).toBe(latest + 1);
    expect(directory.people()).toMatchObject([{ suspended: true, email: null }]);
  });
});
