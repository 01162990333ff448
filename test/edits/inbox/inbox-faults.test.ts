import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { zone } from "../../../packages/ical/test/files.ts";
import type { DropFolder } from "../../../src/drop/drop-folder.ts";
import { createCalendarReader } from "../../../src/ics/read/calendar-reader.ts";
import { born, inboxRig } from "./inbox-rig.ts";

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
    expect(rig.report("done/2001/x.ics")).toContain("accepted as edit 1");
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

describe("createInbox() with a long file", () => {
  const filler = "X-FILLER:x\r\n".repeat(8000);
  const long = (uid: string) => born(uid).replace("END:VEVENT", `${filler}END:VEVENT`);
  const plain = (uid: string) => born(uid).replace("END:VCALENDAR", `${filler}END:VCALENDAR`);

  it("step() result when it lies still: read beside, its edits stored, put away with its report", async () => {
    const rig = inboxRig({ reader: createCalendarReader({ zone, pause: nextTurn }) });
    rig.drop("2001/good.ics", plain("good@example.com"));
    rig.drop("2001/wrong.ics", long("wrong@example.com"));
    await rig.settle();
    expect(rig.edits()).toMatchObject([{ action: "create" }]);
    expect(rig.report("done/2001/good.ics")).toContain("accepted as edit 1");
    expect(rig.report("refused/2001/wrong.ics")).toContain("more than 5000 lines");
    expect(rig.files("2001")).toEqual([]);
  });

  it("step() result when it is written over while it is read: what stands there in the end is applied", async () => {
    const reader = createCalendarReader({ zone, pause: nextTurn });
    let writeOver = () => {};
    const rig = inboxRig({
      reader: {
        ...reader,
        async file(bytes) {
          const read = await reader.file(bytes);
          writeOver();
          return read;
        },
      },
    });
    rig.drop("2001/x.ics", plain("first@example.com"));
    writeOver = () => rig.drop("2001/x.ics", plain("second@example.com"));
    await rig.settle();
    expect(rig.edits()).toEqual([]);
    expect(rig.files("2001")).toEqual(["x.ics"]);
    writeOver = () => {};
    await rig.settle();
    await rig.settle();
    expect(rig.edits()).toHaveLength(1);
    expect(rig.store.view.findUid("second@example.com")).not.toBeNull();
    expect(rig.files("2001")).toEqual([]);
  });

  it("step() result when it is taken away while it is read: nothing, and no fault", async () => {
    const reader = createCalendarReader({ zone, pause: nextTurn });
    const rig = inboxRig({
      reader: {
        ...reader,
        async file(bytes) {
          rmSync(join(rig.root, "2001/x.ics"));
          return reader.file(bytes);
        },
      },
    });
    rig.drop("2001/x.ics", plain("x@example.com"));
    await rig.settle();
    expect(rig.edits()).toEqual([]);
    expect(rig.inbox().state().problem).toBeNull();
  });
});

describe("createInbox() on a disk that refuses", () => {
  it("step() result when the folder cannot be made: told once, and taken up when it can", async () => {
    const rig = inboxRig();
    writeFileSync(rig.root, "in the way");
    await rig.settle();
    await rig.settle();
    expect(rig.inbox().state().problem).toContain("there is a file in place of a folder");
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
    expect(rig.inbox().state().problem).toContain("cannot be moved away (ENOSPC)");
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
