import { describe, expect, it } from "vitest";
import { listId, serviceId } from "../../../src/domain/ids.ts";
import { anEvent, aTask } from "../../support/items.ts";
import { acceptRig, calendar, codes, list, vevent, vtodo, withItem } from "../rig.ts";

const file = (name: string, text: string) =>
  `ATTACH;FMTTYPE=text/plain;FILENAME=${name};VALUE=BINARY;ENCODING=BASE64:${Buffer.from(text).toString("base64")}`;

function kept({ store }: ReturnType<typeof acceptRig>, uid: string) {
  const identity = store.mirror.findUid(uid);
  if (!identity) return null;
  const { item, kind } = identity;
  return store.objects.get({ item, component: kind === "event" ? "VEVENT" : "VTODO" });
}

const messages = (problems: readonly { readonly message: string }[]) =>
  problems.map(({ message }) => message).join("\n");

describe("COMMENT in a file", () => {
  it("edits a task even if nothing else changes", () => {
    const { rig, uid } = withItem(acceptRig(), aTask(1));
    const planned = rig.one(calendar(vtodo(uid, "COMMENT:On my desk")));
    expect(planned).toMatchObject({ action: "update", changes: [] });
    expect(codes(planned)).toEqual(["comment"]);
    const [edit] = rig.edits();
    expect(edit).toMatchObject({ action: "update", patch: {} });
    expect(rig.store.extras.ofEdit(edit?.id ?? never())).toMatchObject([
      { kind: "comment", target: "task", text: "On my desk", state: "pending" },
    ]);
  });

  it("is named but not stored in a dry run", () => {
    const { rig, uid } = withItem(acceptRig(), aTask(1));
    const planned = rig.one(calendar(vtodo(uid, "COMMENT:On my desk")), { dryRun: true });
    expect(codes(planned)).toEqual(["comment"]);
    expect(rig.edits()).toEqual([]);
  });

  it("is ignored if the comment already exists", () => {
    const { rig, uid } = withItem(acceptRig(), aTask(1));
    rig.store.comments.put({
      id: serviceId(9),
      projectId: aTask(1).projectId,
      listId: listId(3001),
      taskId: serviceId(1),
      description: "<p>Read &amp; done</p>",
      creatorId: null,
      byMe: false,
      createdAt: null,
    });
    const text = calendar(vtodo(uid, "COMMENT:Read & done", "COMMENT:New", "COMMENT:New"));
    expect(codes(rig.one(text))).toEqual(["comment"]);
    expect(rig.one(text)).toMatchObject({ action: "unchanged", problems: [] });
    expect(rig.edits()).toHaveLength(1);
  });

  it.each([
    ["an event", anEvent(2), (uid: string) => vevent(uid, "COMMENT:Hello")],
    [
      "a subtask",
      aTask(3, { kind: "subtask", parentId: serviceId(1) }),
      (uid: string) => vtodo(uid, "COMMENT:Hello"),
    ],
  ])("is kept here for %s, which has no comments", (_name, item, write) => {
    const { rig, uid } = withItem(acceptRig(), item);
    const planned = rig.one(calendar(write(uid)));
    expect(planned).toMatchObject({ action: "unchanged", editId: null });
    expect(messages(planned.problems)).toBe(
      "COMMENT is stored in Dayferry only; the service has no field for it: it has comments on tasks only",
    );
    expect(kept(rig, uid)?.raw).toContain("COMMENT:Hello");
  });
});

