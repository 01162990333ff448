import { describe, expect, it } from "vitest";
import { listId, personId, serviceId } from "../../../src/domain/ids.ts";
import { calendarsOf } from "../../calendars/rig.ts";
import { vtodo } from "../../edits/rig.ts";
import { aLabel, aTask } from "../../support/items.ts";
import {
  chore,
  events,
  object,
  party,
  root,
  tasks,
  twoListsRig,
  uidOf,
  withMember,
} from "./object-rig.ts";

// An edit that waits for approval is visible to the person whose program sent it, on all their devices, and to nobody
// else. If discarded, everything is as before; if approved, all see it.

const near = `${root}/tasks-3003`;
const ben = (path: string) => path.replace("/11", "/12");
const asNew = { "if-none-match": "*" };

function heldRig() {
  const rig = twoListsRig({ mode: "review" });
  const held = () => rig.store.journal.list({ state: "held", limit: 99 }).map(({ id }) => id);
  return {
    ...rig,
    held,
    move: (from: string, to: string) => rig.ask("MOVE", from, { headers: { destination: to } }),
    approve() {
      for (const id of held().toReversed()) expect(rig.store.journal.resume(id)).toBe(true);
    },
    discard() {
      for (const id of held()) expect(rig.store.journal.discard(id)).toBe(true);
    },
    /** What Ben reads at Ana's address. */
    bens: (path: string) => {
      const { status, body } = rig.ask("GET", ben(path), { person: 12 });
      return status === 200 ? String(body) : status;
    },
  };
}

it("octets that withdraw a held change are reported to all who see the item", () => {
  const { rig, path } = withMember(heldRig(), aTask(601));
  const done = rig.text(path).replace("STATUS:NEEDS-ACTION", "STATUS:COMPLETED");
  const put = (body: string) => rig.ask("PUT", path, { body }).status;
  const token = rig.token("tasks-3001", 12);
  const before = rig.bens(path);
  expect(put(done)).toBe(204);
  expect(rig.since("tasks-3001", token, 12).put).toEqual([]);
  expect(put(done.replace("STATUS:COMPLETED", "STATUS:NEEDS-ACTION\r\nCOLOR:red"))).toBe(204);
  expect(rig.bens(path)).not.toBe(before);
  expect(rig.since("tasks-3001", token, 12).put).toEqual([`${uidOf(path)}.ics`]);
});

it("a creation that replaces another keeps its SEQUENCE, which a renamed label has raised", () => {
  const rig = heldRig();
  const name = (label: string) => rig.store.directory.putLabels([aLabel(51, label)], true);
  name("Design");
  const path = `${tasks}/a.ics`;
  const sequence = () => Number(/^SEQUENCE:(\d+)/m.exec(rig.text(path))?.[1]);
  expect(rig.put(path, vtodo("a", "SUMMARY:New", "CATEGORIES:Design"), asNew).status).toBe(201);
  name("Art");
  const shown = sequence();
  expect(shown).toBeGreaterThan(0);
  rig.plan(object(vtodo("a", "SUMMARY:Newer", "CATEGORIES:Art")), { listId: listId(3001) });
  expect(rig.edits()).toMatchObject([{ state: "discarded" }, { action: "create", state: "held" }]);
  rig.approve();
  expect(rig.text(path)).toContain("SUMMARY:Newer");
  expect(sequence()).toBeGreaterThanOrEqual(shown);
});

it("octets of an approved change are reported to all, even if somebody has made the same change since", () => {
  const { rig, path } = withMember(heldRig(), aTask(601, { title: "Chore" }));
  const body = rig.text(path).replace("SUMMARY:Chore", "SUMMARY:Work\r\nCOLOR:red");
  rig.ask("PUT", path, { body });
  rig.member(aTask(601, { title: "Work" }));
  const token = rig.token("tasks-3001", 12);
  const before = rig.bens(path);
  rig.approve();
  expect(rig.bens(path)).not.toBe(before);
  expect(rig.since("tasks-3001", token, 12).put).toEqual([`${uidOf(path)}.ics`]);
});

