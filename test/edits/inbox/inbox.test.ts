import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { listId, projectId } from "../../../src/domain/ids.ts";
import { createDropFolder, type DropFolder } from "../../../src/drop/folder.ts";
import { createInbox, type InboxEvent } from "../../../src/edits/inbox/inbox.ts";
import { describeFile, readAccepted } from "../../../src/edits/inbox/plan-text.ts";
import { createAccept } from "../../../src/edits/intake/accept.ts";
import { anEvent, aProject, aTask, aTodolist } from "../../support/items.ts";
import { testDirectory } from "../../support/test-store.ts";
import { acceptRig, calendar, type RigSetting, vevent, vtodo } from "../rig.ts";

/** The inbox of a store, with a clock of its own for how long files lie still. */
function inboxRig(
  setting: RigSetting & { readonly wrap?: (folder: DropFolder) => DropFolder } = {},
) {
  const rig = acceptRig(setting);
  const root = join(testDirectory(), "inbox");
  const folder = createDropFolder(root);
  const events: InboxEvent[] = [];
  let now = 0;
  let known = true;
  const open = (wrap = setting.wrap) =>
    createInbox({
      path: root,
      folder: wrap?.(folder) ?? folder,
      store: rig.store,
      accept: createAccept(rig.deps),
      clock: rig.clock,
      monotonic: () => now,
      known: () => known,
      onEvent: (event) => events.push(event),
    });
  let inbox = open();
  const files = (place: string): readonly string[] =>
    existsSync(join(root, place))
      ? readdirSync(join(root, place), { recursive: true, withFileTypes: true })
          .filter((entry) => entry.isFile())
          .map((entry) => join(entry.parentPath, entry.name).slice(join(root, place).length + 1))
          .toSorted()
      : [];
  return {
    ...rig,
    root,
    events,
    inbox: () => inbox,
    files,
    report: (place: string) => readFileSync(join(root, `${place}.report.txt`), "utf8"),
    drop(path: string, content: string | Uint8Array) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), content);
    },
    /** Looks at once. */
    look: () => inbox.step(),
    /** Looks twice, so that what lies still is dealt with. */
    async settle(ms = 600) {
      await inbox.step();
      now += ms;
      await inbox.step();
    },
    knows: (value: boolean) => {
      known = value;
    },
    /** What the process knew is gone. */
    restart(wrap?: (folder: DropFolder) => DropFolder) {
      inbox = open(wrap);
    },
  };
}

const born = (uid: string, title = "Born in a file") =>
  calendar(vevent(uid, `SUMMARY:${title}`, "DTSTART;VALUE=DATE:20270401"));

