import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** Whether a file system can be mounted here, which takes root. */
export function canMount(): boolean {
  const folder = mkdtempSync(join(tmpdir(), "dayferry-mount-"));
  try {
    mount(folder, "size=1m");
    execFileSync("umount", [folder], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A real file system of so many mebibytes, in memory, removed after the test. */
export function smallDisk(mebibytes: number) {
  const folder = mkdtempSync(join(tmpdir(), "dayferry-disk-"));
  mount(folder, `size=${mebibytes}m`);
  onTestFinished(() => {
    execFileSync("umount", ["-l", folder], { stdio: "ignore" });
    rmSync(folder, { recursive: true, force: true });
  });
  const filler = join(folder, "filler");
  const remount = (how: "ro" | "rw") =>
    execFileSync("mount", ["-o", `remount,${how}`, folder], { stdio: "ignore" });
  return {
    folder,
    /** Fills it up to so many octets. */
    fill(left = 0) {
      const { bavail, bsize } = statfsSync(folder);
      try {
        writeFileSync(filler, Buffer.alloc(Math.max(0, bavail * bsize - left)));
      } catch (error) {
        // Someone else has written meanwhile: it is full all the same.
        if (!String(error).includes("ENOSPC")) throw error;
      }
    },
    makeRoom: () => rmSync(filler, { force: true }),
    makeReadOnly: () => remount("ro"),
    makeWritable: () => remount("rw"),
  };
}

const mount = (folder: string, options: string) =>
  execFileSync("mount", ["-t", "tmpfs", "-o", options, "tmpfs", folder], { stdio: "ignore" });