describe("ATTACH in a file", () => {
  it("goes with a new task, and into the folder for everything else", () => {
    const rig = acceptRig();
    const [task, event] = [rig.put(aTask(1)), rig.put(anEvent(2))];
    const { items } = rig.plan(
      calendar(
        vtodo("new@example.com", "SUMMARY:New", file("a.txt", "one")),
        vtodo(task, file("b.txt", "two")),
        vevent(event, file("c.txt", "three")),
        vevent("party@example.com", "SUMMARY:P", "DTSTART;VALUE=DATE:20261224", file("d.txt", "4")),
      ),
      { listId: list },
    );
    expect(items.map(({ action }) => action)).toEqual(["create", "update", "update", "create"]);
    expect(items.map(({ problems }) => messages(problems))).toEqual([
      expect.stringContaining('"a.txt" (3 bytes) is uploaded and attached'),
      ...Array.from({ length: 3 }, () =>
        expect.stringContaining("the service attaches files only to new tasks"),
      ),
    ]);
    const targets = rig.edits().map(({ id }) => rig.store.extras.ofEdit(id)[0]?.target);
    expect(targets).toEqual(["item", "folder", "folder", "folder"]);
  });

  it("is ignored if the same file was sent for the same item", () => {
    const { rig, uid } = withItem(acceptRig(), aTask(1));
    rig.plan(calendar(vtodo(uid, file("b.txt", "two"))));
    expect(rig.one(calendar(vtodo(uid, file("b.txt", "two"))))).toMatchObject({
      action: "unchanged",
    });
    expect(codes(rig.one(calendar(vtodo(uid, file("b.txt", "three")))))).toEqual(["attachment"]);
  });

  it("is kept here if it is a link", () => {
    const { rig, uid } = withItem(acceptRig(), aTask(1));
    const planned = rig.one(calendar(vtodo(uid, "ATTACH:https://example.com/a.pdf")));
    expect(messages(planned.problems)).toContain("ATTACH is stored in Dayferry only");
  });
});