describe("createInbox()", () => {
  it("step() result when a file changes a known item and makes a new one: both are stored, the file lies in done with the command line's report", async () => {
    const rig = inboxRig();
    const uid = rig.put(anEvent(1, { title: "Review" }));
    const text = calendar(
      vevent(uid, "SUMMARY:Review, moved", "LOCATION:Room 5"),
      vevent("new-1@example.com", "SUMMARY:Kick-off", "DTSTART;VALUE=DATE:20270401"),
    );
    const preview = describeFile(
      { file: "website/plan.ics", answer: readAccepted(rig.plan(text, { dryRun: true })) },
      false,
    );
    rig.drop("website/plan.ics", text);
    await rig.settle();

    expect(rig.edits().map(({ channel, actor, action }) => [channel, actor, action])).toEqual([
      ["inbox", null, "update"],
      ["inbox", null, "create"],
    ]);
    expect(rig.files("website")).toEqual([]);
    expect(rig.files("done")).toEqual(["website/plan.ics", "website/plan.ics.report.txt"]);
    const report = rig.report("done/website/plan.ics");
    expect(report.replaceAll(/ \(edit \d+\)/g, "")).toBe(preview);
    expect(report).toContain('update event "Review, moved" (edit 1)');
    expect(report).toMatch(/line 7: LOCATION .*no field for a place/);
    expect(rig.store.inboxFiles.all()).toEqual([]);
    expect(rig.inbox().state()).toMatchObject({
      problem: null,
      waiting: 0,
      last: { file: "website/plan.ics", target: "done/website/plan.ics" },
    });
    expect(rig.events).toEqual([
      { kind: "finished", file: "website/plan.ics", target: "done/website/plan.ics" },
    ]);
    expect(rig.woken()).toBe(1);
  });

  it("step() result when a file lies in the root: known items are taken, new ones refused with what to do", async () => {
    const rig = inboxRig();
    const uid = rig.put(anEvent(1, { title: "Review" }));
    rig.drop("known.ics", calendar(vevent(uid, "SUMMARY:Moved")));
    rig.drop("both.ics", calendar(vevent(uid, "SUMMARY:Again"), vevent("n@x", "SUMMARY:New")));
    rig.drop("new.ics", born("new@example.com"));
    rig.drop("todo.ics", calendar(vtodo("todo@example.com", "SUMMARY:New task")));
    await rig.settle();

    expect(rig.files("done")).toEqual([
      "both.ics",
      "both.ics.report.txt",
      "known.ics",
      "known.ics.report.txt",
    ]);
    expect(rig.files("refused")).toContain("new.ics");
    expect(rig.files("refused")).toContain("todo.ics");
    for (const name of ["refused/new.ics", "refused/todo.ics", "done/both.ics"]) {
      expect(rig.report(name)).toContain("put it into a project's folder");
    }
    expect(rig.report("done/both.ics")).toContain('update event "Again"');
    expect(rig.edits()).toHaveLength(2);
  });

  it("step() result when a subtask of a known task lies in the root: its parent says where it belongs", async () => {
    const rig = inboxRig();
    const parent = rig.put(aTask(7, { title: "Parent" }));
    rig.drop("sub.ics", calendar(vtodo("s@x", "SUMMARY:Below", `RELATED-TO:${parent}`)));
    await rig.settle();
    expect(rig.edits().map(({ base }) => base)).toMatchObject([{ kind: "subtask", parentId: 7 }]);
  });

  it("step() result when the folders name project and list, by number or by name: new items go there", async () => {
    const rig = inboxRig();
    rig.store.directory.putTodolists(
      null,
      [aTodolist(3001, { title: "To do: Größe" }), aTodolist(3009, { projectId: projectId(2002) })],
      true,
    );
    const task = (uid: string) => calendar(vtodo(uid, `SUMMARY:${uid}`));
    rig.drop("2001/3001/a.ics", task("a"));
    rig.drop("Website/to-do-grosse/b.ics", task("b"));
    rig.drop("trade-fair/3009/c.ics", task("c"));
    rig.drop("2002/d.ics", born("d"));
    await rig.settle();
    const places = rig.edits().map(({ base }) => {
      return [base.projectId, base.kind === "event" ? null : base.listId];
    });
    expect(places).toEqual([
      [2001, 3001],
      [2002, null],
      [2001, listId(3001)],
      [2002, 3009],
    ]);
  });

  it.each([
    ["nowhere/x.ics", 'the folder "nowhere" names no project'],
    ["2009/x.ics", 'the folder "2009" names no project'],
    ["2001/3009/x.ics", 'the folder "3009" names no todolist'],
    ["2001/3001/deeper/x.ics", "nothing below them"],
    ["twin/x.ics", "more than one project: use the number, 2003 and 2004"],
    ["---/x.ics", "names no project"],
  ])("step() result when a file lies at %s: refused, as %s", async (path, reason) => {
    const rig = inboxRig();
    rig.store.directory.putProjects(
      [aProject(2001, "Website"), aProject(2003, "Twin"), aProject(2004, "twin!")],
      true,
    );
    rig.drop(path, born("x@example.com"));
    await rig.settle();
    expect(rig.report(`refused/${path}`)).toContain(reason);
    expect(rig.edits()).toEqual([]);
  });

  it("step() result when a file is being written: nothing until it lies still, and a cut one waits longer", async () => {
    const rig = inboxRig();
    const whole = born("slow@example.com");
    rig.drop("2001/slow.ics", whole.slice(0, 60));
    await rig.look();
    rig.drop("2001/slow.ics", whole.slice(0, 100));
    await rig.settle(400);
    expect(rig.inbox().rest().total("milliseconds")).toBe(250);
    await rig.settle(600);
    await rig.settle(5000);
    expect(rig.files("refused")).toEqual([]);
    expect(rig.inbox().state().waiting).toBe(1);
    rig.drop("2001/slow.ics", whole);
    await rig.settle();
    expect(rig.files("done")).toEqual(["2001/slow.ics", "2001/slow.ics.report.txt"]);
    expect(rig.inbox().rest().total("milliseconds")).toBe(5000);
    expect(rig.edits()).toHaveLength(1);
  });

  it("step() result when a cut file stays cut: refused with its line after a while", async () => {
    const rig = inboxRig();
    rig.drop("2001/cut.ics", born("cut@example.com").slice(0, 100));
    await rig.settle();
    expect(rig.files("refused")).toEqual([]);
    await rig.settle(11_000);
    expect(rig.report("refused/2001/cut.ics")).toMatch(/refused: line \d+: the file ends inside/);
  });

  it.each([
    ["not UTF-8", Buffer.from([0x42, 0xff, 0xfe, 0x41]), "not UTF-8"],
    ["a web page", "<html>sign in</html>", "a web page"],
    ["too large", Buffer.alloc(5_000_001, 65), "more than the 5000000 allowed"],
    ["no calendar", "hello", "no BEGIN:VCALENDAR"],
  ])("step() result when a file is %s: refused with the reason", async (_what, content, reason) => {
    const rig = inboxRig();
    rig.drop("2001/bad.ics", content);
    await rig.settle();
    expect(rig.report("refused/2001/bad.ics")).toContain(`refused: `);
    expect(rig.report("refused/2001/bad.ics")).toContain(reason);
  });

  it("step() result when something of a file is refused, or left aside: the report names UID, line and reason", async () => {
    const rig = inboxRig();
    rig.drop(
      "2001/mixed.ics",
      calendar(
        vevent("good@x", "SUMMARY:Good", "DTSTART;VALUE=DATE:20270401"),
        vevent("weekly@x", "SUMMARY:Weekly", "DTSTART:20270401T100000Z", "RRULE:FREQ=WEEKLY"),
        "BEGIN:VJOURNAL\r\nUID:diary@x\r\nEND:VJOURNAL",
      ),
    );
    await rig.settle();
    const report = rig.report("done/2001/mixed.ics");
    expect(report).toMatch(/refused event "Weekly" {2}weekly@x\n {4}line \d+: RRULE/);
    expect(report).toMatch(/refused: line \d+: VJOURNAL is left aside.*\(UID diary@x\)/);
  });

  it("step() result when nothing changes: done, and no edit", async () => {
    const rig = inboxRig();
    const uid = rig.put(anEvent(1, { title: "Review" }));
    rig.drop("same.ics", calendar(vevent(uid, "SUMMARY:Review")));
    rig.drop("none.ics", calendar());
    await rig.settle();
    expect(rig.report("done/same.ics")).toContain("1 unchanged");
    expect(rig.files("done")).toContain("none.ics");
    expect(rig.edits()).toEqual([]);
  });

  it("step() result when the same name comes again: both are kept, each with its report", async () => {
    const rig = inboxRig();
    for (const title of ["One", "Two", "Three"]) {
      rig.drop("2001/x.ics", born(`${title}@x`, title));
      await rig.settle();
    }
    expect(rig.files("done").filter((name) => name.endsWith(".ics"))).toEqual([
      "2001/x.20261120T120000Z-2.ics",
      "2001/x.20261120T120000Z.ics",
      "2001/x.ics",
    ]);
    expect(rig.report("done/2001/x.20261120T120000Z-2.ics")).toContain("Three");
    expect(rig.files("done")).toHaveLength(6);
  });

  it("step() result when review is asked for: edits are held and the report says so", async () => {
    const rig = inboxRig({ mode: "review" });
    rig.drop("2001/x.ics", born("x@example.com"));
    await rig.settle();
    expect(rig.edits().map(({ state }) => state)).toEqual(["held"]);
    expect(rig.files("done")).toContain("2001/x.ics");
  });

  it("step() result when the workspace was never read: files wait", async () => {
    const rig = inboxRig();
    rig.knows(false);
    rig.drop("2001/x.ics", born("x@example.com"));
    await rig.settle();
    await rig.settle();
    expect(rig.edits()).toEqual([]);
    rig.knows(true);
    await rig.settle();
    expect(rig.edits()).toHaveLength(1);
  });
});

