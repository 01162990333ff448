import { describe, expect, it } from "vitest";
import { vtodo } from "../../edits/rig.ts";
import { aTask } from "../../support/items.ts";
import { events, objectRig, party, uidOf } from "./object-rig.ts";

describe("objectAnswer() of a PUT in review mode", () => {
  it("answers without an ETag, and has programs drop what is not there", () => {
    const rig = objectRig({ mode: "review" });
    const token = rig.token("events-2001");
    expect(rig.put(`${events}/p.ics`, party)).toEqual({ status: 202 });
    expect(rig.since("events-2001", token)).toEqual({ put: [], buried: ["p.ics"] });
    expect(rig.edits()).toMatchObject([{ state: "held" }]);
  });

  it("has programs load a changed object again as it is", () => {
    const rig = objectRig({ mode: "review" });
    const path = rig.member(aTask(601));
    const token = rig.token("tasks-3001");
    const answer = rig.put(path, vtodo(uidOf(path), "SUMMARY:Mine"));
    expect(answer).toEqual({ status: 204 });
    expect(rig.text(path)).toContain("SUMMARY:Task 601");
    expect(rig.since("tasks-3001", token).put).toHaveLength(1);
    rig.put(path, vtodo(uidOf(path), "SUMMARY:Mine"));
    expect(rig.edits()).toHaveLength(1);
  });
});
