import { statfsSync, statSync } from "node:fs";
import { dirname } from "node:path";

/** In octets. */
export interface DiskUse {
  readonly databaseBytes: number;
  /** Written data that is not in the main file yet. */
  readonly walBytes: number;
  /** Available to unprivileged users. */
  readonly freeBytes: number;
  readonly sizeBytes: number;
}

/** Disk usage of the database at this path. Throws if its folder cannot be read. */
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
