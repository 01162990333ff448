import { renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { Failed } from "./outcome.ts";

/** Writes a file as a whole or not at all: what was there before stays until the new one is complete. */
export function writeWhole(path: string, text: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) {
    throw new Failed(`--output ${path}: it is a directory; name a file in it`, 2);
  }
  const draft = join(dirname(path), `.${basename(path)}.${process.pid}.part`);
  try {
    writeFileSync(draft, text, { flush: true });
    renameSync(draft, path);
  } catch (error) {
    rmSync(draft, { force: true });
    const reason = error instanceof Error ? error.message : String(error);
    throw new Failed(`--output ${path}: it cannot be written: ${reason}`, 1);
  }
}
