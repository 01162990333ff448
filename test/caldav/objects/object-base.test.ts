import { describe, expect, it } from "vitest";
import { vtodo } from "../../edits/rig.ts";
import { aTask } from "../../support/items.ts";
import { object, objectRig, uidOf } from "./object-rig.ts";

const phone = { "content-type": "text/calendar", "user-agent": "Tasks/1" };

describe("objectAnswer() of a PUT without conditions", () => {
  it("takes an edit of what the same program has put for one, although it names the version before", () => {
    const rig = objectRig();
    const path = rig.member(aTask(601, { title: "Chore" }));
    const first = rig.text(path);
    const second = first.replace("SUMMARY:Chore", "SUMMARY:By phone");
    expect(rig.ask("PUT", path, { body: second, headers: phone }).status).toBe(204);
    expect(rig.itemOf(uidOf(path))).toMatchObject({ title: "By phone" });
    expect(rig.ask("PUT", path, { body: first, headers: phone }).status).toBe(204);
    expect(rig.itemOf(uidOf(path))).toMatchObject({ title: "Chore" });
  });

  it("does so too when somebody else has changed another field in between, which stays", () => {
    const rig = objectRig();
    const path = rig.member(aTask(601, { title: "Chore" }));
    const first = rig.text(path);
    const second = first.replace("SUMMARY:Chore", "SUMMARY:By phone");
    rig.ask("PUT", path, { body: second, headers: phone });
    rig.clock.advance({ seconds: 9 });
    rig.send(object(vtodo(uidOf(path), "DUE;VALUE=DATE:20261130")));
    rig.clock.advance({ seconds: 9 });
    expect(rig.ask("PUT", path, { body: first, headers: phone }).status).toBe(204);
    expect(rig.itemOf(uidOf(path))).toMatchObject({
      title: "Chore",
      dueOn: Temporal.PlainDate.from("2026-11-30"),
    });
  });

  it("compares another program's with the version that they name", () => {
    const rig = objectRig();
    const path = rig.member(aTask(601, { title: "Chore" }));
    const first = rig.text(path);
    const second = first.replace("SUMMARY:Chore", "SUMMARY:By phone");
    rig.ask("PUT", path, { body: second, headers: phone });
    const other = { ...phone, "user-agent": "Other/2" };
    expect(rig.ask("PUT", path, { body: first, headers: other }).status).toBe(204);
    expect(rig.itemOf(uidOf(path))).toMatchObject({ title: "By phone" });
  });
});
