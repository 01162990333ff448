import { spawn } from "node:child_process";
import {
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  openSync,
  readSync,
  rmSync,
  statSync,
} from "node:fs";
import { copyFile } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import Database from "better-sqlite3";
import { messageOf } from "../../domain/result.ts";

/** A state of a database written by another process. */
export interface CopyFacts {
  readonly installation: string;
  /** Changes when a backup is restored. */
  readonly epoch: string | null;
  readonly revision: number;
  /** When its newest data was read from the service; null if none was. */
  readonly readAt: Temporal.Instant | null;
  /** When the file was last written. */
  readonly fileAt: Temporal.Instant;
  readonly takenAt: Temporal.Instant;
}

/** `waiting`: it is being written now. `unusable`: it is not intact, which may be temporary. */
type Taken =
  | { readonly kind: "taken"; readonly folder: string; readonly copy: CopyFacts }
  | { readonly kind: "unchanged" | "waiting" }
  | { readonly kind: "unusable"; readonly problem: string };

/** Takes consistent copies of a database that another process replaces or writes. Never writes to it or beside it. */
export type CopySource = ReturnType<typeof createCopySource>;

interface CopySourceDeps {
  readonly file: string;
  /** A private folder with a subfolder per state. */
  readonly into: string;
  readonly clock: () => Temporal.Instant;
  /** Milliseconds of a monotonic clock. */
  readonly monotonic: () => number;
}

/** A file written for longer is a running daemon's database, not a copy in progress. */
const longestWriteMs = 10_000;
/** A state that was not intact is checked again, even if nothing seems to have changed. */
const againAfterMs = 30_000;

/**
 * Copies the bytes into a private folder, as the file may be on a read-only medium without room for SQLite's log index, and
 * whoever replaces it ignores SQLite's locks. A copy counts if the file and its log did not change since the previous check and
 * during the copy, and SQLite's own check passes; until then the last one stays. A database that changes all the time, such as
 * a running daemon's or one below LiteFS, is read through SQLite.
 */
export function createCopySource(deps: CopySourceDeps) {
  const { file, into, clock, monotonic } = deps;
  let count = 0;
  let taken: string | null = null;
  let seen: string | null = null;
  let changingSince: number | null = null;
  let refused: { readonly stamp: string; readonly problem: string; readonly atMs: number } | null =
    null;

  async function takeAs(how: (target: string) => Promise<string | null>, stamp: string) {
    count += 1;
    const folder = join(into, `copy-${count}`);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const target = join(folder, "dayferry.sqlite");
    const problem = await how(target).catch(messageOf);
    const checked = problem === null ? await check(target) : { problem };
    if (!("problem" in checked)) {
      const fileAt = Temporal.Instant.fromEpochMilliseconds(Math.floor(statSync(file).mtimeMs));
      const copy: CopyFacts = { ...checked, fileAt, takenAt: clock() };
      [taken, refused, changingSince] = [stamp, null, null];
      return { kind: "taken", folder, copy } as const;
    }
    rmSync(folder, { recursive: true, force: true });
    refused = { stamp, problem: checked.problem, atMs: monotonic() };
    return { kind: "unusable", problem: checked.problem } as const;
  }

  /** Copies file and log; fails with a sentence if either changed meanwhile. */
  const asBytes = (stamp: string) => async (target: string) => {
    await copyFile(file, target, constants.COPYFILE_FICLONE);
    if (existsSync(`${file}-wal`)) await copyFile(`${file}-wal`, `${target}-wal`);
    return stampOf(file) === stamp ? null : "it was written while it was read";
  };

  /** Copies with SQLite, beside a writer whose log index exists already. Creates nothing there. */
  const throughSqlite = async (target: string) => {
    if (!existsSync(`${file}-shm`)) return "it keeps being written";
    const db = new Database(file, { readonly: true, fileMustExist: true, timeout: 5000 });
    try {
      await db.backup(target, { progress: () => 200 });
    } finally {
      db.close();
    }
    return null;
  };

  return {
    /** Copies the current state into a folder of its own, unless that was done before. Call again in a second. */
    async take(): Promise<Taken> {
      const stamp = stampOf(file);
      if (stamp === null) return { kind: "unusable", problem: "it is not there" };
      if (stamp === taken) {
        changingSince = null;
        return { kind: "unchanged" };
      }
      if (refused?.stamp === stamp && monotonic() - refused.atMs < againAfterMs) {
        return { kind: "unusable", problem: refused.problem };
      }
      // The first state is copied without waiting.
      const isStill = seen === null || seen === stamp;
      seen = stamp;
      if (isStill) return takeAs(asBytes(stamp), stamp);
      changingSince ??= monotonic();
      if (monotonic() - changingSince < longestWriteMs) return { kind: "waiting" };
      return takeAs(throughSqlite, stamp);
    },
  };
}

/** Identifies a state of the file and its log; null if there is no file. */
function stampOf(file: string): string | null {
  const parts = [file, `${file}-wal`].map((path) => {
    const stats = statSync(path, { throwIfNoEntry: false, bigint: true });
    return stats?.isFile() ? [stats.ino, stats.size, stats.mtimeNs, stats.ctimeNs].join(" ") : null;
  });
  if (parts[0] === null) return null;
  return [...parts, headOf(file)].join("; ");
}

/** A database header has a change counter. Source: https://www.sqlite.org/fileformat.html 1.3. */
function headOf(file: string): string {
  const head = Buffer.alloc(100);
  try {
    const opened = openSync(file, "r");
    try {
      readSync(opened, head, 0, head.byteLength, 0);
    } finally {
      closeSync(opened);
    }
  } catch {
    // Renamed at this moment: the next check sees the new file.
  }
  return head.toString("base64");
}

const script = fileURLToPath(new URL("./copy-check-child.ts", import.meta.url));

type Checked = Omit<CopyFacts, "fileAt" | "takenAt"> | { readonly problem: string };

async function check(file: string): Promise<Checked> {
  const child = spawn(process.execPath, [script, file], { stdio: ["ignore", "pipe", "inherit"] });
  const ended = new Promise<void>((resolve) => {
    child.on("close", () => resolve()).on("error", () => resolve());
  });
  const said = await text(child.stdout);
  await ended;
  const facts = new Map<string, unknown>(Object.entries(said === "" ? {} : JSON.parse(said)));
  const textOf = (name: string) => {
    const value = facts.get(name);
    return typeof value === "string" ? value : null;
  };
  const installation = textOf("installation");
  if (installation === null) return { problem: textOf("problem") ?? "it could not be checked" };
  const readAt = textOf("readAt");
  return {
    installation,
    epoch: textOf("epoch"),
    revision: Number(facts.get("revision")),
    readAt: readAt === null ? null : Temporal.Instant.from(readAt),
  };
}