describe("SEQUENCE of a held change", () => {
  const sequenceIn = (text: unknown) => Number(/^SEQUENCE:(\d+)/m.exec(String(text))?.[1]);

  function changed(rig: ReturnType<typeof heldRig>, by: number) {
    const path = rig.member(aTask(601, { title: "Chore" }));
    const body = rig
      .text(path)
      .replace("SUMMARY:Chore", "SUMMARY:Held")
      .replace("SEQUENCE:0", `SEQUENCE:${by}`);
    rig.clock.advance({ seconds: 9 });
    const headers = { "if-match": rig.etag(path) };
    expect(rig.ask("PUT", path, { body, headers }).status).toBe(204);
    rig.clock.advance({ seconds: 9 });
    return path;
  }

  it.each([0, 3])("never falls if it is approved after others have changed the item: %i", (by) => {
    const rig = heldRig();
    const path = changed(rig, by);
    for (const title of ["One", "Two", "Chore"]) rig.member(aTask(601, { title }));
    const before = Math.max(...[rig.text(path), rig.bens(path)].map(sequenceIn));
    rig.approve();
    expect(rig.text(path)).toContain("SUMMARY:Held");
    expect(sequenceIn(rig.bens(path))).toBeGreaterThanOrEqual(before);
  });

  it("never falls if the editor's octets are older than what others see", () => {
    const rig = heldRig();
    const path = changed(rig, 0);
    for (const title of ["One", "Two", "Chore"]) rig.member(aTask(601, { title }));
    const before = sequenceIn(rig.bens(path));
    rig.clock.advance({ seconds: 9 });
    const again = rig.text(path).replace("SUMMARY:Held", "SUMMARY:Held again");
    const body = again.replace(/SEQUENCE:\d+/, "SEQUENCE:0");
    const headers = { "if-match": rig.etag(path) };
    expect(rig.ask("PUT", path, { body, headers }).status).toBe(204);
    rig.clock.advance({ seconds: 9 });
    rig.approve();
    expect(rig.text(path)).toContain("SUMMARY:Held again");
    expect(sequenceIn(rig.bens(path))).toBeGreaterThanOrEqual(before);
  });

  it("never falls if another program has raised it further", () => {
    const rig = heldRig();
    const path = changed(rig, 0);
    const raised = rig
      .bens(path)
      .toString()
      .replace(/SEQUENCE:\d+/, "SEQUENCE:9");
    const body = raised.replace("END:VTODO", "LOCATION:Shed\r\nEND:VTODO");
    expect(rig.ask("PUT", ben(path), { body, person: 12 }).status).toBe(204);
    expect(sequenceIn(rig.bens(path))).toBe(9);
    rig.clock.advance({ seconds: 9 });
    rig.approve();
    expect(rig.bens(path)).toContain("SUMMARY:Held");
    expect(sequenceIn(rig.bens(path))).toBeGreaterThanOrEqual(9);
  });

  it("never falls if its editor withdraws it after another program has raised it", () => {
    const rig = heldRig();
    const path = changed(rig, 0);
    const body = String(rig.bens(path))
      .replace(/SEQUENCE:\d+/, "SEQUENCE:9")
      .replace("END:VTODO", "LOCATION:Shed\r\nEND:VTODO");
    expect(rig.ask("PUT", ben(path), { body, person: 12 }).status).toBe(204);
    rig.clock.advance({ seconds: 9 });
    const back = {
      body: rig.text(path).replace("SUMMARY:Held", "SUMMARY:Chore"),
      headers: { "if-match": rig.etag(path) },
    };
    expect(rig.ask("PUT", path, back).status).toBe(204);
    expect(rig.bens(path)).toContain("SUMMARY:Chore");
    expect(sequenceIn(rig.bens(path))).toBeGreaterThanOrEqual(9);
  });

  it("does not fall for its editor if others revert their change", () => {
    const rig = heldRig();
    const path = changed(rig, 0);
    rig.member(aTask(601, { title: "Chore", completed: true }));
    const before = sequenceIn(rig.text(path));
    rig.clock.advance({ seconds: 9 });
    rig.member(aTask(601, { title: "Chore" }));
    expect(rig.text(path)).toContain("STATUS:NEEDS-ACTION");
    expect(sequenceIn(rig.text(path))).toBeGreaterThan(before);
  });

  it("does not fall for its editor if it is discarded, and all are notified", () => {
    const rig = heldRig();
    const path = changed(rig, 3);
    expect(sequenceIn(rig.text(path))).toBe(3);
    const token = rig.token("tasks-3001");
    rig.discard();
    expect(rig.text(path)).toContain("SUMMARY:Chore");
    expect([rig.text(path), rig.bens(path)].map(sequenceIn)).toEqual([3, 3]);
    expect(rig.since("tasks-3001", token).put).toEqual([`${uidOf(path)}.ics`]);
  });
});

