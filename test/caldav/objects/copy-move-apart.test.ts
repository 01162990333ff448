import { describe, expect, it } from "vitest";
import { listId, personId, serviceId } from "../../../src/domain/ids.ts";
import { calendar, vtodo } from "../../edits/rig.ts";
import { anEvent, aTask, days } from "../../support/items.ts";
import { type ObjectSetting, root, told, twoListsRig, uidOf, withMember } from "./object-rig.ts";

const near = `${root}/tasks-3003`;
const asNew = { "if-none-match": "*" };

function apartRig(setting: ObjectSetting = {}) {
  const rig = twoListsRig(setting);
  return {
    ...rig,
    /** The contents of the journal, in short. */
    told: () => rig.edits().map(({ action, state, patch }) => [action, state, Object.keys(patch)]),
    actions: () => rig.edits().map(({ action, state }) => `${action} ${state}`),
  };
}

const child = (id: number, above: number) =>
  aTask(id, { kind: "subtask", parentId: serviceId(above) });

describe("a DELETE that may be the first half of a move", () => {
  it("waits for two seconds, while nobody sees the item", () => {
    const { rig, path } = withMember(apartRig(), aTask(601));
    rig.ask("DELETE", path);
    expect(rig.get(path).status).toBe(404);
    expect(rig.store.journal.nextAt()?.toString()).toBe("2026-11-20T12:00:02Z");
    expect(rig.store.journal.claimNext()).toBeNull();
    rig.clock.advance({ seconds: 2 });
    expect(rig.store.journal.claimNext()).toMatchObject({ action: "delete" });
  });

  it("becomes a move of the task with everything below it if the task is put elsewhere", () => {
    const { rig, path } = withMember(
      apartRig(),
      aTask(601, { commentCount: 2, assigned: [personId(12)] }),
    );
    const uid = uidOf(path);
    rig.member(child(701, 601));
    const text = rig.text(path);
    const tokens = [rig.token("tasks-3001"), rig.token("tasks-3003")] as const;
    rig.ask("DELETE", path);
    const between = rig.token("tasks-3001");
    rig.clock.advance({ milliseconds: 1900 });
    const body = { body: text, headers: asNew };
    const answer = rig.ask("PUT", `${near}/moved.ics`, body);
    expect([answer.status, answer.headers?.["ETag"]]).toEqual([201, rig.etag(`${near}/moved.ics`)]);
    expect(rig.told().at(0)).toEqual(["delete", "discarded", []]);
    expect(rig.told().at(-1)).toEqual(["update", "pending", ["place"]]);
    expect(rig.itemOf(uid)).toMatchObject({ id: 601, listId: 3003, commentCount: 2 });
    expect(rig.itemOf(uid)?.assigned).toEqual([12]);
    expect(rig.names("tasks-3001")).toEqual([]);
    expect(rig.names("tasks-3003")).toHaveLength(2);
    expect(rig.since("tasks-3001", tokens[0]).put).toEqual([]);
    expect(rig.since("tasks-3001", tokens[0]).buried).toContain(`${uid}.ics`);
    expect(rig.since("tasks-3001", between).put).toEqual([]);
    expect(rig.since("tasks-3003", tokens[1]).put).toContain("moved.ics");
    expect(rig.ask("DELETE", path).status).toBe(404);
    rig.clock.advance({ minutes: 1 });
    expect(rig.store.journal.claimNext()).toMatchObject({ action: "update" });
  });

  it("keeps what others have changed since the copy that is put elsewhere", () => {
    const rig = apartRig();
    const path = `${root}/tasks-3001/own.ics`;
    const copy = calendar(vtodo("own@example.com", "SUMMARY:Mine"));
    const headers = { "user-agent": "Tasks/1" };
    expect(rig.ask("PUT", path, { body: copy, headers }).status).toBe(201);
    rig.clock.advance({ seconds: 9 });
    const other = { ...headers, "user-agent": "Other/2" };
    rig.ask("PUT", path, { body: copy.replace("Mine", "Theirs"), headers: other });
    rig.clock.advance({ seconds: 9 });
    expect(rig.ask("DELETE", path, { headers }).status).toBe(204);
    expect(rig.ask("PUT", `${near}/own.ics`, { body: copy, headers }).status).toBe(201);
    expect(rig.itemOf("own@example.com")).toMatchObject({ title: "Theirs", listId: 3003 });
  });

  it("includes a subtask that is deleted and put below its task as well", () => {
    const { rig, path } = withMember(apartRig(), aTask(601));
    const below = rig.member(child(701, 601));
    const [parent, sub] = [rig.text(path), rig.text(below)];
    const put = (name: string, body: string) =>
      rig.ask("PUT", `${near}/${name}`, { body, headers: asNew }).status;
    expect([rig.ask("DELETE", below).status, rig.ask("DELETE", path).status]).toEqual([204, 204]);
    expect([put("parent.ics", parent), put("sub.ics", sub)]).toEqual([201, 201]);
    expect(rig.itemOf(uidOf(below))).toMatchObject({ id: 701, parentId: 601, listId: 3003 });
    expect(rig.names("tasks-3003").toSorted()).toEqual(["parent.ics", "sub.ics"]);
    expect(rig.actions().filter((text) => text.includes("create"))).toEqual([]);
  });

  it("becomes a move of an event to another project", () => {
    const { rig, path } = withMember(apartRig(), anEvent(501, { assigned: [personId(12)] }));
    const text = rig.text(path);
    rig.ask("DELETE", path);
    const there = `${root}/events-2002/e.ics`;
    expect(rig.ask("PUT", there, { body: text, headers: asNew }).status).toBe(201);
    expect(rig.itemOf(uidOf(path))).toMatchObject({ id: 501, projectId: 2002, assigned: [12] });
    expect([rig.names("events-2001"), rig.names("events-2002")]).toEqual([[], ["e.ics"]]);
  });

  it("is withdrawn by a PUT in the same place", () => {
    const { rig, path } = withMember(apartRig(), aTask(601, { commentCount: 1 }));
    rig.ask("DELETE", path);
    expect(rig.put(path, vtodo(uidOf(path), "SUMMARY:Anew"), asNew).status).toBe(201);
    expect(rig.itemOf(uidOf(path))).toMatchObject({ id: 601, title: "Anew", commentCount: 1 });
  });

  it("is withdrawn after an attempt that deleted nothing", () => {
    const { rig, path } = withMember(apartRig(), aTask(601));
    rig.ask("DELETE", path);
    rig.clock.advance({ seconds: 2 });
    expect(rig.store.journal.claimNext()).toMatchObject({ action: "delete" });
    rig.store.journal.release();
    rig.put(`${near}/moved.ics`, vtodo(uidOf(path), "SUMMARY:Task 601"), asNew);
    expect(rig.itemOf(uidOf(path))).toMatchObject({ id: 601, listId: 3003 });
  });

  it.each([
    ["is on its way", false],
    ["may have been sent", true],
  ])("is sent before a new item if it %s", (_name, isReleased) => {
    const { rig, path } = withMember(apartRig(), aTask(601));
    rig.ask("DELETE", path);
    rig.clock.advance({ seconds: 2 });
    const claimed = rig.store.journal.claimNext();
    if (claimed) rig.store.journal.replacing(claimed.id, claimed.base);
    if (isReleased) rig.store.journal.release();
    rig.put(`${near}/moved.ics`, vtodo(uidOf(path), "SUMMARY:Task 601"), asNew);
    expect(rig.names("tasks-3003")).toEqual(["moved.ics"]);
    const [deletion] = rig.actions();
    expect(rig.actions()).toEqual([deletion, "create pending"]);
    expect(deletion).toBe(isReleased ? "delete pending" : "delete claimed");
  });

  it("is not withdrawn by someone else, who creates a new item", () => {
    const { rig, path } = withMember(apartRig(), aTask(601));
    rig.ask("DELETE", path);
    const body = calendar(vtodo(uidOf(path), "SUMMARY:Other"));
    const there = near.replace("/11/", "/12/");
    const answer = rig.ask("PUT", `${there}/o.ics`, { body, headers: asNew, person: 12 });
    expect(answer.status).toBe(201);
    expect(rig.actions()).toEqual(["delete pending", "create pending"]);
  });

  it("of a milestone remains if it is put as a new to-do into another project", () => {
    const rig = apartRig();
    const uid = uidOf(rig.member(anEvent(501, { when: days("2026-12-01"), milestone: true })));
    rig.ask("DELETE", `${root}/milestones-2001/${uid}.ics`);
    const item = vtodo(uid, "SUMMARY:Launch", "DUE;VALUE=DATE:20261201");
    expect(rig.put(`${root}/milestones-2002/m.ics`, item, asNew).status).toBe(201);
    expect(rig.actions()).toEqual(["delete pending", "create pending"]);
    expect(rig.itemOf(uid)).toMatchObject({ projectId: 2002, milestone: true });
  });

  it("remains if the move is refused", () => {
    const { rig, path } = withMember(apartRig(), aTask(601));
    rig.ask("DELETE", path);
    const answer = rig.put(`${near}/a.ics`, vtodo(uidOf(path), "RRULE:FREQ=DAILY"), asNew);
    expect(told(answer)).toBe("409 c:max-instances");
    expect(rig.actions()).toEqual(["delete pending"]);
    expect(rig.get(path).status).toBe(404);
  });

  it.each(["apply", "review"] as const)(
    "is discarded with a move that waits for a person, in mode %s",
    (mode) => {
      const rig = apartRig({ mode });
      const many = mode === "apply" ? 11 : 1;
      const paths = Array.from({ length: many }, (_, at) => rig.member(aTask(601 + at)));
      const statuses = paths.map((path) => rig.ask("DELETE", path).status);
      expect(statuses.at(-1)).toBe(204);
      const last = paths.at(-1) ?? "";
      rig.put(`${near}/a.ics`, vtodo(uidOf(last), `SUMMARY:Task ${600 + many}`), asNew);
      const edits = rig.edits().slice(many - 1);
      expect(edits[0]).toMatchObject({ action: "delete", state: "discarded" });
      const place = { projectId: 2001, listId: 3003 };
      const state = mode === "apply" ? "pending" : "held";
      expect(edits).toContainEqual(expect.objectContaining({ state, patch: { place } }));
    },
  );

  it("does not delay deletions from other channels", () => {
    const { rig, path } = withMember(apartRig(), aTask(601));
    rig.send(calendar(vtodo(uidOf(path), "STATUS:CANCELLED")));
    expect(rig.store.journal.claimNext()).toMatchObject({ action: "delete", channel: "upload" });
  });
});

