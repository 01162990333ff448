import { describe, expect, it } from "vitest";
import type { ItemKind } from "../../src/domain/fields.ts";
import { uidOf } from "../../src/domain/identity.ts";
import { listId, personId, projectId, serviceId } from "../../src/domain/ids.ts";
import type { Project } from "../../src/domain/item.ts";
import { createRights } from "../../src/people/rights.ts";
import { anEvent, aProject, aTask, aTodolist } from "../support/items.ts";
import { handClock, testStore } from "../support/test-store.ts";

const ana = personId(11);
const ben = personId(12);
const website = projectId(2001);
const fair = projectId(2002);

function rig() {
  const store = testStore(handClock("2026-11-21T09:00:00Z"));
  const project = (id: number, members: readonly number[], archived = false): Project => ({
    ...aProject(id, `Project ${id}`),
    members: members.map(personId),
    archived,
  });
  store.directory.putProjects(
    [project(2001, [11]), project(2002, [12]), project(2003, []), project(2004, [], true)],
    true,
  );
  store.directory.putTodolists(
    null,
    [
      aTodolist(3001),
      aTodolist(3002, { private: true }),
      aTodolist(3003, { archived: true }),
      aTodolist(3004, { projectId: fair }),
    ],
    true,
  );
  const put = {
    event: (...given: Parameters<typeof anEvent>) => {
      const item = anEvent(...given);
      store.mirror.put(item, `events:${item.projectId}`);
    },
    task: (...given: Parameters<typeof aTask>) => {
      const item = aTask(...given);
      store.mirror.put(item, `tasks:${item.listId}`);
    },
  };
  const readOnly = new Set([personId(13)]);
  const uid = (kind: ItemKind, id: number) => uidOf(kind, serviceId(id), store.meta.installation);
  return { uid, store, put, rights: createRights({ store, readOnly }) };
}

describe("refusal()", () => {
  it.each([
    ["the own project", ana, 2001, null, true],
    ["a project of others", ana, 2002, null, false],
    ["a project without members", ana, 2003, null, true],
    ["an archived project", ana, 2004, null, false],
    ["an unknown project", ana, 2999, null, false],
    ["an open list", ana, 2001, 3001, true],
    ["an archived list", ana, 2001, 3003, false],
    ["a list of another project", ana, 2001, 3004, false],
    ["an unknown list", ana, 2001, 3999, false],
    ["a private list in which nothing is theirs", ana, 2001, 3002, false],
    ["the own project by who may only read", personId(13), 2003, null, false],
  ])("decides about new items in %s", (_what, person, project, list, may) => {
    const { rights } = rig();
    const destination = {
      projectId: projectId(project),
      listId: list === null ? null : listId(list),
    };
    expect(rights.refusal(person, destination) === null).toBe(may);
  });

  it("decides about a private list that contains an own item", () => {
    const { rights, put } = rig();
    put.task(1, { listId: listId(3002), assigned: [ana] });
    const destination = { projectId: website, listId: listId(3002) };
    expect(rights.refusal(ana, destination)).toBeNull();
  });

  it("uses the same words for hidden and missing items", () => {
    const { rights } = rig();
    const ask = (project: number, list: number | null) =>
      rights
        .refusal(ana, {
          projectId: projectId(project),
          listId: list === null ? null : listId(list),
        })
        ?.replaceAll(/\d{4}/g, "N");
    expect(ask(2002, null)).toBe(ask(2999, null));
    expect(ask(2001, 3002)).toBe(ask(2001, 3999));
    expect(ask(2001, 3004)).toBe(ask(2001, 3999));
  });
});

describe("mayLookAt()", () => {
  it("answers by visibility for items of all kinds, and for missing ones", () => {
    const { rights, put, uid } = rig();
    put.event(1);
    put.event(2, { projectId: fair, title: "Secret fair" });
    put.event(3, { private: true, creatorId: ben, title: "Secret" });
    put.event(4, { private: true, creatorId: ben, assigned: [ana] });
    put.task(5, { listId: listId(3002), creatorId: ben, title: "Secret task" });
    const may = (named: string) => rights.mayLookAt(ana, named);
    expect([uid("event", 1), uid("event", 4), "new@calendar"].map(may)).toEqual([true, true, true]);
    const hidden = [uid("event", 2), uid("event", 3), uid("task", 5), `field-7-${uid("task", 5)}`];
    expect(hidden.map(may)).toEqual([false, false, false, false]);
  });

  it("decides about another person's item that is gone or not yet created", () => {
    const { rights, put, store, uid } = rig();
    put.event(2, { projectId: fair });
    const key = store.mirror.findUid(uid("event", 2))?.item;
    if (!key) throw new Error("the event is not known");
    store.mirror.bury(key);
    const born = store.mirror.createIdentity("event", "born@calendar");
    store.journal.append({
      channel: "upload",
      actor: ben,
      item: born,
      action: "create",
      base: { ...anEvent(9, { projectId: fair }), id: null },
      patch: {},
      newLabels: [],
      state: "held",
    });
    expect(rights.mayLookAt(ana, uid("event", 2))).toBe(false);
    expect(rights.mayLookAt(ana, "born@calendar")).toBe(false);
    expect(rights.mayLookAt(ben, "born@calendar")).toBe(true);
  });
});