describe("a held deletion", () => {
  it("is reported to its sender as gone, and as present again if it is discarded", () => {
    const { rig, path } = withMember(heldRig(), aTask(601));
    const name = `${uidOf(path)}.ics`;
    const before = rig.text(path);
    const tokens = [rig.token("tasks-3001")];
    expect(rig.ask("DELETE", path, { headers: { "if-match": rig.etag(path) } }).status).toBe(204);
    expect(rig.since("tasks-3001", tokens[0] ?? "")).toEqual({ put: [], buried: [name] });
    expect(rig.names("tasks-3001")).toEqual([]);
    expect(rig.bens(path)).toBe(before);
    tokens.push(rig.token("tasks-3001"));
    rig.discard();
    expect(rig.since("tasks-3001", tokens[1] ?? "")).toEqual({ put: [name], buried: [] });
    expect(rig.text(path)).toBe(before);
  });

  it("is gone for all once it is approved", () => {
    const { rig, path } = withMember(heldRig(), aTask(601));
    rig.ask("DELETE", path);
    rig.approve();
    expect([rig.get(path).status, rig.bens(path)]).toEqual([404, 404]);
  });

  it("removes the subtasks, and brings them back", () => {
    const { rig, path } = withMember(heldRig(), aTask(601));
    rig.member(aTask(602, { kind: "subtask", parentId: serviceId(601) }));
    const names = rig.names("tasks-3001");
    const token = rig.token("tasks-3001");
    rig.ask("DELETE", path);
    expect(rig.names("tasks-3001")).toEqual([]);
    expect(rig.names("tasks-3001", 12)).toEqual(names);
    expect(rig.since("tasks-3001", token).buried.toSorted()).toEqual(names.toSorted());
    const later = rig.token("tasks-3001");
    rig.discard();
    expect(rig.names("tasks-3001")).toEqual(names);
    expect(rig.since("tasks-3001", later).put.toSorted()).toEqual(names.toSorted());
  });

  it("brings back subtasks that somebody has added meanwhile", () => {
    const { rig, path } = withMember(heldRig(), aTask(601));
    rig.move(path, `${near}/a.ics`);
    const below = rig.member(aTask(602, { kind: "subtask", parentId: serviceId(601) }));
    const token = rig.token("tasks-3003");
    expect(rig.names("tasks-3003")).toContain(`${uidOf(below)}.ics`);
    rig.discard();
    expect(rig.names("tasks-3003")).toEqual([]);
    expect(rig.since("tasks-3003", token).buried).toContain(`${uidOf(below)}.ics`);
  });

  it("reports subtasks as gone even if their task was recreated with another ID", () => {
    const { rig, path } = withMember(heldRig(), aTask(601));
    rig.move(path, `${near}/a.ics`);
    const below = rig.member(aTask(602, { kind: "subtask", parentId: serviceId(601) }));
    const token = rig.token("tasks-3003");
    const { item } = rig.store.mirror.findUid(uidOf(path)) ?? {};
    const under = rig.store.mirror.findUid(uidOf(below))?.item;
    if (item === undefined || under === undefined) throw new Error("the tasks are not known");
    rig.discard();
    rig.store.mirror.bury(under);
    rig.store.mirror.clearServiceId(item, "task");
    expect(rig.since("tasks-3003", token).buried).toContain(`${uidOf(below)}.ics`);
  });

  it.each(["task", "subtask"])(
    "shows what others do to the %s in the calendar where it waits",
    (kind) => {
      const { rig, path } = withMember(heldRig(), aTask(601));
      const below = rig.member(aTask(602, { kind: "subtask", parentId: serviceId(601) }));
      rig.move(path, `${near}/a.ics`);
      const name = kind === "task" ? "a.ics" : `${uidOf(below)}.ics`;
      const changed =
        kind === "task"
          ? aTask(601, { title: "Other" })
          : aTask(602, { kind: "subtask", parentId: serviceId(601), title: "Other" });
      const first = rig.token("tasks-3003");
      rig.member(changed);
      expect(rig.since("tasks-3003", first).put).toContain(name);
      const second = rig.token("tasks-3003");
      rig.store.mirror.bury(rig.store.mirror.find(changed.kind, changed.id) as never);
      expect(rig.names("tasks-3003")).not.toContain(name);
      expect(rig.since("tasks-3003", second).buried).toContain(name);
    },
  );

  it("brings the subtasks back if it is approved but refused by the service", () => {
    const { rig, path } = withMember(heldRig(), aTask(601));
    rig.member(aTask(602, { kind: "subtask", parentId: serviceId(601) }));
    const names = rig.names("tasks-3001");
    rig.ask("DELETE", path);
    const [deletion] = rig.held();
    const token = rig.token("tasks-3001");
    rig.approve();
    const later = rig.token("tasks-3001");
    const told = rig.since("tasks-3001", token).put;
    if (deletion) rig.store.journal.discard(deletion);
    expect(rig.names("tasks-3001")).toEqual(names);
    expect([...told, ...rig.since("tasks-3001", later).put].toSorted()).toEqual(names.toSorted());
  });

  it("is withdrawn by a PUT of the same UID, under the new name", () => {
    const { rig, path } = withMember(heldRig(), aTask(601));
    const uid = uidOf(path);
    rig.ask("DELETE", path);
    const again = rig.put(path, vtodo(uid, "SUMMARY:Task 601"), asNew);
    expect(again.status).toBe(201);
    expect(rig.edits()).toMatchObject([{ action: "delete", state: "discarded" }]);
    rig.ask("DELETE", path);
    expect(rig.put(`${tasks}/b.ics`, vtodo(uid, "SUMMARY:Back"), asNew).status).toBe(201);
    expect(rig.names("tasks-3001")).toEqual(["b.ics"]);
    expect(rig.text(`${tasks}/b.ics`)).toContain("SUMMARY:Back");
    expect(rig.held()).toHaveLength(1);
  });

  it("remains if the replacing PUT is refused", () => {
    const { rig, path } = withMember(heldRig(), aTask(601));
    rig.ask("DELETE", path);
    expect(rig.put(path, vtodo(uidOf(path), "RRULE:FREQ=DAILY")).status).toBe(409);
    expect(rig.held()).toHaveLength(1);
    expect(rig.get(path).status).toBe(404);
  });

  it("survives a restart, and is gone from every list of its sender", () => {
    const { rig, path } = withMember(heldRig(), aTask(601, { assigned: [personId(11)] }));
    const token = rig.token("assigned");
    rig.ask("DELETE", path);
    expect(rig.since("assigned", token).buried).toEqual([`${uidOf(path)}.ics`]);
    const again = calendarsOf(rig.store);
    for (const slug of ["tasks-3001", "assigned"]) {
      const calendar = again.find(personId(11), slug);
      expect(calendar && again.objects(calendar)).toEqual([]);
    }
  });

  it("changes the ctag of each calendar that contained it", () => {
    const { rig, path } = withMember(heldRig(), aTask(601, { assigned: [personId(11)] }));
    const ctags = () =>
      ["tasks-3001", "assigned"].map((slug) => {
        const calendar = rig.calendars.find(personId(11), slug);
        return calendar && rig.calendars.ctag(calendar);
      });
    const seen = [ctags()];
    rig.ask("DELETE", path);
    seen.push(ctags());
    rig.discard();
    seen.push(ctags());
    for (const at of [0, 1]) expect(new Set(seen.map((each) => each[at])).size).toBe(3);
  });
});

