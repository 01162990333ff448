import { describe, expect, it } from "vitest";
import { labelId, listId, personId } from "../../../src/domain/ids.ts";
import { vevent, vtodo } from "../../edits/rig.ts";
import { aLabel, anEvent, aTask, times } from "../../support/items.ts";
import { objectRig, root, twoListsRig, uidOf, withMember } from "./object-rig.ts";

// The served object always agrees with the item, whoever put the octets; an ETag is answered only for exactly what was
// sent.

const full = aTask(601, {
  description: "Two pages",
  startOn: Temporal.PlainDate.from("2026-11-20"),
  labels: [labelId(51)],
  completed: true,
  percent: 100,
});

describe("a PUT of octets that omit something of the item", () => {
  it.each([
    ["DESCRIPTION", "DESCRIPTION:Two pages"],
    ["DTSTART", "DTSTART;VALUE=DATE:20261120"],
    ["DUE", "DUE;VALUE=DATE:20261124"],
    ["CATEGORIES", "CATEGORIES:Design"],
    ["STATUS", "STATUS:COMPLETED"],
  ])("shows a to-do's %s that remains, and returns no ETag", (name, line) => {
    const { rig, path } = withMember(objectRig(), full);
    const lines = rig.text(path).split("\r\n");
    const isLeftOut = (one: string) =>
      one.startsWith(name) || (name === "STATUS" && /^(COMPLETED|PERCENT)/.test(one));
    const small = lines.filter((one) => !isLeftOut(one)).join("\r\n");
    expect(rig.ask("PUT", path, { body: small })).toEqual({ status: 204 });
    expect(rig.edits()).toEqual([]);
    expect(rig.text(path).split("\r\n")).toContain(line);
  });

  it("shows an event's end, alarm, text and privacy that remain", () => {
    const rig = objectRig();
    const when = times("2026-11-23T10:00", "2026-11-23T12:00");
    const reminder = Temporal.Duration.from({ minutes: 15 });
    const own = { description: "Notes", private: true, creatorId: personId(11) };
    const path = rig.member(anEvent(501, { ...own, when, reminder }));
    const small = vevent(
      uidOf(path),
      "SUMMARY:Event 501",
      "DTSTART;TZID=Europe/Berlin:20261123T100000",
      "LOCATION:Here",
    );
    expect(rig.put(path, small)).toEqual({ status: 204 });
    const text = rig.text(path);
    for (const line of ["DTEND;TZID=Europe/Berlin:20261123T120000", "DESCRIPTION:Notes"]) {
      expect(text).toContain(line);
    }
    for (const line of ["BEGIN:VALARM", "CLASS:PRIVATE", "LOCATION:Here"]) {
      expect(text).toContain(line);
    }
  });

  it("returns the ETag if the item has no such value", () => {
    const { rig, path } = withMember(objectRig(), aTask(601, { dueOn: null }));
    const answer = rig.put(path, vtodo(uidOf(path), "SUMMARY:Named"), {
      "if-match": rig.etag(path),
    });
    expect(answer.headers?.["ETag"]).toBe(rig.etag(path));
  });
});

/** A task in a project with two lists, and another program's copy from before its renaming. */
function renamedByPhone() {
  const rig = twoListsRig();
  const path = rig.member(aTask(601));
  const old = rig.text(path);
  rig.ask("PUT", path, {
    body: old.replace("SUMMARY:Task 601", "SUMMARY:By phone"),
    headers: {
      "user-agent": "Phone/1",
      "if-match": rig.etag(path),
    },
  });
  return { rig, path, old };
}