describe("what the service cannot store", () => {
  const odd = ["LOCATION:Room 3", "X-ROOM-COLOUR;VALUE=TEXT:red", "PRIORITY:1"];

  it("is kept beside the edit as the client wrote it, and listed with it", () => {
    const { rig, uid } = withItem(acceptRig(), anEvent(1));
    const planned = rig.one(calendar(vevent(uid, "SUMMARY:Renamed", ...odd)));
    expect(planned.action).toBe("update");
    expect(messages(planned.problems)).toContain(
      "LOCATION is stored in Dayferry only; the service has no field for it: the service has no field for a place",
    );
    expect(kept(rig, uid)).toMatchObject({ channel: "upload", uid, at: rig.clock() });
    expect(kept(rig, uid)?.raw.split("\n")).toEqual([
      "BEGIN:VEVENT",
      `UID:${uid}`,
      "SUMMARY:Renamed",
      ...odd,
      "END:VEVENT",
    ]);
    const [edit] = rig.edits();
    expect(rig.store.extras.ofEdit(edit?.id ?? never())).toMatchObject([
      { kind: "kept", name: "LOCATION", text: "LOCATION:Room 3", state: "done" },
      { kind: "kept", name: "X-ROOM-COLOUR", text: "X-ROOM-COLOUR;VALUE=TEXT:red" },
      { kind: "kept", name: "PRIORITY" },
    ]);
  });

  it("is kept for an unchanged item, and survives a later file without it", () => {
    const { rig, uid } = withItem(acceptRig(), anEvent(1));
    expect(rig.one(calendar(vevent(uid, "LOCATION:Room 3")))).toMatchObject({
      action: "unchanged",
      editId: null,
    });
    rig.one(calendar(vevent(uid, "SUMMARY:Renamed")));
    expect(kept(rig, uid)?.raw).toContain("LOCATION:Room 3");
  });

  it("is not kept here if it comes by CalDAV, where calendars keep it", () => {
    const { rig, uid } = withItem(acceptRig(), anEvent(1));
    rig.one(calendar(vevent(uid, "SUMMARY:Again", "LOCATION:Room 3")), { channel: "caldav" });
    expect(kept(rig, uid)).toBeNull();
  });

  it("changes two-way calendars once for an unchanged item", () => {
    const { rig, uid } = withItem(acceptRig(), anEvent(1));
    const before = rig.store.changes.latest();
    rig.one(calendar(vevent(uid, "LOCATION:Room 3")));
    expect(rig.store.changes.latest()).toBe(before + 1);
    rig.one(calendar(vevent(uid, "LOCATION:Room 3")));
    expect(rig.store.changes.latest()).toBe(before + 1);
  });

  it("includes a second alarm as a whole", () => {
    const { rig, uid } = withItem(acceptRig(), anEvent(1));
    const alarm = (trigger: string) =>
      ["BEGIN:VALARM", "ACTION:DISPLAY", `TRIGGER:${trigger}`, "END:VALARM"].join("\r\n");
    rig.one(
      calendar(
        vevent(uid, "DTSTART;TZID=Europe/Berlin:20261123T100000", alarm("-PT15M"), alarm("-P1D")),
      ),
    );
    const [edit] = rig.edits();
    const [kept] = rig.store.extras.ofEdit(edit?.id ?? never());
    expect(kept).toMatchObject({ kind: "kept", name: "VALARM" });
    expect(kept?.text).toContain("TRIGGER:-P1D");
  });

  it("includes all lines of a property, and those of a component", () => {
    const { rig, uid } = withItem(acceptRig(), anEvent(1));
    const part = ["BEGIN:X-Box", "X-COLOUR:blue", "END:X-Box"];
    rig.one(
      calendar(vevent(uid, "SUMMARY:New", "X-COLOUR:red", ...part, "x-colour;VALUE=TEXT:green")),
    );
    const [edit] = rig.edits();
    const extras = rig.store.extras.ofEdit(edit?.id ?? never());
    expect(extras.find(({ name }) => name === "X-COLOUR")?.text).toBe(
      "X-COLOUR:red\nx-colour;VALUE=TEXT:green\nX-COLOUR:blue",
    );
  });

  it("may be 4,900 different properties", () => {
    const { rig, uid } = withItem(acceptRig(), anEvent(1));
    const lines = Array.from({ length: 4900 }, (_, at) => `X-P${at}:${at}`);
    rig.one(calendar(vevent(uid, "SUMMARY:New", ...lines)));
    const [edit] = rig.edits();
    const extras = rig.store.extras.ofEdit(edit?.id ?? never());
    expect(extras.map(({ text }) => text)).toEqual(lines);
  });

  it("is not kept if the item is refused", () => {
    const { rig, uid } = withItem(acceptRig(), anEvent(1));
    const planned = rig.one(calendar(vevent(uid, "RRULE:FREQ=DAILY", "LOCATION:Room 3")));
    expect(planned.action).toBe("refused");
    expect(kept(rig, uid)).toBeNull();
  });
});

describe("the date of a custom field", () => {
  const customFields = [
    { id: serviceId(601), title: "Launch", type: "Date", value: "2026-12-24" },
  ] as const;
  const shown = (uid: string, ...lines: readonly string[]) =>
    calendar(vevent(`field-601-${uid}`, ...lines));

  it("is no edit if it is as the feed shows it", () => {
    const { rig, uid } = withItem(acceptRig(), aTask(1, { customFields }));
    const text = shown(uid, "SUMMARY:Task 1: Launch", "DTSTART;VALUE=DATE:20261224");
    expect(rig.one(text)).toMatchObject({ action: "unchanged", problems: [] });
  });

  it.each([
    ["another day", ["DTSTART;VALUE=DATE:20261225"]],
    ["another title", ["SUMMARY:Launch!"]],
    ["a deletion", ["STATUS:CANCELLED"]],
  ])("refuses %s with the reason", (_name, lines) => {
    const { rig, uid } = withItem(acceptRig(), aTask(1, { customFields }));
    const planned = rig.one(shown(uid, ...lines));
    expect(planned.action).toBe("refused");
    expect(codes(planned)).toEqual(["custom-field"]);
    expect(messages(planned.problems)).toContain('the task "Task 1"');
    expect(rig.edits()).toEqual([]);
  });
});

function never(): never {
  throw new Error("there is no edit");
}
