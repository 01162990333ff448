import { accessSync, constants } from "node:fs";
import { SqliteError } from "better-sqlite3";
import type { StoreDeps } from "./steady-database.ts";

/** What the disk under the data directory does not do at present. */
export interface StorageTrouble {
  /**
   * `busy`: another program holds the database; `failing`: the disk or the file system reports faults; `damaged`: pages of the
   * database hold what cannot be, which does not pass by itself.
   */
  readonly kind: "full" | "read-only" | "busy" | "failing" | "damaged";
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
    // What is damaged stays so, whatever else fails after it.
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
    note,
    trouble: () => trouble,
    check() {
      if (!trouble) return true;
      // That one page can be written says nothing of another.
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

/** After how many seconds it is worth asking again: a restore takes longer than making room. */
export const retryAfterOf = ({ kind }: Pick<StorageTrouble, "kind">): number =>
  kind === "damaged" ? 300 : 60;

/** Whether a failure is one of the disk, which passes, and not a fault of this program. */
export const isStorageFault = (error: unknown): boolean => storageFault(error) !== null;

/**
 * Why the data directory cannot be opened, in a sentence with what helps; null for a fault that does not pass with the disk's.
 * Here rights that are missing count as well: nothing that runs already could have run into them elsewhere.
 */
export function storageProblemAtStart(error: unknown, dataDir: string): string | null {
  const problem = diskProblem(error, dataDir);
  return problem && sentenceOf(problem);
}

/** The same for what ends by itself. */
export function diskProblem(error: unknown, dataDir: string): StorageProblem | null {
  const kind = isDenied(error) ? "read-only" : storageFault(error);
  if (kind === null || kind === "damaged") return null;
  // SQLite says no more of it than that it cannot open the file.
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
  /** What a person does. */
  readonly remedy: string;
  /** What a daemon that runs adds to it. */
  readonly after: string;
}

const problems: Readonly<Record<StorageTrouble["kind"], StorageProblem>> = {
  full: {
    what: "the disk of the data directory is full, so that nothing can be stored",
    remedy: "make room",
    after: ", and everything goes on by itself",
  },
  "read-only": {
    what: "the data directory cannot be written to",
    remedy: "make it writable",
    after: ", and everything goes on by itself",
  },
  damaged: {
    what: "the database is damaged, so that nothing is read from it or stored in it",
    remedy: "stop Dayferry and start it again",
    after: ": it says which command helps",
  },
  busy: {
    what: "another program holds the database, so that nothing can be stored",
    remedy: "let that program end",
    after: ", and everything goes on by itself",
  },
  failing: {
    what: "the disk of the data directory fails, so that nothing can be stored",
    remedy: "have it mended",
    after: ", and everything goes on by itself",
  },
};

const sentenceOf = ({ what, remedy, after }: StorageProblem): string =>
  `${what}; ${remedy}${after}`;

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