describe("a held change", () => {
  it.each([
    ["the program that has made it", "Tasks/1"],
    ["another program of its person", "Other/2"],
  ])("is withdrawn, without a condition, by %s", (_who, agent) => {
    const { rig, path } = withMember(heldRig(), aTask(601, { title: "Chore" }));
    const put = (body: string, by: string) =>
      rig.ask("PUT", path, {
        body,
        headers: { "user-agent": by },
      });
    const first = rig.text(path);
    const done = first
      .replace("STATUS:NEEDS-ACTION", "STATUS:COMPLETED")
      .replace("SUMMARY:Chore", "SUMMARY:Held");
    put(done, "Tasks/1");
    rig.clock.advance({ seconds: 9 });
    expect(rig.text(path)).toBe(done);
    put(done.replace("STATUS:COMPLETED", "STATUS:NEEDS-ACTION"), agent);
    expect(rig.text(path)).toContain("STATUS:NEEDS-ACTION");
    rig.approve();
    expect(rig.itemOf(uidOf(path))).toMatchObject({ title: "Held", completed: false });
  });

  it("is gone if the creation is withdrawn", () => {
    const rig = heldRig();
    const { journal } = rig.store;
    rig.ask("PUT", ben(`${tasks}/chore.ics`), { body: object(chore()), person: 12 });
    rig.approve();
    rig.put(`${near}/chore.ics`, chore("DESCRIPTION:Mine"), asNew);
    const token = rig.token("tasks-3003");
    expect(rig.names("tasks-3003")).toEqual(["chore.ics"]);
    rig.ask("DELETE", ben(`${tasks}/chore.ics`), { person: 12 });
    const [creation] = rig.edits();
    const deletion = rig.edits().find(({ action }) => action === "delete");
    if (!creation || !deletion) throw new Error("an edit is missing");
    expect(journal.resume(deletion.id)).toBe(true);
    journal.withdraw(creation, deletion);
    expect(rig.names("tasks-3003")).toEqual([]);
    expect(rig.since("tasks-3003", token).buried).toEqual(["chore.ics"]);
  });

  const mine = (uid: string, ...lines: readonly string[]) =>
    vtodo(uid, "SUMMARY:Mine", "LOCATION:Shed", ...lines);

  it("is confirmed and shown to its sender as sent", () => {
    const { rig, path } = withMember(heldRig(), aTask(601, { dueOn: null }));
    const before = rig.text(path);
    const token = rig.token("tasks-3001");
    const answer = rig.put(path, mine(uidOf(path)), { "if-match": rig.etag(path) });
    expect(answer).toEqual({ status: 204, headers: { ETag: rig.etag(path) } });
    expect(rig.text(path)).toBe(object(mine(uidOf(path))));
    expect(rig.since("tasks-3001", token).put).toEqual([`${uidOf(path)}.ics`]);
    expect(rig.bens(path)).toBe(before);
    expect(rig.itemOf(uidOf(path))).toMatchObject({ title: "Task 601" });
  });

  it("is shown to all as sent if it is approved, and to nobody if it is discarded", () => {
    for (const isApproved of [true, false]) {
      const { rig, path } = withMember(heldRig(), aTask(601, { dueOn: null }));
      const before = rig.text(path);
      rig.put(path, mine(uidOf(path)), { "if-match": rig.etag(path) });
      const etag = rig.etag(path);
      const token = rig.token("tasks-3001");
      if (isApproved) rig.approve();
      else rig.discard();
      expect(rig.etag(path) === etag).toBe(isApproved);
      const expected = isApproved ? object(mine(uidOf(path))) : before;
      expect([rig.text(path), rig.bens(path)]).toEqual([expected, expected]);
      expect(rig.since("tasks-3001", token).put).toEqual([`${uidOf(path)}.ics`]);
    }
  });

  it("is the base of later edits", () => {
    const { rig, path } = withMember(heldRig(), aTask(601, { dueOn: null }));
    const uid = uidOf(path);
    rig.put(path, mine(uid), { "if-match": rig.etag(path) });
    const next = mine(uid, "DESCRIPTION:More");
    expect(rig.put(path, next, { "if-match": rig.etag(path) }).headers?.["ETag"]).toBe(
      rig.etag(path),
    );
    expect(rig.store.journal.heldBy(personId(11))).toMatchObject([
      { base: { title: "Task 601" }, patch: { title: "Mine", description: "More" } },
    ]);
    rig.put(path, mine(uid).replace("Mine", "Task 601"), { "if-match": rig.etag(path) });
    expect(rig.held()).toEqual([]);
    for (const { state, problem } of rig.edits()) {
      expect([state, problem]).toEqual(["discarded", expect.stringMatching(/\S/)]);
    }
    expect(rig.text(path)).toContain("LOCATION:Shed");
  });

  it("is merged into octets that another device sends without it", () => {
    const { rig, path } = withMember(heldRig(), aTask(601));
    const old = rig.text(path);
    rig.put(path, mine(uidOf(path)), { "if-match": rig.etag(path) });
    const body = old.replace("END:VTODO", "LOCATION:Attic\r\nEND:VTODO");
    expect(rig.ask("PUT", path, { body })).toEqual({ status: 204 });
    expect(rig.text(path)).toContain("SUMMARY:Mine");
    expect(rig.text(path)).toContain("LOCATION:Attic");
    expect(rig.ask("PUT", `${near}/m.ics`, { body: old }).status).toBe(201);
    expect(rig.text(`${near}/m.ics`)).toContain("SUMMARY:Mine");
  });

  it("is part of what another device has loaded, and leaves it if it is not carried out", () => {
    const { rig, path } = withMember(heldRig(), aTask(601));
    const first = rig.text(path).replace("SUMMARY:Task 601", "SUMMARY:Mine");
    rig.ask("PUT", path, { body: first });
    const body = rig.text(path).replace("END:VTODO", "DESCRIPTION:More\r\nEND:VTODO");
    rig.ask("PUT", path, { body, headers: { "user-agent": "Other/1" } });
    expect(rig.text(path)).toBe(body);
    rig.approve();
    expect(rig.bens(path)).toBe(body);
    for (const { id } of rig.edits()) rig.store.journal.discard(id);
    expect(rig.bens(path)).not.toMatch(/Mine|More/);
  });

  it("does not wait twice if it is put twice", () => {
    const { rig, path } = withMember(heldRig(), aTask(601));
    for (const _ of [1, 2]) rig.put(path, mine(uidOf(path)));
    expect(rig.edits()).toHaveLength(1);
  });

  it("waits beside the same change by someone else", () => {
    const { rig, path } = withMember(heldRig(), aTask(601, { dueOn: null }));
    rig.put(path, mine(uidOf(path)));
    const body = object(mine(uidOf(path)));
    expect(rig.ask("PUT", ben(path), { body, person: 12 }).status).toBe(204);
    expect(rig.bens(path)).toBe(body);
    expect(rig.held()).toHaveLength(2);
  });

  it("may be followed by a deletion, which remains if it is discarded", () => {
    const { rig, path } = withMember(heldRig(), aTask(601));
    rig.put(path, mine(uidOf(path)));
    expect(rig.ask("DELETE", path).status).toBe(204);
    expect(rig.get(path).status).toBe(404);
    const [deletion] = rig.held();
    if (deletion) rig.store.journal.discard(deletion);
    expect(rig.text(path)).toContain("SUMMARY:Mine");
  });
});

