import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { zone } from "../../../packages/ical/test/files.ts";
import type { DropFolder } from "../../../src/drop/drop-folder.ts";
import { createCalendarReader } from "../../../src/ics/read/calendar-reader.ts";
import { born, inboxRig } from "./inbox-rig.ts";

describe("the inbox after a crash", () => {
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

  it("moves a file that was already applied, with its report, and applies nothing twice", async () => {
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

  it("treats the next file of the same name as new if the first one was already moved", async () => {
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

  it("applies a file that was put in place of the first one", async () => {
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

describe("a long file in the inbox", () => {
  const filler = "X-FILLER:x\r\n".repeat(8000);
  const long = (uid: string) => born(uid).replace("END:VEVENT", `${filler}END:VEVENT`);
  const plain = (uid: string) => born(uid).replace("END:VCALENDAR", `${filler}END:VCALENDAR`);

  it("is read in a thread, applied and moved with its report", async () => {
    const rig = inboxRig({ reader: createCalendarReader({ zone, pause: nextTurn }) });
    rig.drop("2001/good.ics", plain("good@example.com"));
    rig.drop("2001/wrong.ics", long("wrong@example.com"));
    await rig.settle();
    expect(rig.edits()).toMatchObject([{ action: "create" }]);
    expect(rig.report("done/2001/good.ics")).toContain("accepted as edit 1");
    expect(rig.report("refused/2001/wrong.ics")).toContain("more than 5000 lines");
    expect(rig.files("2001")).toEqual([]);
  });

  it("is applied as it ends up if it is overwritten while it is read", async () => {
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

  it("is ignored without an error if it is removed while it is read", async () => {
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

describe("the inbox on a failing disk", () => {
  it("reports once that the folder cannot be created, and continues when it can", async () => {
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

  it("moves the other files if one cannot be moved, and applies it only once", async () => {
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

  it("reports that the folder vanished while it was read", async () => {
    const rig = inboxRig({
      wrap: (folder) => ({ ...folder, files: () => ({ ok: false, failure: "permission denied" }) }),
    });
    await rig.look();
    expect(rig.inbox().state().problem).toContain("permission denied");
  });
});