describe("createInbox() after a crash", () => {
  class Crash extends Error {}
  const crashing = (folder: DropFolder): DropFolder => ({
    ...folder,
    putAway() {
      throw new Crash();
    },
  });
  const crashingAfterMove = (folder: DropFolder): DropFolder => ({
    ...folder,
    putAway(file) {
      folder.putAway(file);
      throw new Crash();
    },
  });

  it("step() result when the process died between storing and moving: moved with its report, not applied again", async () => {
    const rig = inboxRig({ wrap: crashing });
    rig.drop("2001/x.ics", born("x@example.com"));
    await expect(rig.settle()).rejects.toThrow(Crash);
    expect(rig.edits()).toHaveLength(1);
    expect(rig.files("2001")).toEqual(["x.ics"]);

    rig.restart((folder) => folder);
    await rig.settle();
    expect(rig.edits()).toHaveLength(1);
    expect(rig.files("2001")).toEqual([]);
    expect(rig.report("done/2001/x.ics")).toContain("(edit 1)");
    expect(rig.store.inboxFiles.all()).toEqual([]);
  });

  it("step() result when it died after moving: the next file of the name is a new one", async () => {
    const rig = inboxRig({ wrap: crashingAfterMove });
    const text = born("x@example.com");
    rig.drop("2001/x.ics", text);
    await expect(rig.settle()).rejects.toThrow(Crash);
    rig.restart((folder) => folder);
    rig.drop("2001/x.ics", `${text}\r\n`);
    await rig.settle();
    expect(rig.files("2001")).toEqual([]);
    expect(rig.files("done").filter((name) => name.endsWith(".ics"))).toHaveLength(2);
    expect(rig.report("done/2001/x.20261120T120000Z.ics")).toContain("1 unchanged");
  });

  it("step() result when another file was put in its place: that one is applied", async () => {
    const rig = inboxRig({ wrap: crashing });
    rig.drop("2001/x.ics", born("x@example.com"));
    await expect(rig.settle()).rejects.toThrow(Crash);
    rig.restart((folder) => folder);
    rig.drop("2001/x.ics", born("y@example.com"));
    await rig.settle();
    expect(rig.edits()).toHaveLength(2);
    expect(rig.store.inboxFiles.all()).toEqual([]);
  });
});