it("held edits of two people are shown to both once they are approved", () => {
  const { rig, path } = withMember(heldRig(), aTask(601));
  const text = rig.text(path);
  const described = text.replace("END:VTODO", "DESCRIPTION:By Ana\r\nEND:VTODO");
  expect(rig.ask("PUT", path, { body: described }).status).toBe(204);
  expect(rig.text(path)).toContain("DESCRIPTION:By Ana");
  const named = text.replace("SUMMARY:Task 601", "SUMMARY:By Ben");
  expect(rig.ask("PUT", ben(path), { body: named, person: 12 }).status).toBe(204);
  rig.approve();
  for (const shown of [rig.text(path), String(rig.bens(path))]) {
    expect(shown).toContain("SUMMARY:By Ben");
    expect(shown).toContain("DESCRIPTION:By Ana");
  }
});

describe("a held creation", () => {
  it("is visible only to its sender, and to all under its name once it is approved", () => {
    const rig = heldRig();
    const path = `${events}/p.ics`;
    const token = rig.token("events-2001");
    const answer = rig.put(path, party, asNew);
    expect(answer).toMatchObject({ status: 201, headers: { ETag: rig.etag(path) } });
    expect(rig.text(path)).toBe(object(party));
    expect(rig.bens(path)).toBe(404);
    expect(rig.since("events-2001", token)).toEqual({ put: ["p.ics"], buried: [] });
    const etag = rig.etag(path);
    rig.approve();
    expect(rig.bens(path)).toBe(object(party));
    expect([rig.etag(path), rig.names("events-2001")]).toEqual([etag, ["p.ics"]]);
  });

  it("keeps its name for all if an upload replaces it and is approved", () => {
    const rig = heldRig();
    rig.put(`${events}/p.ics`, party, asNew);
    rig.send(object(party.replace("SUMMARY:Party", "SUMMARY:Feast")), { actor: personId(11) });
    rig.approve();
    expect(rig.names("events-2001", 12)).toEqual(["p.ics"]);
    const key = rig.store.view.findUid("party@example.com")?.key;
    const names = key === undefined ? [] : rig.store.objectNames.all(key);
    expect(names.at(-1)).toMatchObject({ name: "p.ics", person: null });
  });

  it("is reported as gone if it is discarded, and can be put again", () => {
    const rig = heldRig();
    rig.put(`${events}/p.ics`, party, asNew);
    const token = rig.token("events-2001");
    rig.discard();
    expect(rig.since("events-2001", token)).toEqual({ put: [], buried: ["p.ics"] });
    expect(rig.put(`${events}/p.ics`, party, asNew).status).toBe(201);
  });

  it("can be changed, renamed and deleted by its sender", () => {
    const rig = heldRig();
    const path = `${events}/p.ics`;
    rig.put(path, party, asNew);
    const feast = party.replace("SUMMARY:Party", "SUMMARY:Feast");
    expect(rig.put(path, feast, { "if-match": rig.etag(path) }).headers?.["ETag"]).toBe(
      rig.etag(path),
    );
    expect(rig.text(path)).toBe(object(feast));
    expect(rig.store.journal.heldBy(personId(11))).toMatchObject([{ patch: { title: "Feast" } }]);
    expect(rig.move(path, `${events}/q.ics`).status).toBe(201);
    expect(rig.names("events-2001")).toEqual(["q.ics"]);
    expect(rig.text(`${events}/q.ics`)).toBe(object(feast));
    const token = rig.token("events-2001");
    expect(rig.ask("DELETE", `${events}/q.ics`).status).toBe(204);
    expect(rig.held()).toEqual([]);
    expect(rig.since("events-2001", token).buried).toContain("q.ics");
  });

  it("keeps its UID for itself", () => {
    const rig = heldRig();
    rig.put(`${tasks}/c.ics`, chore(), asNew);
    const body = object(chore());
    const answer = rig.ask("PUT", ben(`${tasks}/c.ics`), { body, person: 12 });
    expect(answer.status).toBe(409);
    expect(rig.text(`${tasks}/c.ics`)).toBe(body);
  });
});

