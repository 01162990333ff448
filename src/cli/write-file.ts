import { chmodSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { Failed } from "./outcome.ts";

/** Writes a file as a whole or not at all: what was there before stays until the new one is complete. */
export function writeWhole(path: string, text: string): void {
  const present = statSync(path, { throwIfNoEntry: false });
  if (present?.isDirectory()) {
    throw new Failed(`--output ${path}: it is a directory; name a file in it`, 2);
  }
  const draft = join(dirname(path), `.${basename(path)}.${process.pid}.part`);
  try {
    writeFileSync(draft, text, { flush: true });
    // A web server that publishes the file has to be able to read the next one as well.
    if (present) chmodSync(draft, present.mode & 0o777);
    renameSync(draft, path);
  } catch (error) {
    rmSync(draft, { force: true });
    const reason = error instanceof Error ? error.message : String(error);
    throw new Failed(`--output ${path}: it cannot be written: ${reason}`, 1);
  }
}