describe("createInbox() on a disk that refuses", () => {
  it("step() result when the folder cannot be made: told once, and taken up when it can", async () => {
    const rig = inboxRig();
    writeFileSync(rig.root, "in the way");
    await rig.settle();
    await rig.settle();
    expect(rig.inbox().state().problem).toContain("a file stands where a folder is needed");
    expect(rig.inbox().rest().total("seconds")).toBe(5);
    rmSync(rig.root);
    rig.drop("2001/x.ics", born("x@example.com"));
    await rig.settle();
    expect(rig.inbox().state().problem).toBeNull();
    expect(rig.events.map(({ kind }) => kind)).toEqual(["unusable", "usable", "finished"]);
    expect(rig.edits()).toHaveLength(1);
  });

  it("step() result when one file cannot be moved: the others are, and it is not applied twice", async () => {
    let isFull = true;
    const rig = inboxRig({
      wrap: (folder) => ({
        ...folder,
        putAway(file) {
          if (isFull && file.path.endsWith("a.ics")) {
            throw Object.assign(new Error("no space"), { code: "ENOSPC", syscall: "mkdir" });
          }
          folder.putAway(file);
        },
      }),
    });
    rig.drop("2001/a.ics", born("a@example.com"));
    rig.drop("2001/b.ics", born("b@example.com"));
    await rig.settle();
    await rig.settle();
    expect(rig.files("2001")).toEqual(["a.ics"]);
    expect(rig.edits()).toHaveLength(2);
    expect(rig.inbox().state().problem).toContain("cannot be put away (ENOSPC)");
    isFull = false;
    await rig.settle();
    expect(rig.files("2001")).toEqual([]);
    expect(rig.edits()).toHaveLength(2);
    expect(rig.inbox().state().problem).toBeNull();
  });

  it("step() result when the folder vanishes while it is looked at: told", async () => {
    const rig = inboxRig({
      wrap: (folder) => ({ ...folder, files: () => ({ ok: false, failure: "permission denied" }) }),
    });
    await rig.look();
    expect(rig.inbox().state().problem).toContain("permission denied");
  });
});