describe.each<[string, (rig: ReturnType<typeof heldRig>, path: string) => number]>([
  ["MOVE", (rig, path) => rig.move(path, `${near}/m.ics`).status],
  ["PUT", (rig, path) => rig.put(`${near}/m.ics`, vtodo(uidOf(path), "SUMMARY:Task 601")).status],
])("a held %s to another calendar", (_way, go) => {
  function moved() {
    const { rig, path } = withMember(heldRig(), aTask(601));
    rig.member(aTask(602, { kind: "subtask", parentId: serviceId(601) }));
    const tokens = [rig.token("tasks-3001"), rig.token("tasks-3003")] as const;
    expect(go(rig, path)).toBe(201);
    return { rig, path, tokens, name: `${uidOf(path)}.ics` };
  }

  it("is shown to its sender there, with everything below the item", () => {
    const { rig, path, tokens, name } = moved();
    expect(rig.get(path).status).toBe(404);
    expect(rig.text(`${near}/m.ics`)).toContain("SUMMARY:Task 601");
    expect(rig.names("tasks-3001")).toEqual([]);
    expect(rig.names("tasks-3003")).toHaveLength(2);
    expect(rig.names("tasks-3001", 12)).toHaveLength(2);
    expect(rig.since("tasks-3001", tokens[0]).buried).toContain(name);
    expect(rig.since("tasks-3003", tokens[1]).put).toContain("m.ics");
  });

  it.each(["before", "after"])("keeps a change of a subtask that was made %s it", (when) => {
    const { rig, path } = withMember(heldRig(), aTask(601));
    const below = rig.member(aTask(602, { kind: "subtask", parentId: serviceId(601) }));
    const name = `${uidOf(below)}.ics`;
    const change = (at: string) => {
      const body = rig.text(at).replace("SUMMARY:Task 602", "SUMMARY:Mine\r\nCOLOR:red");
      return rig.ask("PUT", at, {
        body: body.replace(/^SEQUENCE:\d+/m, "SEQUENCE:7"),
      }).status;
    };
    if (when === "before") expect(change(below)).toBe(204);
    expect(go(rig, path)).toBe(201);
    if (when === "after") expect(change(`${near}/${name}`)).toBe(204);
    expect(rig.names("tasks-3001")).toEqual([]);
    expect(rig.names("tasks-3003").toSorted()).toEqual([name, "m.ics"].toSorted());
    expect(rig.text(`${near}/${name}`)).toMatch(/SEQUENCE:7(.|\r\n)*SUMMARY:Mine\r\nCOLOR:red/);
    expect(rig.text(`${near}/m.ics`)).toContain("SUMMARY:Task 601");
    rig.ask("DELETE", `${near}/${name}`);
    expect(rig.names("tasks-3003")).toEqual(["m.ics"]);
  });

  it("keeps a to-do that was put below the item there, also after a change of it", () => {
    const { rig, path } = moved();
    const about = (title: string) =>
      vtodo("new@example.com", `SUMMARY:${title}`, `RELATED-TO:${uidOf(path)}`);
    expect(rig.put(`${near}/new.ics`, about("New")).status).toBe(201);
    expect(rig.put(`${near}/new.ics`, about("Newer")).status).toBe(204);
    expect(rig.names("tasks-3003")).toContain("new.ics");
    expect(rig.text(`${near}/new.ics`)).toContain("SUMMARY:Newer");
    expect(rig.names("tasks-3001")).toEqual([]);
  });

  it("has no effect if it is discarded", () => {
    const { rig, path, name } = moved();
    const tokens = [rig.token("tasks-3001"), rig.token("tasks-3003")] as const;
    rig.discard();
    expect(rig.text(path)).toContain("SUMMARY:Task 601");
    expect(rig.get(`${near}/m.ics`).status).toBe(404);
    expect(rig.since("tasks-3001", tokens[0]).put).toContain(name);
    const gone = rig.since("tasks-3003", tokens[1]).buried;
    expect(gone).toHaveLength(2);
    expect(gone).toContain("m.ics");
    expect(rig.names("tasks-3001")).toHaveLength(2);
  });

  it("is shown to all there, under its name, once it is approved", () => {
    const { rig, path } = moved();
    rig.approve();
    expect(rig.bens(`${near}/m.ics`)).toContain("SUMMARY:Task 601");
    expect([rig.get(path).status, rig.bens(path)]).toEqual([404, 404]);
  });

  it("is withdrawn by a move back", () => {
    const { rig, path } = moved();
    expect(rig.move(`${near}/m.ics`, path).status).toBe(201);
    expect(rig.held()).toEqual([]);
    expect(rig.names("tasks-3001")).toHaveLength(2);
    expect(rig.get(path).status).toBe(200);
  });

  it("is combined with a change of the item there", () => {
    const { rig } = moved();
    const path = `${near}/m.ics`;
    const text = rig.text(path).replace("SUMMARY:Task 601", "SUMMARY:Mine");
    const headers = { "if-match": rig.etag(path) };
    expect(rig.ask("PUT", path, { body: text, headers })).toMatchObject({ status: 204 });
    expect(rig.text(path)).toContain("SUMMARY:Mine");
    expect(rig.store.journal.heldBy(personId(11))).toMatchObject([
      { patch: { title: "Mine", place: { listId: 3003 } } },
    ]);
  });
});

