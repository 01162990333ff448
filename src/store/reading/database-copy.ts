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

/** A state of the database that somebody else writes. */
export interface CopyFacts {
  readonly installation: string;
  /** Changes when a backup was restored. */
  readonly epoch: string | null;
  readonly revision: number;
  /** When the newest of what is in it was read from the service; null where nothing was. */
  readonly readAt: Temporal.Instant | null;
  /** When the file was last written. */
  readonly fileAt: Temporal.Instant;
  readonly takenAt: Temporal.Instant;
}

/** `waiting`: it is being written just now. `unusable`: it is not whole, which may pass. */
type Taken =
  | { readonly kind: "taken"; readonly folder: string; readonly copy: CopyFacts }
  | { readonly kind: "unchanged" | "waiting" }
  | { readonly kind: "unusable"; readonly problem: string };

/** Takes whole states of a database that somebody else replaces or writes, and never writes to it or beside it. */
export interface CopySource {
  /** Takes the state that is there now into a folder of its own, unless it was taken before. Ask again in a second. */
  take(): Promise<Taken>;
}

interface CopySourceDeps {
  readonly file: string;
  /** A private folder, in which each state gets one of its own. */
  readonly into: string;
  readonly clock: () => Temporal.Instant;
  /** Milliseconds that never jump. */
  readonly monotonic: () => number;
}

/** What is written for so long is no copy that comes to an end, but the database of a running daemon. */
const longestWriteMs = 10_000;
/** A state that was not whole is looked at again although nothing seems to have changed. */
const againAfterMs = 30_000;

/**
 * A state is taken as bytes into a private place: the file may be on a medium that cannot be written to, where SQLite has no place
 * for the index of a write-ahead log, and whoever replaces it knows nothing of SQLite's locks. It counts when the file and its
 * log have been still since the look before, were so while they were copied, and pass SQLite's own check; until then the
 * last one stays. A database that never is still, as that of a running daemon or below LiteFS, is read through SQLite.
 */
export function createCopySource(deps: CopySourceDeps): CopySource {
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

  /** Bytes of file and log; a sentence where either changed meanwhile. */
  const asBytes = (stamp: string) => async (target: string) => {
    await copyFile(file, target, constants.COPYFILE_FICLONE);
    if (existsSync(`${file}-wal`)) await copyFile(`${file}-wal`, `${target}-wal`);
    return stampOf(file) === stamp ? null : "it was written while it was read";
  };

  /** By SQLite, beside a writer that keeps an index of its log already: nothing is made that is not there. */
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
    async take() {
      const stamp = stampOf(file);
      if (stamp === null) return { kind: "unusable", problem: "it is not there" };
      if (stamp === taken) {
        changingSince = null;
        return { kind: "unchanged" };
      }
      if (refused?.stamp === stamp && monotonic() - refused.atMs < againAfterMs) {
        return { kind: "unusable", problem: refused.problem };
      }
      // The first state is wanted at once.
      const isStill = seen === null || seen === stamp;
      seen = stamp;
      if (isStill) return takeAs(asBytes(stamp), stamp);
      changingSince ??= monotonic();
      if (monotonic() - changingSince < longestWriteMs) return { kind: "waiting" };
      return takeAs(throughSqlite, stamp);
    },
  };
}

/** Tells one state of the file and its log from another; null where there is no file. */
function stampOf(file: string): string | null {
  const parts = [file, `${file}-wal`].map((path) => {
    const stats = statSync(path, { throwIfNoEntry: false, bigint: true });
    return stats?.isFile() ? [stats.ino, stats.size, stats.mtimeNs, stats.ctimeNs].join(" ") : null;
  });
  if (parts[0] === null) return null;
  return [...parts, headOf(file)].join("; ");
}

/** The head of a database has a counter of changes. Source: https://www.sqlite.org/fileformat.html 1.3. */
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
    // Renamed away at this moment: the next look sees what has come.
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