describe("a PUT by a program that has not seen the present version", () => {
  it("shows present values of unchanged properties, and returns no ETag", () => {
    const { rig, path } = withMember(objectRig(), aTask(601));
    const old = rig.text(path);
    const named = old.replace("SUMMARY:Task 601", "SUMMARY:By phone");
    const headers = { "user-agent": "Tablet/2" };
    const phone = { ...headers, "user-agent": "Phone/1", "if-match": rig.etag(path) };
    rig.ask("PUT", path, { body: named, headers: phone });
    const due = old.replace("DUE;VALUE=DATE:20261124", "DUE;VALUE=DATE:20261130");
    expect(rig.ask("PUT", path, { body: due, headers })).toEqual({ status: 204 });
    expect(rig.itemOf(uidOf(path))).toMatchObject({ title: "By phone" });
    expect(rig.text(path)).toContain("SUMMARY:By phone");
    expect(rig.text(path)).toContain("DUE;VALUE=DATE:20261130");
  });

  it("shows the present title in another list to which an old copy moves the item", () => {
    const { rig, old } = renamedByPhone();
    const there = `${root}/tasks-3003/moved.ics`;
    const headers = { "if-none-match": "*" };
    const answer = rig.ask("PUT", there, { body: old, headers });
    expect([answer.status, answer.headers?.["ETag"]]).toEqual([201, undefined]);
    expect(rig.text(there)).toContain("SUMMARY:By phone");
  });

  it("shows it even if the item was deleted before and is restored", () => {
    const { rig, path, old } = renamedByPhone();
    expect(rig.ask("DELETE", path).status).toBe(204);
    const there = `${root}/tasks-3003/moved.ics`;
    const headers = { "if-none-match": "*" };
    const answer = rig.ask("PUT", there, { body: old, headers });
    expect([answer.status, answer.headers?.["ETag"]]).toEqual([201, undefined]);
    expect(rig.itemOf(uidOf(path))).toMatchObject({ title: "By phone" });
    expect(rig.text(there)).toContain("SUMMARY:By phone");
  });
});

it.each([
  ["alone", "CATEGORIES:Design", "CATEGORIES:Layout"],
  ["beside one that the workspace lacks", "CATEGORIES:Design,Mine", "CATEGORIES:Mine,Layout"],
  ["in other letters", "CATEGORIES:DESIGN", "CATEGORIES:Layout"],
])(
  "a PUT with a label's former name %s shows the present name, and returns no ETag",
  (_name, said, shown) => {
    const { rig, path } = withMember(objectRig(), full);
    const old = rig.text(path).replace("CATEGORIES:Design", said);
    rig.store.directory.putLabels([aLabel(51, "Layout")], true);
    const body = old.replace("SUMMARY:Task 601", "SUMMARY:By an old copy");
    expect(rig.ask("PUT", path, { body })).toEqual({ status: 204 });
    expect(rig.itemOf(uidOf(path))).toMatchObject({
      title: "By an old copy",
      labels: [labelId(51)],
    });
    expect(rig.text(path).split("\r\n")).toContain(shown);
    expect(rig.text(path)).toContain("SUMMARY:By an old copy");
  },
);

it("a PUT of an old copy with a renamed and removed label leaves the label out", () => {
  const { rig, path } = withMember(objectRig(), full);
  const old = rig.text(path);
  rig.store.directory.putLabels([aLabel(51, "Layout")], true);
  rig.member({ ...full, labels: [] });
  const body = old.replace("SUMMARY:Task 601", "SUMMARY:By an old copy");
  expect(rig.ask("PUT", path, { body })).toEqual({
    status: 204,
  });
  expect(rig.itemOf(uidOf(path))).toMatchObject({ title: "By an old copy", labels: [] });
  expect(rig.text(path)).not.toContain("CATEGORIES");
});

it("a PUT of an item deleted in another calendar restores it into the named calendar", () => {
  const rig = twoListsRig();
  const path = rig.member(aTask(601));
  const item = vtodo(uidOf(path), "SUMMARY:Back", "DUE;VALUE=DATE:20261124");
  expect(rig.ask("DELETE", path).status).toBe(204);
  const there = `${root}/tasks-3003/back.ics`;
  const answer = rig.put(there, item, { "if-none-match": "*" });
  expect([answer.status, answer.headers?.["ETag"]]).toEqual([201, rig.etag(there)]);
  expect(rig.itemOf(uidOf(path))).toMatchObject({ title: "Back", listId: listId(3003) });
  expect(rig.get(path).status).toBe(404);
});

it("a PUT of an event copied from a feed keeps its links void, and returns no ETag for changed octets", () => {
  const rig = objectRig();
  const signed = `AQ${"bC3_-".repeat(9).slice(0, 44)}`;
  const copied = vevent(
    "copied@example.com",
    "DTSTAMP:20261120T120000Z",
    "SUMMARY:Copied",
    "DTSTART;VALUE=DATE:20261224",
    `DESCRIPTION:Text\\n\\n— Dayferry —\\n— Done: https://a.exampl`,
    ` e/act/${signed}`,
  );
  const answer = rig.put(`${root}/events-2001/copied.ics`, copied);
  expect(answer.status).toBe(201);
  expect(answer.headers?.["ETag"]).toBeUndefined();
  const text = rig.text(`${root}/events-2001/copied.ics`);
  expect(text).toContain("SUMMARY:Copied");
  expect(text).not.toContain(signed);
});