describe("many held edits", () => {
  const another = (uid: string, title = "Party") =>
    party.replace("party@example.com", uid).replace("SUMMARY:Party", `SUMMARY:${title}`);

  function twoHeld() {
    const rig = heldRig();
    rig.put(`${events}/a.ics`, another("a@example.com"), asNew);
    rig.put(`${events}/b.ics`, another("b@example.com"), asNew);
    const member = (name: string) => {
      const calendar = rig.calendars.find(personId(11), "events-2001");
      return calendar && rig.calendars.object(calendar, name);
    };
    return { ...rig, member };
  }

  it("are rendered again only where they have changed", () => {
    const rig = twoHeld();
    const before = ["a.ics", "b.ics"].map(rig.member);
    const headers = { "if-match": rig.etag(`${events}/b.ics`) };
    rig.put(`${events}/b.ics`, another("b@example.com", "Feast"), headers);
    rig.put(`${events}/c.ics`, another("c@example.com"), asNew);
    expect(before[0]).not.toBeNull();
    expect(rig.member("a.ics")).toBe(before[0]);
    expect(rig.member("b.ics")).not.toBe(before[1]);
    expect(rig.text(`${events}/b.ics`)).toContain("SUMMARY:Feast");
    expect(rig.names("events-2001")).toEqual(["a.ics", "b.ics", "c.ics"]);
  });

  it("are read from the journal again only where they have changed", () => {
    const rig = twoHeld();
    const before = rig.store.journal.heldBy(personId(11));
    const headers = { "if-match": rig.etag(`${events}/b.ics`) };
    rig.put(`${events}/b.ics`, another("b@example.com", "Feast"), headers);
    const after = rig.store.journal.heldBy(personId(11));
    expect(after).toHaveLength(2);
    expect(after[0]).toBe(before[0]);
    expect(after[1]).not.toBe(before[1]);
  });

  it("include what the workspace changes in one of them", () => {
    const { rig, path } = withMember(heldRig(), aTask(601));
    rig.put(`${events}/a.ics`, another("a@example.com"), asNew);
    const text = rig.text(path).replace("SUMMARY:Task 601", "SUMMARY:Mine");
    const headers = { "if-match": rig.etag(path) };
    expect(rig.ask("PUT", path, { body: text, headers }).status).toBe(204);
    const etag = rig.etag(path);
    rig.member(aTask(601, { dueOn: Temporal.PlainDate.from("2026-12-31") }));
    expect(rig.text(path)).toContain("SUMMARY:Mine");
    expect(rig.text(path)).toContain("DUE;VALUE=DATE:20261231");
    expect(rig.etag(path)).not.toBe(etag);
  });
});
