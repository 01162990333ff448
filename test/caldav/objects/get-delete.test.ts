import { describe, expect, it } from "vitest";
import { anEvent, aTask, days } from "../../support/items.ts";
import { objectRig, root, uidOf, withMember } from "./object-rig.ts";

describe("a DELETE", () => {
  it("is an edit of the present version", () => {
    const { rig, path } = withMember(objectRig(), aTask(601));
    const token = rig.token("tasks-3001");
    const answer = rig.ask("DELETE", path, { headers: { "if-match": rig.etag(path) } });
    expect(answer).toEqual({ status: 204 });
    expect(rig.edits()).toMatchObject([
      { action: "delete", channel: "caldav", actor: 11, base: { title: "Task 601" } },
    ]);
    expect(rig.get(path).status).toBe(404);
    expect(rig.since("tasks-3001", token)).toEqual({ put: [], buried: [`${uidOf(path)}.ics`] });
    expect(rig.ask("DELETE", path).status).toBe(404);
  });

  it("is refused if the item has changed", () => {
    const { rig, path } = withMember(objectRig(), aTask(601));
    const headers = { "if-match": '"a"' };
    expect(rig.ask("DELETE", path, { headers }).status).toBe(412);
    expect(rig.get(path).status).toBe(200);
  });

  it("finds nothing under an unknown name", () => {
    const rig = objectRig();
    const path = `${root}/tasks-3001/n.ics`;
    expect(rig.ask("DELETE", path).status).toBe(404);
    expect(rig.ask("DELETE", path, { headers: { "if-match": '"a"' } }).status).toBe(412);
  });

  it("deletes a milestone by its to-do", () => {
    const rig = objectRig();
    const uid = uidOf(rig.member(anEvent(501, { when: days("2026-12-01"), milestone: true })));
    expect(rig.ask("DELETE", `${root}/milestones-2001/${uid}.ics`).status).toBe(204);
    expect(rig.names("events-2001")).toEqual([]);
  });

  it("is held from the eleventh within a minute, and hides the item only from its sender", () => {
    const rig = objectRig();
    const paths = Array.from({ length: 12 }, (_, at) => rig.member(aTask(601 + at)));
    const answers = paths.slice(0, 10).map((path) => rig.ask("DELETE", path).status);
    expect(answers).toEqual(Array.from({ length: 10 }, () => 204));
    const token = rig.token("tasks-3001");
    const [held = "", later = ""] = paths.slice(10);
    expect(rig.ask("DELETE", held)).toEqual({ status: 204 });
    expect(rig.edits().at(-1)).toMatchObject({ action: "delete", state: "held" });
    const name = `${uidOf(held)}.ics`;
    expect(rig.since("tasks-3001", token)).toEqual({ put: [], buried: [name] });
    expect(rig.get(held).status).toBe(404);
    expect(rig.ask("DELETE", held).status).toBe(404);
    expect(rig.names("tasks-3001", 12)).toContain(name);
    rig.clock.advance({ minutes: 2 });
    expect(rig.ask("DELETE", later).status).toBe(204);
    expect(rig.edits().at(-1)).toMatchObject({ state: "pending" });
  });
});
