import { statfsSync, statSync } from "node:fs";
import { dirname } from "node:path";

/** In octets. */
export interface DiskUse {
  readonly databaseBytes: number;
  /** What was written and is not in the database's own file yet. */
  readonly walBytes: number;
  /** For who is no administrator of the machine. */
  readonly freeBytes: number;
  readonly sizeBytes: number;
}

/** What the database at this path takes of its disk. Throws where its folder cannot be looked at. */
export function readDiskUse(file: string): DiskUse {
  const { bavail, bsize, blocks } = statfsSync(dirname(file));
  const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  return {
    databaseBytes: sizeOf(file),
    walBytes: sizeOf(`${file}-wal`),
    freeBytes: bavail * bsize,
    sizeBytes: blocks * bsize,
  };
}
