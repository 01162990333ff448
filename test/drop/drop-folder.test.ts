import { execFileSync } from "node:child_process";
import {
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createDropFolder, stampOf } from "../../src/drop/drop-folder.ts";
import { testDirectory } from "../support/test-store.ts";

const at = Temporal.Instant.from("2026-11-20T12:00:00.123Z");

function aFolder() {
  const root = join(testDirectory(), "deep", "inbox");
  const folder = createDropFolder(root);
  expect(folder.prepare()).toMatchObject({ ok: true });
  const drop = (path: string, text = "x") => {
    mkdirSync(join(root, path, ".."), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  const paths = () => {
    const listed = folder.files();
    return listed.ok ? listed.value.map(({ path }) => path) : listed.failure;
  };
  return { root, folder, drop, paths };
}

describe("the drop folder", () => {
  it("is created with both subfolders", () => {
    const { root, folder } = aFolder();
    expect(["", "done", "refused"].map((name) => existsSync(join(root, name)))).toEqual([
      true,
      true,
      true,
    ]);
    expect(folder.prepare().ok).toBe(true);
  });

  it("fails with a reason if a file is in the way", () => {
    const place = testDirectory();
    writeFileSync(join(place, "inbox"), "");
    expect(createDropFolder(join(place, "inbox")).prepare()).toEqual({
      ok: false,
      failure: "there is a file in place of a folder",
    });
    expect(createDropFolder(join(place, "inbox", "below")).prepare().ok).toBe(false);
  });

  it("lists calendar files only, by path", () => {
    const { root, drop, paths } = aFolder();
    for (const path of ["b.ics", "2001/3001/c.ICS", "2001/a.ics", "a.ics"]) drop(path);
    for (const path of ["done/x.ics", "refused/2001/x.ics", ".hidden.ics", ".git/x.ics"])
      drop(path);
    for (const path of ["note.txt", "x.ics.part", "x.ics~", "2001/done.txt"]) drop(path);
    mkdirSync(join(root, "folder.ics"));
    symlinkSync("/etc/passwd", join(root, "link.ics"));
    expect(paths()).toEqual(["2001/3001/c.ICS", "2001/a.ics", "a.ics", "b.ics"]);
  });

  it("includes a project's folder called done", () => {
    const { drop, paths } = aFolder();
    drop("2001/done/x.ics");
    expect(paths()).toEqual(["2001/done/x.ics"]);
  });

  it("fails if it has disappeared", () => {
    const { root, paths } = aFolder();
    rmSync(root, { recursive: true });
    expect(paths()).toBe("it does not exist (any more)");
  });

  it("reads a small file, but no large, linked or missing one", () => {
    const { root, folder, drop } = aFolder();
    drop("x.ics", "some text");
    expect(folder.read("x.ics", 9)).toMatchObject({ ok: true });
    expect(folder.read("x.ics", 8)).toEqual({
      ok: false,
      failure: "the file has 9 bytes, more than the 8 allowed",
    });
    symlinkSync("/etc/passwd", join(root, "link.ics"));
    expect(folder.read("link.ics", 1000).ok).toBe(false);
    expect(folder.read("none.ics", 1000)).toMatchObject({
      failure: "it does not exist (any more)",
    });
  });

  it("adds the time, then a number, to a name that is taken by a file or report", () => {
    const { folder, drop } = aFolder();
    expect(folder.placeFor("2001/x.ics", "done", at)).toBe("done/2001/x.ics");
    drop("done/2001/x.ics");
    expect(folder.placeFor("2001/x.ics", "done", at)).toBe("done/2001/x.20261120T120000Z.ics");
    drop("done/2001/x.20261120T120000Z.ics");
    drop("done/2001/x.20261120T120000Z-2.ics.report.txt");
    expect(folder.placeFor("2001/x.ics", "done", at)).toBe("done/2001/x.20261120T120000Z-3.ics");
    expect(folder.placeFor("2001/x.ics", "refused", at)).toBe("refused/2001/x.ics");
  });

  it("moves file and report once, and touches nothing else", () => {
    const { root, folder, drop } = aFolder();
    drop("2001/x.ics", "content");
    const move = { path: "2001/x.ics", target: "done/2001/x.ics", report: "fine\n" };
    folder.putAway(move);
    drop("2001/x.ics", "a later one");
    rmSync(join(root, "done/2001/x.ics.report.txt"));
    folder.putAway(move);
    expect(readFileSync(join(root, "done/2001/x.ics"), "utf8")).toBe("content");
    expect(readFileSync(join(root, "done/2001/x.ics.report.txt"), "utf8")).toBe("fine\n");
    expect(readFileSync(join(root, "2001/x.ics"), "utf8")).toBe("a later one");
  });

  it("writes no report if the file was removed meanwhile", () => {
    const { root, folder } = aFolder();
    folder.putAway({ path: "x.ics", target: "done/x.ics", report: "fine\n" });
    expect(existsSync(join(root, "done/x.ics.report.txt"))).toBe(false);
  });
});

describe("the stamp of a file", () => {
  it("shows whether it is the same, moved, touched or rewritten", () => {
    const { root, folder, drop } = aFolder();
    const stamp = () => {
      const listed = folder.files();
      const [file] = listed.ok ? listed.value : [];
      if (!file) throw new Error("no file");
      const read = folder.read(file.path, 100);
      return stampOf(file, read.ok ? read.value : null);
    };
    drop("x.ics", "one");
    const first = stamp();
    linkSync(join(root, "x.ics"), join(root, "y"));
    renameSync(join(root, "y"), join(root, "x.ics"));
    expect(stamp()).toBe(first);
    utimesSync(join(root, "x.ics"), 1000, 1000);
    const touched = stamp();
    expect(touched).not.toBe(first);
    drop("x.ics", "two");
    utimesSync(join(root, "x.ics"), 1000, 1000);
    expect(stamp()).not.toBe(touched);
  });

  it.each(["done", "refused"])("refuses a linked %s, and follows no link", (subfolder) => {
    const { root, folder, drop } = aFolder();
    const elsewhere = testDirectory();
    rmSync(join(root, subfolder), { recursive: true });
    symlinkSync(elsewhere, join(root, subfolder));
    expect(folder.prepare()).toEqual({
      ok: false,
      failure: `${join(root, subfolder)} is a link: a folder is needed`,
    });
    drop("x.ics");
    const put = { path: "x.ics", target: `${subfolder}/x.ics`, report: "done" };
    expect(() => folder.putAway(put)).toThrow("is a link");
    expect(readdirSync(elsewhere)).toEqual([]);
    expect(existsSync(join(root, "x.ics"))).toBe(true);
  });

  it("refuses to be a link itself", () => {
    const place = testDirectory();
    mkdirSync(join(place, "real"));
    symlinkSync(join(place, "real"), join(place, "inbox"));
    expect(createDropFolder(join(place, "inbox")).prepare().ok).toBe(false);
  });

  it("follows no link below it, of a project or a report", () => {
    const { root, folder, drop } = aFolder();
    const elsewhere = testDirectory();
    writeFileSync(join(elsewhere, "secret.ics"), "secret");
    symlinkSync(elsewhere, join(root, "done", "2001"));
    drop("2001/x.ics");
    const put = { path: "2001/x.ics", target: "done/2001/x.ics", report: "done" };
    expect(() => folder.putAway(put)).toThrow("is a link");
    symlinkSync(elsewhere, join(root, "2002"));
    expect(folder.read("2002/secret.ics", 1000).ok).toBe(false);

    const precious = join(elsewhere, "precious");
    writeFileSync(precious, "precious");
    symlinkSync(precious, join(root, "done", "y.ics.report.txt.part"));
    drop("y.ics");
    folder.putAway({ path: "y.ics", target: "done/y.ics", report: "told" });
    expect(readFileSync(precious, "utf8")).toBe("precious");
    expect(readFileSync(join(root, "done", "y.ics.report.txt"), "utf8")).toBe("told");
    expect(statSync(join(root, "done", "y.ics.report.txt")).mode & 0o777).toBe(0o600);
    symlinkSync(join(elsewhere, "none"), join(root, "done", "z.ics"));
    expect(folder.placeFor("z.ics", "done", at)).not.toBe("done/z.ics");
  });

  it("refuses a file that has become a pipe, at once", () => {
    const { root, folder } = aFolder();
    execFileSync("sh", ["-c", `mkfifo "$0"`, join(root, "p.ics")]);
    expect(folder.read("p.ics", 1000)).toMatchObject({ failure: "it is no longer a file" });
  });
});
