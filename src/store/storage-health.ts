import { SqliteError } from "better-sqlite3";
import type { StoreDeps } from "./steady-database.ts";

/** What the disk under the data directory does not do at present. */
export interface StorageTrouble {
  /** `busy`: another program holds the database; `failing`: the disk or the file system reports faults. */
  readonly kind: "full" | "read-only" | "busy" | "failing";
  /** One sentence for people, with what to do. */
  readonly problem: string;
  readonly since: Temporal.Instant;
  /** When it was last met, and how often so far. */
  readonly at: Temporal.Instant;
  readonly failures: number;
}

/** Whether what is to be kept can be kept. */
export interface StorageHealth {
  /** Notes a failure; returns whether it is one of the disk, which passes, and not a fault of this program. */
  note(error: unknown): boolean;
  /** Null while nothing is known to be wrong. */
  trouble(): StorageTrouble | null;
  /** Tries to store something where there was trouble; returns whether that is over. */
  check(): boolean;
}

/** Large enough to need room, should the log of the database have none left. */
const checkBytes = 65_536;

export function createStorageHealth({ db, clock }: StoreDeps): StorageHealth {
  const write = db.prepare(
    `INSERT INTO storage_checks (one, at, filler) VALUES (1, @at, zeroblob(${checkBytes}))
     ON CONFLICT (one) DO UPDATE SET at = excluded.at, filler = excluded.filler`,
  );
  let trouble: StorageTrouble | null = null;

  function note(error: unknown): boolean {
    const kind = storageFault(error);
    if (kind === null) return false;
    const at = clock();
    const failures = (trouble?.failures ?? 0) + 1;
    trouble = { kind, problem: problems[kind], since: trouble?.since ?? at, at, failures };
    return true;
  }

  return {
    note,
    trouble: () => trouble,
    check() {
      if (!trouble) return true;
      try {
        write.run({ at: clock().toString() });
        trouble = null;
        return true;
      } catch (error) {
        if (!note(error)) throw error;
        return false;
      }
    },
  };
}

/** Whether a failure is one of the disk, which passes, and not a fault of this program. */
export const isStorageFault = (error: unknown): boolean => storageFault(error) !== null;

const problems: Readonly<Record<StorageTrouble["kind"], string>> = {
  full: "the disk of the data directory is full, so that nothing can be stored; make room, and everything goes on by itself",
  "read-only":
    "the data directory cannot be written to; make it writable, and everything goes on by itself",
  busy: "another program holds the database, so that nothing can be stored; everything goes on once it lets go",
  failing:
    "the disk of the data directory fails, so that nothing can be stored; everything goes on once it works again",
};

/** Source: https://www.sqlite.org/rescode.html; errno(3). */
const kinds: readonly (readonly [pattern: RegExp, kind: StorageTrouble["kind"]])[] = [
  [/^(?:SQLITE_FULL|ENOSPC|EDQUOT|EFBIG)/, "full"],
  [/^(?:SQLITE_READONLY|EROFS)/, "read-only"],
  [/^SQLITE_(?:BUSY|LOCKED|PROTOCOL)/, "busy"],
  [/^(?:SQLITE_(?:IOERR|CANTOPEN|NOMEM)|EIO$)/, "failing"],
];

function storageFault(error: unknown): StorageTrouble["kind"] | null {
  if (!(error instanceof Error)) return null;
  const isFromDisk = error instanceof SqliteError || "syscall" in error;
  const code = isFromDisk && "code" in error && typeof error.code === "string" ? error.code : "";
  const kind = kinds.find(([pattern]) => pattern.test(code))?.[1];
  return kind ?? storageFault(error.cause);
}
