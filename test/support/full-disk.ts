import { execFileSync } from "node:child_process";
import { onTestFinished } from "vitest";

/** Whether this machine can forbid a process to write files; the command is part of util-linux. */
export function canFillDisk(): boolean {
  try {
    limitFiles("unlimited");
    return true;
  } catch {
    return false;
  }
}

/**
 * A disk on which this process can write no octet to any file until disk space is available again: the system's own
 * limit of file sizes makes every write fail. Pipes and sockets still work.
 */
export function fullDisk() {
  onTestFinished(() => limitFiles("unlimited"));
  return {
    fill: () => limitFiles("0"),
    makeRoom: () => limitFiles("unlimited"),
  };
}

function limitFiles(soft: string): void {
  execFileSync("prlimit", ["--pid", String(process.pid), `--fsize=${soft}:`], { stdio: "ignore" });
}
