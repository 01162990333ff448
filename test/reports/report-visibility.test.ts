import { describe, expect, it } from "vitest";
import { labelId, listId, personId, projectId, serviceId } from "../../src/domain/ids.ts";
import type { Item } from "../../src/domain/item.ts";
import { seesItem, type Viewer } from "../../src/domain/visibility.ts";
import { reports } from "../../src/reports/catalogue/catalogue.ts";
import { anEvent, aProject, aTask, aTodolist, days, zone } from "../support/items.ts";
import { readEverything, reportRig } from "./rig.ts";

const ana = personId(11);
const bo = personId(12);
const viewerOf = (person: typeof ana): Viewer => ({ kind: "person", person, name: "x", zone });
const titles = (rows: readonly { readonly title?: unknown }[]) =>
  rows.map(({ title }) => String(title)).toSorted();

/** Projects of Ana, of Bo, of everybody and an archived one; open, private and archived lists in each. */
function visibilityRig() {
  const rig = reportRig();
  const projects = [
    { ...aProject(2001, "Ana's"), members: [ana] },
    { ...aProject(2002, "Bo's"), members: [bo] },
    aProject(2003, "Everybody's"),
    { ...aProject(2004, "Old"), archived: true },
  ];
  rig.store.directory.putProjects(projects, true);
  const lists = projects.flatMap(({ id }) => [
    aTodolist(id * 10 + 1, { projectId: id }),
    aTodolist(id * 10 + 2, { projectId: id, private: true }),
    aTodolist(id * 10 + 3, { projectId: id, archived: true }),
  ]);
  rig.store.directory.putTodolists(null, lists, true);
  let next = 100;
  const items: Item[] = [];
  for (const { id } of projects) {
    for (const [creatorId, assigned] of [
      [null, []],
      [ana, []],
      [bo, [ana]],
      [bo, [bo]],
    ] as const) {
      const common = { projectId: projectId(id), creatorId, assigned };
      const dueOn = Temporal.PlainDate.from("2026-11-10");
      for (const item of [
        anEvent(next++, { ...common, when: days("2026-11-23"), milestone: true }),
        anEvent(next++, { ...common, when: days("2026-11-23"), private: true }),
        ...[1, 2, 3].map((nth) =>
          aTask(next++, { ...common, dueOn, listId: listId(id * 10 + nth), labels: [labelId(5)] }),
        ),
      ]) {
        const titled = { ...item, title: `Item ${item.id}` };
        rig.put(titled);
        items.push(titled);
      }
    }
  }
  const seenBy = (person: typeof ana) =>
    items.filter((item) =>
      seesItem(person, {
        item,
        project: rig.store.directory.project(item.projectId),
        list: item.kind === "event" ? null : rig.store.directory.todolist(item.listId),
      }),
    );
  return { ...rig, items, seenBy };
}

describe("a report for a person", () => {
  it("shows and counts exactly what that person may see, and the admin's everything", () => {
    const rig = visibilityRig();
    for (const person of [ana, bo]) {
      const seen = rig.seenBy(person);
      expect(seen.length).toBeGreaterThan(5);
      const viewer = viewerOf(person);
      expect(titles(rig.rows("items", {}, viewer))).toEqual(titles(seen));
      const tasks = seen.filter(({ kind }) => kind === "task");
      expect(titles(rig.rows("overdue", {}, viewer))).toEqual(titles(tasks));
      const count = (name: string) =>
        rig.rows(name, {}, viewer).reduce((sum, row) => sum + Number(row["items"]), 0);
      expect(count("labels")).toBe(tasks.length);
      expect(titles(rig.rows("changes", {}, viewer))).toEqual(titles(seen));
    }
    expect(rig.rows("items", {}, { kind: "admin", zone })).toHaveLength(rig.items.length);
  });

  it("shows the same of the past", () => {
    const rig = visibilityRig();
    readEverything(rig);
    rig.clock.advance({ hours: 2 });
    const asOf = rig.clock().subtract({ hours: 1 }).toString();
    for (const person of [ana, bo]) {
      const seen = titles(rig.seenBy(person));
      expect(titles(rig.rows("items", { asOf }, viewerOf(person)))).toEqual(seen);
      expect(titles(rig.rows("changes", { asOf }, viewerOf(person)))).toEqual(seen);
    }
  });

  it("does not reveal what an item was before it was hidden, nor that it disappeared", () => {
    const rig = visibilityRig();
    const event = (fields: object) => anEvent(900, { projectId: projectId(2003), ...fields });
    rig.put(event({ title: "Open talk" }));
    const told = () =>
      titles(rig.rows("changes", {}, viewerOf(ana))).filter((title) => /talk/.test(title));
    expect(told()).toEqual(["Open talk"]);
    rig.put(event({ title: "Secret talk", private: true, creatorId: bo }));
    expect(told()).toEqual([]);
    const secret = rig.rows("items").find(({ title }) => title === "Secret talk");
    const identity = rig.store.mirror.findUid(String(secret?.["uid"]));
    if (!identity) throw new Error("the talk is not mirrored");
    rig.store.mirror.bury(identity.item);
    expect(titles(rig.rows("changes")).filter((title) => /talk/.test(title))).toHaveLength(3);
    expect(told()).toEqual([]);
  });

  it("does not reveal what an item is in the workspace when only a waiting edit makes it public", () => {
    const rig = visibilityRig();
    const secret = { projectId: projectId(2003), title: "Secret talk", private: true } as const;
    rig.put(anEvent(900, { ...secret, creatorId: bo }));
    const item = rig.store.mirror.find("event", serviceId(900));
    const base = item && rig.store.view.get(item)?.item;
    if (!item || !base) throw new Error("the talk is not mirrored");
    rig.store.journal.append({
      ...{ channel: "upload", actor: bo, item, action: "update", base },
      ...{ patch: { title: "Open talk", private: false }, newLabels: [], state: "pending" },
    } as const);
    expect(JSON.stringify(rig.rows("changes"))).toContain("Secret talk → Open talk");
    expect(JSON.stringify(rig.rows("changes", {}, viewerOf(ana)))).not.toContain("Secret talk");
  });

  it("knows no project name hidden from that person", () => {
    const rig = visibilityRig();
    expect(rig.ask("items", { project: "Bo's" }, viewerOf(bo))).toMatchObject({ ok: true });
    const asked = rig.ask("items", { project: "Bo" }, viewerOf(ana));
    expect(asked).toMatchObject({ ok: false, failure: { kind: "usage" } });
    expect(JSON.stringify(asked)).not.toContain("2002");
  });

  it("can be made of every report, now and of the past", () => {
    const rig = visibilityRig();
    readEverything(rig);
    rig.clock.advance({ hours: 2 });
    for (const { name, takes } of reports) {
      const now = JSON.stringify(rig.report(name, {}, viewerOf(ana)));
      expect(now, name).not.toContain("Bo's");
      if (!takes.includes("as-of")) continue;
      const asOf = rig.clock().subtract({ hours: 1 }).toString();
      expect(JSON.stringify(rig.report(name, { asOf }, viewerOf(ana))), name).not.toContain("Bo's");
    }
  });
});
