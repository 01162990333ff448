import { accessSync, constants } from "node:fs";
import { SqliteError } from "better-sqlite3";
import { stored } from "../texts/stored.ts";
import type { StoreDeps } from "./steady-database.ts";

/** What is wrong with the data directory's disk. */
export interface StorageTrouble {
  /**
   * `busy`: another program holds the database; `failing`: the disk or file system reports errors; `damaged`: the database has
   * invalid pages, which does not go away by itself.
   */
  readonly kind: "full" | "read-only" | "busy" | "failing" | "damaged";
  /** One sentence for people, with what to do. */
  readonly problem: string;
  readonly since: Temporal.Instant;
  /** Time of the last occurrence, and the number so far. */
  readonly at: Temporal.Instant;
  readonly failures: number;
}

/** Whether data can be stored. */
export type StorageHealth = ReturnType<typeof createStorageHealth>;

/** Large enough to need free space, even if the database's log has some. */
const checkBytes = 65_536;

export function createStorageHealth({ db, clock }: StoreDeps) {
  const write = db.prepare(
    `INSERT INTO storage_checks (one, at, filler) VALUES (1, @at, zeroblob(${checkBytes}))
     ON CONFLICT (one) DO UPDATE SET at = excluded.at, filler = excluded.filler`,
  );
  let trouble: StorageTrouble | null = null;

  function note(error: unknown): boolean {
    const kind = storageFault(error);
    if (kind === null) return false;
    // Damage stays reported, even if something else fails later.
    if (trouble?.kind === "damaged" && kind !== "damaged") return true;
    const at = clock();
    const failures = (trouble?.failures ?? 0) + 1;
    trouble = {
      kind,
      problem: sentenceOf(problems[kind]),
      since: trouble?.since ?? at,
      at,
      failures,
    };
    return true;
  }

  return {
    /** Records an error; returns true if it comes from the disk, which may recover, and not from a bug. */
    note,
    /** Null if nothing is known to be wrong. */
    trouble: (): StorageTrouble | null => trouble,
    /** Tries to write after a problem; returns whether it is over. */
    check(): boolean {
      if (!trouble) return true;
      // Writing one page proves nothing about another.
      if (trouble.kind === "damaged") return false;
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

/** Seconds to wait before retrying. A restore takes longer than freeing space. */
export const retryAfterOf = ({ kind }: Pick<StorageTrouble, "kind">): number =>
  kind === "damaged" ? 300 : 60;

/** True if an error comes from the disk, which may recover, and not from a bug. */
export const isStorageFault = (error: unknown): boolean => storageFault(error) !== null;

/**
 * Why the data directory cannot be opened, and what to do; null for errors that do not come from the disk. Missing permissions
 * count only here, as they cannot occur later in a running process.
 */
export function storageProblemAtStart(error: unknown, dataDir: string): string | null {
  const problem = diskProblem(error, dataDir);
  return problem && sentenceOf(problem);
}

/** The same for a command. */
export function diskProblem(error: unknown, dataDir: string): StorageProblem | null {
  const kind = isDenied(error) ? "read-only" : storageFault(error);
  if (kind === null || kind === "damaged") return null;
  // SQLite only says that it cannot open the file.
  const isShut = kind === "failing" && isReadOnly(dataDir);
  return problems[isShut ? "read-only" : kind];
}

function isReadOnly(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    return false;
  } catch (error) {
    return storageFault(error) === "read-only" || isDenied(error);
  }
}

/** Source: open(2), mkdir(2). */
const isDenied = (error: unknown): boolean =>
  error instanceof Error &&
  "code" in error &&
  "path" in error &&
  (error.code === "EACCES" || error.code === "EPERM");

interface StorageProblem {
  readonly what: string;
  /** What a person can do. */
  readonly remedy: string;
  /** With what a running daemon does afterwards. */
  readonly after: "problem.storage.goesOn" | "problem.storage.saysHow";
}

const problems: Readonly<Record<StorageTrouble["kind"], StorageProblem>> = {
  full: {
    what: stored("problem.storage.full"),
    remedy: stored("problem.storage.makeRoom"),
    after: "problem.storage.goesOn",
  },
  "read-only": {
    what: stored("problem.storage.readOnly"),
    remedy: stored("problem.storage.makeWritable"),
    after: "problem.storage.goesOn",
  },
  damaged: {
    what: stored("problem.storage.damaged"),
    remedy: stored("problem.storage.restart"),
    after: "problem.storage.saysHow",
  },
  busy: {
    what: stored("problem.storage.busy"),
    remedy: stored("problem.storage.endProgram"),
    after: "problem.storage.goesOn",
  },
  failing: {
    what: stored("problem.storage.failing"),
    remedy: stored("problem.storage.mend"),
    after: "problem.storage.goesOn",
  },
};

const sentenceOf = ({ what, remedy, after }: StorageProblem): string =>
  stored(after, { what, remedy });

/** Source: https://www.sqlite.org/rescode.html; errno(3). */
const kinds: readonly (readonly [pattern: RegExp, kind: StorageTrouble["kind"]])[] = [
  [/^(?:SQLITE_FULL|ENOSPC|EDQUOT|EFBIG)/, "full"],
  [/^(?:SQLITE_READONLY|EROFS)/, "read-only"],
  [/^SQLITE_(?:BUSY|LOCKED|PROTOCOL)/, "busy"],
  [/^SQLITE_(?:CORRUPT|NOTADB)/, "damaged"],
  [/^(?:SQLITE_(?:IOERR|CANTOPEN|NOMEM)|EIO$)/, "failing"],
];

function storageFault(error: unknown): StorageTrouble["kind"] | null {
  if (!(error instanceof Error)) return null;
  const isFromDisk = error instanceof SqliteError || "syscall" in error;
  const code = isFromDisk && "code" in error && typeof error.code === "string" ? error.code : "";
  const kind = kinds.find(([pattern]) => pattern.test(code))?.[1];
  return kind ?? storageFault(error.cause);
}