describe("PUTs that move an item there and back, without conditions", () => {
  it.each(["at once", "once the move there is done"])(
    "leave the item where it was put last, %s",
    (when) => {
      const { rig, path } = withMember(apartRig(), aTask(601));
      const there = `${near}/there.ics`;
      const body = { body: rig.text(path) };
      expect(rig.ask("PUT", there, body).status).toBe(201);
      if (when !== "at once") {
        const claimed = rig.store.journal.claimNext();
        if (!claimed) throw new Error("nothing to claim");
        const moved = { ...claimed.base, listId: listId(3003) };
        rig.store.journal.confirm(claimed, moved.kind === "event" ? null : moved);
      }
      expect(rig.ask("PUT", path, body).status).toBeLessThan(300);
      expect(rig.get(path).status).toBe(200);
      expect(rig.ask("DELETE", there).status).toBe(404);
      expect(rig.itemOf(uidOf(path))).toMatchObject({ id: 601, listId: 3001 });
      expect(rig.actions().filter((text) => text.startsWith("delete"))).toEqual([]);
    },
  );

  it("keep the item if the move fails between PUT and DELETE", () => {
    const { rig, path } = withMember(apartRig(), aTask(601));
    const headers = { "user-agent": "One/1" };
    const there = path.replace("tasks-3001", "tasks-3003");
    expect(rig.ask("PUT", there, { body: rig.text(path), headers }).status).toBe(201);
    const move = rig.store.journal.claimNext();
    if (!move) throw new Error("nothing to claim");
    rig.store.journal.settle(move, { kind: "park", reason: "refused", problem: "no" });
    const token = rig.token("tasks-3001");
    expect(rig.ask("DELETE", path, { headers }).status).toBe(204);
    expect(rig.itemOf(uidOf(path))).toMatchObject({ id: 601, listId: 3001 });
    expect(rig.actions()).toEqual(["update parked"]);
    expect(rig.since("tasks-3001", token).put).toHaveLength(1);
    // Later, or by another program, it is a deletion.
    rig.clock.advance({ minutes: 2 });
    expect(rig.ask("DELETE", path, { headers }).status).toBe(204);
    expect(rig.itemOf(uidOf(path))).toBeNull();
  });

  it("move back what someone else has moved, for a program that has seen it there", () => {
    const { rig, path } = withMember(apartRig(), aTask(601));
    const old = rig.text(path);
    const there = `${near}/there.ics`;
    const put = (at: string, body: string, agent: string) =>
      rig.ask("PUT", at, {
        body,
        headers: { "user-agent": agent },
      });
    expect(put(there, old, "One/1").status).toBe(201);
    expect(put(path, old, "Two/2").status).toBe(204);
    expect(rig.itemOf(uidOf(path))).toMatchObject({ listId: 3003 });
    rig.clock.advance({ minutes: 1 });
    expect(put(path, rig.text(there), "Two/2").status).toBeLessThan(300);
    expect(rig.ask("DELETE", there, { headers: { "user-agent": "Two/2" } }).status).toBe(204);
    expect(rig.get(there).status).toBe(404);
    expect(rig.get(path).status).toBe(200);
    expect(rig.itemOf(uidOf(path))).toMatchObject({ id: 601, listId: 3001 });
    expect(rig.actions().filter((text) => text.startsWith("delete"))).toEqual([]);
  });

  it("delete it for a program with the old address, which deletes it later", () => {
    const { rig, path } = withMember(apartRig(), aTask(601));
    const old = rig.text(path);
    const there = `${near}/there.ics`;
    const headers = { "user-agent": "Two/2" };
    rig.ask("PUT", there, { body: old });
    expect(rig.ask("PUT", path, { body: old, headers }).status).toBe(204);
    rig.clock.advance({ minutes: 1 });
    expect(rig.ask("DELETE", there, { headers }).status).toBe(204);
    expect(rig.itemOf(uidOf(path))).toBeNull();
  });
});
