import { describe, expect, it } from "vitest";
import { vtodo } from "../edits/rig.ts";
import { aTask } from "../support/items.ts";
import { objectRig, tasks, told, uidOf, withMember } from "./objects/object-rig.ts";

type Headers = Readonly<Record<string, string>>;

it.each<[string, Headers, number]>([
  ["the present version", { "if-match": "ETAG" }, 204],
  ["it among others", { "if-match": '"a",ETAG , "b"' }, 204],
  ["any version", { "if-match": "*" }, 204],
  ["another version", { "if-match": '"a"' }, 412],
  ["the present one as weak", { "if-match": "W/ETAG" }, 412],
  ["nothing", { "if-none-match": "*" }, 412],
  ["not this version", { "if-none-match": "ETAG" }, 412],
  ["not another version", { "if-none-match": '"a"' }, 204],
  ["a state list with this version", { if: "([ETAG])" }, 204],
  ["a state list with another version", { if: '(["a"])' }, 412],
  ["one of two lists", { if: '(["a"]) ([ETAG])' }, 204],
  ["all of a list", { if: '([ETAG] ["a"])' }, 412],
  ["no lock", { if: "(Not <DAV:no-lock> [ETAG])" }, 204],
  ["a lock", { if: "(<urn:uuid:1> [ETAG])" }, 412],
  ["something of another resource", { if: '</dav/calendars/11/tasks-3001/x.ics> (["a"])' }, 204],
  ["this version of this resource", { if: "<https://cal.example.com/PATH> ([ETAG])" }, 204],
  ["nonsense", { if: "[ETAG" }, 400],
  ["no change since now", { "if-unmodified-since": "Fri, 20 Nov 2026 12:00:00 GMT" }, 204],
  ["no change since before", { "if-unmodified-since": "Fri, 20 Nov 2026 11:00:00 GMT" }, 412],
])("a PUT with conditions on the present version demands %s", (_name, headers, status) => {
  const { rig, path } = withMember(objectRig(), aTask(601));
  const etag = rig.etag(path);
  const sent = Object.entries(headers).map(([name, value]) => [
    name,
    value.replace("ETAG", etag).replace("/PATH", path),
  ]);
  const answer = rig.put(path, vtodo(uidOf(path), "SUMMARY:New"), Object.fromEntries(sent));
  expect(answer.status).toBe(status);
  expect(rig.edits()).toHaveLength(status === 204 ? 1 : 0);
});

describe("a PUT with conditions on a missing object", () => {
  const item = (uid = "new@example.com") => vtodo(uid, "SUMMARY:New");

  it("answers 412 for a name that never existed", () => {
    const rig = objectRig();
    expect(told(rig.put(`${tasks}/n.ics`, item(), { "if-match": '"a"' }))).toBe("412");
    expect(told(rig.put(`${tasks}/n.ics`, item(), { "if-match": "*" }))).toBe("412");
    expect(told(rig.put(`${tasks}/n.ics`, item(), { if: '(["a"])' }))).toBe("412");
    expect(rig.put(`${tasks}/n.ics`, item(), { "if-none-match": "*" }).status).toBe(201);
  });

  it("answers 404 for a deleted object, since some programs retry forever after 412", () => {
    const { rig, path } = withMember(objectRig(), aTask(601));
    const etag = rig.etag(path);
    rig.ask("DELETE", path);
    const headers = { "if-match": etag };
    expect(rig.put(path, item(uidOf(path)), headers).status).toBe(404);
    expect(rig.ask("DELETE", path, { headers }).status).toBe(404);
  });
});

it("crossing edits do not lose the first one", () => {
  const { rig, path } = withMember(objectRig(), aTask(601));
  const etag = rig.etag(path);
  const first = rig.put(path, vtodo(uidOf(path), "SUMMARY:A"), { "if-match": etag });
  expect(first.status).toBe(204);
  const second = vtodo(uidOf(path), "SUMMARY:B");
  expect(rig.put(path, second, { "if-match": etag }).status).toBe(412);
  expect(rig.itemOf(uidOf(path))).toMatchObject({ title: "A" });
});
