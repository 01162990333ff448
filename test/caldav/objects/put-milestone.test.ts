import { expect, it } from "vitest";
import { vtodo } from "../../edits/rig.ts";
import { objectRig, root } from "./object-rig.ts";

const path = `${root}/milestones-2001/m.ics`;
const launch = (...lines: readonly string[]) =>
  vtodo("launch@example.com", "DTSTAMP:20261120T120000Z", "SUMMARY:Launch", ...lines);

it("a PUT of a milestone's to-do keeps and shows its day if the to-do omits it", () => {
  const rig = objectRig();
  const phone = { "user-agent": "DAVx5/4.4" };
  rig.put(path, launch("DUE;VALUE=DATE:20261224"), phone);
  const answer = rig.put(path, launch(), phone);
  expect(answer.status).toBe(204);
  expect(answer.headers?.["ETag"]).toBeUndefined();
  expect(rig.text(path)).toContain("DUE;VALUE=DATE:20261224");
});
