import { describe, expect, it } from "vitest";
import { personId, projectId } from "../../../src/domain/ids.ts";
import { vtodo } from "../../edits/rig.ts";
import { aTask, aTodolist } from "../../support/items.ts";
import { object, objectRig, twoListsRig, uidOf, withMember } from "./object-rig.ts";

const phone = { "user-agent": "Tasks/1" };

describe("a PUT without conditions", () => {
  it("recognizes the program's own previous version, although it names the one before", () => {
    const { rig, path } = withMember(objectRig(), aTask(601, { title: "Chore" }));
    const first = rig.text(path);
    const second = first.replace("SUMMARY:Chore", "SUMMARY:By phone");
    expect(rig.ask("PUT", path, { body: second, headers: phone }).status).toBe(204);
    expect(rig.itemOf(uidOf(path))).toMatchObject({ title: "By phone" });
    expect(rig.ask("PUT", path, { body: first, headers: phone }).status).toBe(204);
    expect(rig.itemOf(uidOf(path))).toMatchObject({ title: "Chore" });
  });

  it("keeps another field that someone else has changed in between", () => {
    const { rig, path } = withMember(objectRig(), aTask(601, { title: "Chore" }));
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

  const near = "/dav/calendars/11/tasks-3003";
  const own = (...lines: readonly string[]) => object(vtodo("own@example.com", ...lines));

  it.each([
    ["there", "/dav/calendars/11/tasks-3001/own.ics"],
    ["in another calendar, as the first half of a move", `${near}/own.ics`],
  ])("knows which version a program has kept as it had put it: %s", (_where, target) => {
    const rig = twoListsRig();
    const path = "/dav/calendars/11/tasks-3001/own.ics";
    const put = (at: string, body: string) => rig.ask("PUT", at, { body, headers: phone }).status;
    expect(put(path, own("SUMMARY:Chore"))).toBe(201);
    rig.clock.advance({ seconds: 9 });
    rig.send(object(vtodo("own@example.com", "SUMMARY:By someone else")));
    rig.clock.advance({ seconds: 9 });
    expect(put(target, own("SUMMARY:Chore", "DESCRIPTION:New words"))).toBeLessThan(300);
    expect(rig.itemOf("own@example.com")).toMatchObject({
      title: "By someone else",
      description: "New words",
    });
  });

  it.each([
    ["its own octets are the last", false],
    ["another program has put others since", true],
  ])("knows what the person's own files have said since: %s", (_when, isOther) => {
    const rig = objectRig();
    const path = "/dav/calendars/11/tasks-3001/own.ics";
    rig.store.directory.putTodolists(projectId(2001), [aTodolist(3001)], true);
    const due = (day: number, ...lines: readonly string[]) =>
      own("SUMMARY:Chore", `DUE;VALUE=DATE:202612${day}`, ...lines);
    expect(rig.ask("PUT", path, { body: due(10), headers: phone }).status).toBe(201);
    rig.clock.advance({ seconds: 9 });
    // Nobody saw a version with this title and the person's new date.
    if (isOther) rig.send(own("SUMMARY:By someone else"));
    rig.clock.advance({ seconds: 9 });
    rig.send(due(11), { actor: personId(11) });
    rig.clock.advance({ seconds: 9 });
    rig.send(due(12));
    rig.clock.advance({ seconds: 9 });
    if (isOther) {
      const body = due(11, "PRIORITY:1");
      rig.ask("PUT", path, { body, headers: { ...phone, "user-agent": "Other/1" } });
      rig.clock.advance({ seconds: 9 });
      rig.send(due(12));
      rig.clock.advance({ seconds: 9 });
    }
    const body = due(11, "DESCRIPTION:New words");
    expect(rig.ask("PUT", path, { body, headers: phone }).status).toBe(204);
    expect(rig.itemOf("own@example.com")).toMatchObject({
      dueOn: Temporal.PlainDate.from("2026-12-12"),
      description: "New words",
    });
  });

  it("does not repeat what the program's octets have said before, however often it is sent", () => {
    const rig = twoListsRig();
    const far = "/dav/calendars/11/tasks-3001/own.ics";
    const put = (at: string, body: string) => rig.ask("PUT", at, { body, headers: phone }).status;
    const old = own("SUMMARY:Chore");
    expect(put(far, old)).toBe(201);
    rig.clock.advance({ seconds: 9 });
    rig.send(object(vtodo("own@example.com", "SUMMARY:By someone else")));
    for (const path of [`${near}/own.ics`, far, `${near}/own.ics`, `${near}/own.ics`]) {
      rig.clock.advance({ seconds: 9 });
      expect(put(path, old), path).toBeLessThan(300);
      expect(rig.itemOf("own@example.com"), path).toMatchObject({ title: "By someone else" });
      expect(rig.text(path)).toContain("SUMMARY:By someone else");
    }
    rig.clock.advance({ seconds: 9 });
    expect(put(`${near}/own.ics`, own("SUMMARY:Chore today"))).toBe(204);
    expect(rig.itemOf("own@example.com")).toMatchObject({ title: "Chore today" });
  });

  it("keeps what someone else has changed before a marked copy is put twice", () => {
    const { rig, path } = withMember(objectRig(), aTask(601, { title: "Chore" }));
    const old = rig.text(path);
    rig.clock.advance({ seconds: 9 });
    rig.send(object(vtodo(uidOf(path), "SUMMARY:By someone else")));
    for (const _again of [1, 2]) {
      rig.clock.advance({ seconds: 9 });
      expect(rig.ask("PUT", path, { body: old, headers: phone }).status).toBe(204);
      expect(rig.itemOf(uidOf(path))).toMatchObject({ title: "By someone else" });
    }
  });

  const other = { ...phone, "user-agent": "Other/2" };
  const done = ["STATUS:NEEDS-ACTION", "STATUS:COMPLETED"] as const;

  it("recognizes the program's own version under a mark that another program has used since", () => {
    const rig = twoListsRig();
    const path = rig.member(aTask(601, { title: "Chore" }));
    const old = rig.text(path);
    const put = (at: string, title: string, headers: Readonly<Record<string, string>>) => {
      rig.clock.advance({ seconds: 9 });
      const body = old.replace("SUMMARY:Chore", `SUMMARY:${title}`);
      return rig.ask("PUT", at, { body, headers }).status;
    };
    expect(put(path, "Mine", phone)).toBe(204);
    expect(put(path, "By another program", other)).toBe(204);
    expect(put(`${near}/own.ics`, "Mine", phone)).toBe(201);
    expect(rig.itemOf(uidOf(path))).toMatchObject({ title: "By another program", listId: 3003 });
  });

  it.each([
    ["of octets that another program has made", (title: string) => own(`SUMMARY:${title}`), null],
    ["under a mark that it shares with later octets", null, "Chore"],
  ])("recognizes an old copy by its contents: %s", (_what, made, title) => {
    const rig = twoListsRig();
    const path =
      title === null ? "/dav/calendars/11/tasks-3001/own.ics" : rig.member(aTask(601, { title }));
    const original = rig.text(path);
    const saying = made ?? ((text: string) => original.replace(/SUMMARY:.*/, `SUMMARY:${text}`));
    const put = (at: string, body: string, headers: Readonly<Record<string, string>>) => {
      rig.clock.advance({ seconds: 9 });
      expect(rig.ask("PUT", at, { body, headers }).status).toBeLessThan(300);
    };
    put(path, saying("First"), phone);
    const copy = rig.text(path);
    put(path, saying("Second"), phone);
    put(`${near}/own.ics`, copy, other);
    const uid = title === null ? "own@example.com" : uidOf(path);
    expect(rig.itemOf(uid)).toMatchObject({ title: "Second", listId: 3003 });
    put(`${near}/own.ics`, saying("Third"), phone);
    put(`${near}/own.ics`, copy.replace("END:VTODO", "DESCRIPTION:New\r\nEND:VTODO"), other);
    expect(rig.itemOf(uid)).toMatchObject({ title: "Third", description: "New" });
  });

  it("recognizes the old copy that a second device of the same program moves", () => {
    const rig = twoListsRig();
    const path = "/dav/calendars/11/tasks-3001/own.ics";
    for (const [at, title] of [
      [path, "First"],
      [path, "Second"],
      [`${near}/own.ics`, "First"],
    ] as const) {
      rig.clock.advance({ seconds: 9 });
      const body = own(`SUMMARY:${title}`);
      expect(rig.ask("PUT", at, { body, headers: phone }).status).toBeLessThan(300);
    }
    expect(rig.itemOf("own@example.com")).toMatchObject({ title: "Second", listId: 3003 });
  });

  it.each([
    ["moves it", `${near}/chore.ics`, "", { listId: 3003, description: null }],
    ["edits it", null, "DESCRIPTION:New words\r\n", { listId: 3001, description: "New words" }],
  ])(
    "recognizes a copy of what was put under a name that no longer exists: %s",
    (_how, at, line, expected) => {
      const rig = twoListsRig();
      const path = rig.member(aTask(601, { title: "Chore" }));
      const first = rig.text(path);
      for (const [from, to, due] of [
        ["Chore", "Second", "20261129"],
        ["Second", "Third", "20261130"],
      ] as const) {
        const body = rig.text(path).replace(`SUMMARY:${from}`, `SUMMARY:${to}`);
        rig.clock.advance({ seconds: 9 });
        expect(rig.ask("PUT", path, { body, headers: phone }).status).toBe(204);
        rig.clock.advance({ seconds: 9 });
        // The object served afterwards names another version.
        rig.send(object(vtodo(uidOf(path), `DUE;VALUE=DATE:${due}`)));
      }
      const copy = first
        .replace("SUMMARY:Chore", "SUMMARY:Second")
        .replace("END:VTODO", `${line}END:VTODO`);
      expect(rig.ask("PUT", at ?? path, { body: copy, headers: other }).status).toBeLessThan(300);
      expect(rig.itemOf(uidOf(path))).toMatchObject({ title: "Third", ...expected });
    },
  );

  it("replaces the version that a refused write of the program met, once", () => {
    const { rig, path } = withMember(objectRig(), aTask(601, { title: "Chore" }));
    const [old, etag] = [rig.text(path), rig.etag(path)];
    const put = (body: string, headers = {}) =>
      rig.ask("PUT", path, { body, headers: { ...phone, ...headers } }).status;
    const send = (...lines: readonly string[]) => {
      rig.clock.advance({ seconds: 9 });
      rig.send(object(vtodo(uidOf(path), ...lines)));
      rig.clock.advance({ seconds: 9 });
    };
    send("SUMMARY:By someone else");
    expect(put(old, { "if-match": etag })).toBe(412);
    send("DUE;VALUE=DATE:20261130");
    expect(put(old)).toBe(204);
    expect(rig.itemOf(uidOf(path))).toMatchObject({
      title: "Chore",
      dueOn: Temporal.PlainDate.from("2026-11-30"),
    });
    send("SUMMARY:By someone else");
    expect(put(old)).toBe(204);
    expect(rig.itemOf(uidOf(path))).toMatchObject({ title: "By someone else" });
  });

  it.each([
    ["a refused PUT, when it moves an old copy", "PUT", `${near}/moved.ics`],
    ["a refused DELETE", "DELETE", null],
  ])("keeps what someone else has changed after %s", (_, method, to) => {
    const rig = twoListsRig();
    const path = rig.member(aTask(601, { title: "Chore" }));
    const [old, etag] = [rig.text(path), rig.etag(path)];
    rig.clock.advance({ seconds: 9 });
    rig.send(object(vtodo(uidOf(path), "SUMMARY:By someone else")));
    rig.clock.advance({ seconds: 9 });
    const refused = { ...phone, "if-match": etag };
    const body = method === "PUT" ? { body: old } : {};
    expect(rig.ask(method, path, { ...body, headers: refused }).status).toBe(412);
    expect(rig.ask("PUT", to ?? path, { body: old, headers: phone }).status).toBeLessThan(300);
    expect(rig.itemOf(uidOf(path))).toMatchObject({ title: "By someone else" });
  });

  it("keeps what someone else has changed if a move names a version that a restore has forgotten", () => {
    const rig = twoListsRig();
    const path = rig.member(aTask(601, { title: "Chore" }));
    const copy = rig.text(path).replace(/X-DAYFERRY-BASE:\d+/, "X-DAYFERRY-BASE:900");
    rig.clock.advance({ seconds: 9 });
    rig.send(object(vtodo(uidOf(path), "SUMMARY:By someone else")));
    rig.clock.advance({ seconds: 9 });
    const ticked = copy.replace(...done).replace("SUMMARY:Chore", "SUMMARY:By someone else");
    expect(rig.ask("PUT", path, { body: ticked, headers: other }).status).toBe(204);
    rig.clock.advance({ seconds: 9 });
    const moved = rig.ask("PUT", `${near}/moved.ics`, { body: copy, headers: phone });
    expect(moved.status).toBe(201);
    expect(rig.itemOf(uidOf(path))).toMatchObject({ title: "By someone else", listId: 3003 });
  });

  it("follows another program that restores an earlier value", () => {
    const { rig, path } = withMember(objectRig(), aTask(601, { title: "Chore" }));
    const first = rig.text(path);
    const second = first.replace(...done);
    rig.ask("PUT", path, { body: second, headers: phone });
    expect(rig.itemOf(uidOf(path))).toMatchObject({ completed: true });
    expect(rig.text(path)).toBe(second);
    expect(rig.ask("PUT", path, { body: first, headers: other }).status).toBe(204);
    expect(rig.itemOf(uidOf(path))).toMatchObject({ completed: false });
  });

  it("compares another program's edit of an older copy with the version it names", () => {
    const { rig, path } = withMember(objectRig(), aTask(601, { title: "Chore" }));
    const first = rig.text(path);
    rig.ask("PUT", path, { body: first.replace(...done), headers: phone });
    const stale = first.replace("SUMMARY:Chore", "SUMMARY:By another");
    expect(rig.ask("PUT", path, { body: stale, headers: other }).status).toBe(204);
    expect(rig.itemOf(uidOf(path))).toMatchObject({ title: "By another", completed: true });
  });

  it("compares it with the present version if its SEQUENCE has gone on", () => {
    const { rig, path } = withMember(objectRig(), aTask(601, { title: "Chore" }));
    const first = rig.text(path);
    const second = first.replace(...done).replace("SEQUENCE:0", "SEQUENCE:1");
    rig.ask("PUT", path, { body: second, headers: phone });
    const third = first
      .replace("SUMMARY:Chore", "SUMMARY:By another")
      .replace("SEQUENCE:0", "SEQUENCE:2");
    expect(rig.ask("PUT", path, { body: third, headers: other }).status).toBe(204);
    expect(rig.itemOf(uidOf(path))).toMatchObject({ title: "By another", completed: false });
  });
});
