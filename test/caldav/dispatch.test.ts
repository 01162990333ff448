import { describe, expect, it } from "vitest";
import { anEvent, aTask, days } from "../support/items.ts";
import { objectRig, root, told, uidOf, withMember } from "./objects/object-rig.ts";

const changedAt = "Fri, 20 Nov 2026 12:00:00 GMT";

describe("GET of an object", () => {
  it("returns its octets, ETag, modification time and component", () => {
    const { rig, path } = withMember(objectRig(), aTask(601));
    const answer = rig.get(path, { accept: "application/json" });
    expect(answer).toMatchObject({
      status: 200,
      headers: {
        ETag: expect.stringMatching(/^"[^"]+"$/),
        "Last-Modified": changedAt,
        "Content-Type": "text/calendar; charset=utf-8; component=VTODO",
      },
    });
    expect(String(answer.body)).toContain(`UID:${uidOf(path)}\r\n`);
    expect(rig.ask("HEAD", path)).toEqual(rig.get(path));
  });

  it("returns a milestone in two forms, each with its component", () => {
    const rig = objectRig();
    const uid = uidOf(rig.member(anEvent(501, { when: days("2026-12-01"), milestone: true })));
    const type = (slug: string) => rig.get(`${root}/${slug}/${uid}.ics`).headers?.["Content-Type"];
    expect(type("events-2001")).toContain("component=VEVENT");
    expect(type("milestones-2001")).toContain("component=VTODO");
  });

  it.each<[number, string, Readonly<Record<string, string>>]>([
    [304, "its ETag", { "if-none-match": "ETAG" }],
    [304, "its ETag among others", { "if-none-match": '"a", ETAG' }],
    [304, "its ETag as a weak one", { "if-none-match": "W/ETAG" }],
    [304, "any ETag", { "if-none-match": "*" }],
    [200, "another ETag", { "if-none-match": '"a"' }],
    [200, "another ETag and its time", { "if-none-match": '"a"', "if-modified-since": changedAt }],
    [304, "its time", { "if-modified-since": changedAt }],
    [304, "a later time", { "if-modified-since": "Fri, 20 Nov 2026 12:00:01 GMT" }],
    [200, "an earlier time", { "if-modified-since": "Fri, 20 Nov 2026 11:59:59 GMT" }],
    [200, "no time", { "if-modified-since": "yesterday" }],
    [200, "an impossible time", { "if-modified-since": "Fri, 31 Nov 2026 12:00:00 GMT" }],
  ])("answers %i to somebody who has %s", (status, _name, headers) => {
    const { rig, path } = withMember(objectRig(), aTask(601));
    const etag = rig.etag(path);
    const sent = Object.entries(headers).map(([name, value]) => [
      name,
      value.replace("ETAG", etag),
    ]);
    const answer = rig.get(path, Object.fromEntries(sent));
    expect(answer.status).toBe(status);
    expect(answer.headers).toMatchObject({ ETag: etag, "Last-Modified": changedAt });
    expect(answer.body === undefined).toBe(status === 304);
  });

  it("finds neither unknown names nor objects of others", () => {
    const rig = objectRig();
    const event = rig.member(anEvent(501, { private: true }));
    expect(rig.get(event).status).toBe(404);
    expect(rig.get(`${root}/events-2001/nothing.ics`).status).toBe(404);
  });
});

it("an unsupported method on an object names the supported ones", () => {
  const { rig, path } = withMember(objectRig(), aTask(601));
  const answer = rig.ask("LOCK", path);
  expect(answer.status).toBe(405);
  expect(answer.headers?.["Allow"]).toContain("PUT, DELETE, MOVE");
});

it.each([
  ["PUT", "d:write-content", 403],
  ["DELETE", "d:unbind", 403],
  ["MOVE", "d:unbind", 403],
  ["COPY", "d:bind", 403],
])("a read-only person is refused %s for lack of %s", (method, privilege, status) => {
  const { rig, path } = withMember(objectRig({ readOnly: [11] }), aTask(601));
  const answer = rig.ask(method, path, { headers: { destination: `${path}-2` } });
  expect(told(answer)).toBe(`${status} d:need-privileges`);
  expect(String(answer.body)).toContain(`<${privilege}/>`);
  expect(rig.edits()).toEqual([]);
  expect(rig.get(path).status).toBe(200);
});

it.each([
  ["MKCALENDAR", `${root}/new/`, "403 c:calendar-collection-location-ok"],
  ["MKCALENDAR", `${root}/events-2001/`, "403 d:resource-must-be-null"],
  ["MKCOL", `${root}/new/`, "403 d:need-privileges"],
  ["MKCOL", `${root}/events-2001/`, "405"],
  ["MKCALENDAR", `${root}/events-2001/inner`, "403 c:calendar-collection-location-ok"],
  ["PUT", `${root}/events-2001/`, "405"],
  ["PUT", `${root}/`, "405"],
  ["DELETE", `${root}/events-2001/`, "403 d:need-privileges"],
  ["DELETE", `${root}/unknown/`, "404"],
  ["MOVE", `${root}/events-2001/`, "403 d:need-privileges"],
  ["COPY", `${root}/events-2001/`, "403"],
  ["DELETE", `${root}/`, "403 d:need-privileges"],
])("collectionAnswer() answers %s of %s with %s", (method, path, expected) => {
  const rig = objectRig();
  const answer = rig.ask(method, path);
  expect(told(answer)).toBe(expected);
  expect(String(answer.body)).toMatch(/<df:reason>.{10,}<\/df:reason>/);
  if (answer.status === 405) expect(answer.headers?.["Allow"]).toContain("PROPFIND");
});
