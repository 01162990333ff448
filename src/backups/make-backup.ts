import { createHash } from "node:crypto";
import {
  closeSync,
  createReadStream,
  existsSync,
  fsyncSync,
  openSync,
  renameSync,
  rmSync,
  statfsSync,
  statSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileReason } from "../domain/file-reason.ts";
import { fail, ok, type Result } from "../domain/result.ts";
import {
  copyDatabase,
  type DatabaseFault,
  examineDatabase,
} from "../store/copies/copy-database.ts";
import { keepFolderPrivate } from "../store/private-files.ts";
import {
  databasePart,
  formatVersion,
  keysPart,
  type Manifest,
  readArchive,
  writeArchive,
} from "./archive.ts";
import { readKeys, sealKeys } from "./sealed-keys.ts";
import { giveFreeName, listSnapshots, makeScratch, removeAbandoned } from "./snapshots.ts";

export interface BackupTask {
  readonly dataDir: string;
  /** Path of the new backup. */
  readonly file: string;
  /** If the file exists when the new one is complete: replace it, or number the new one. */
  readonly ifTaken: "replace" | "number";
  /** If true, no backup is made if there is a valid one from before the same migration. */
  readonly unlessKept?: boolean;
  /** Encrypts the keys; null leaves them out. */
  readonly passphrase: string | null;
  readonly program: string;
  /** An instant as text. */
  readonly now: string;
}

/** Called with the number of completed passes over the database, and of all passes. */
type OnPasses = (done: number, total: number) => void;

/** A complete backup. `file`: its final path; `octets`: its size in bytes. */
export interface MadeBackup {
  readonly file: string;
  readonly octets: number;
  readonly manifest: Manifest;
}

/** Why there is no backup. `damaged`: the database is damaged. */
export interface BackupFailure {
  readonly kind: "damaged" | "failed";
  readonly problem: string;
}

/** Bytes to leave free beside a backup. */
const margin = 16 * 2 ** 20;

/**
 * Makes a backup of a data directory while others write to it: a snapshot, checked as a whole, compressed, and renamed when it
 * is durable.
 */
export async function makeBackup(
  task: BackupTask,
  randomBytes: (size: number) => Uint8Array,
  onPasses: OnPasses = () => undefined,
): Promise<Result<MadeBackup, BackupFailure>> {
  const { dataDir, file, now } = task;
  const database = join(dataDir, databasePart);
  if (!existsSync(database)) return failed(`there is no database in ${dataDir} yet`);
  const folder = dirname(file);
  let scratch: string | null = null;
  try {
    if (!existsSync(folder)) keepFolderPrivate(folder);
    removeAbandoned(folder, dataDir);
    const room = roomFor(database, folder);
    if (room !== null) return failed(room);
    scratch = makeScratch(folder, dataDir);
    const copy = join(scratch, databasePart);
    const passed = (passes: number) => onPasses(passes, 3);
    const copied = await copyDatabase(database, copy, passed);
    if (!copied.ok) return hurt(copied.failure);
    const facts = examineDatabase(copy, "full");
    if (!facts.ok) {
      const { kind, problem } = facts.failure;
      return hurt({ kind, problem: problem.replace(copy, database) });
    }
    const { passphrase, program } = task;
    const about = `${facts.value.installation} ${now}`;
    const keys = readKeys(dataDir);
    const sealed =
      passphrase === null ? null : Buffer.from(sealKeys(keys, { passphrase, randomBytes, about }));
    const part = await filePart(databasePart, copy, (share) => passed(1 + share));
    const kept = task.unlessKept ? await keptAlready(folder, part.sha256) : null;
    if (kept && kept.manifest.keys === (sealed ? "sealed" : "left out")) return ok(kept);
    const parts = [part, ...(sealed ? [octetPart(keysPart, sealed)] : [])];
    const manifest: Manifest = {
      format: "dayferry-backup",
      version: formatVersion,
      madeAt: now,
      program,
      ...facts.value,
      keys: sealed ? "sealed" : "left out",
      keyFiles: [...keys.keys()],
      parts: parts.map(({ name, octets, sha256 }) => ({ name, octets, sha256 })),
    };
    const whole = join(scratch, basename(file));
    const descriptor = openSync(whole, "wx", 0o600);
    try {
      const all = parts.reduce((sum, { octets }) => sum + octets, 0);
      const onPart = (octets: number) => passed(2 + octets / all);
      await writeArchive(descriptor, { manifest, parts }, onPart);
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    if (task.ifTaken === "replace") renameSync(whole, file);
    const name = task.ifTaken === "number" ? giveFreeName(whole, file) : file;
    syncFolder(folder);
    return ok({ file: name, octets: statSync(name).size, manifest });
  } catch (error) {
    return failed(`${file} cannot be written: ${fileReason(error)}`);
  } finally {
    if (scratch !== null) rmSync(scratch, { recursive: true, force: true });
  }
}

/** The backup of this database from before the migration; null if there is no valid one. */
async function keptAlready(folder: string, database: string): Promise<MadeBackup | null> {
  for (const { file, octets, reason } of listSnapshots(folder)) {
    if (reason !== "before-migration") continue;
    const read = await readArchive(file, { begin: () => () => undefined });
    const isSame =
      read.ok &&
      read.value.parts.some(({ name, sha256 }) => name === databasePart && sha256 === database);
    if (isSame) return { file, octets, manifest: read.value };
  }
  return null;
}

const hurt = ({ kind, problem }: DatabaseFault) =>
  fail({ kind: kind === "damaged" ? kind : ("failed" as const), problem });

const failed = (problem: string) => fail({ kind: "failed", problem } as const);

/** Snapshot and archive exist side by side for a while. Returns a sentence if there is not enough space, else null. */
function roomFor(database: string, folder: string): string | null {
  const log = statSync(`${database}-wal`, { throwIfNoEntry: false })?.size ?? 0;
  const needed = 2 * (statSync(database).size + log) + margin;
  const { bavail, bsize } = statfsSync(folder);
  const free = bavail * bsize;
  if (free >= needed) return null;
  const mebibytes = (octets: number) => Math.ceil(octets / 2 ** 20).toLocaleString("en");
  return `the disk of ${folder} has ${mebibytes(free)} MiB free, and a backup takes up to ${mebibytes(needed)} MiB while it is made`;
}

async function filePart(name: string, path: string, onShare: (share: number) => void) {
  const hash = createHash("sha256");
  const { size } = statSync(path);
  let octets = 0;
  for await (const piece of createReadStream(path)) {
    hash.update(piece);
    octets += piece.length;
    onShare(octets / Math.max(1, size));
  }
  const content = (): AsyncIterable<Uint8Array> => createReadStream(path);
  return { name, octets, sha256: hash.digest("hex"), content };
}

function octetPart(name: string, octets: Buffer) {
  async function* content(): AsyncGenerator<Uint8Array> {
    yield octets;
  }
  const sha256 = createHash("sha256").update(octets).digest("hex");
  return { name, octets: octets.byteLength, sha256, content };
}

/** Makes renames in a folder durable, if the system can sync folders. */
export function syncFolder(folder: string): void {
  try {
    const descriptor = openSync(folder, "r");
    try {
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
  } catch {
    // Some file systems do not support it; the file has been renamed anyway.
  }
}
