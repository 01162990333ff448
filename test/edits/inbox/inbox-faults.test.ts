import { rmSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { DropFolder } from "../../../src/drop/drop-folder.ts";
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
