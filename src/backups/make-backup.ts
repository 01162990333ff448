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
  /** Where it is to be. */
  readonly file: string;
  /** Where there is a file of that name once the new one is whole: that one goes, or the new one is given a number. */
  readonly ifTaken: "replace" | "number";
  /** Whether one of the same database that was made before a migration, and is whole, does as well: none is made then. */
  readonly unlessKept?: boolean;
  /** Seals the keys; null leaves them out. */
  readonly passphrase: string | null;
  readonly program: string;
  /** An instant's text. */
  readonly now: string;
}

/** A backup that is whole. `file`: where it is in the end; `octets`: of the file. */
export interface MadeBackup {
  readonly file: string;
  readonly octets: number;
  readonly manifest: Manifest;
}

/** Why there is no backup. `damaged`: it is the database that is hurt. */
export interface BackupFailure {
  readonly kind: "damaged" | "failed";
  readonly problem: string;
}

/** Left free beside what a backup takes. */
const margin = 16 * 2 ** 20;

/**
 * Makes a backup of a data directory, whoever writes to it meanwhile: a copy of one moment, checked as a whole, compressed, and
 * given its name when it is safe on the disk.
 */
export async function makeBackup(
  task: BackupTask,
  randomBytes: (size: number) => Uint8Array,
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
    const copied = await copyDatabase(database, copy);
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
    const part = await filePart(databasePart, copy);
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
      await writeArchive(descriptor, { manifest, parts });
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

/** The backup that was made of this database before it was to be migrated; null where none is whole. */
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

/** Copy and archive stand side by side for a while. A sentence where there is no room for them; null where there is. */
function roomFor(database: string, folder: string): string | null {
  const log = statSync(`${database}-wal`, { throwIfNoEntry: false })?.size ?? 0;
  const needed = 2 * (statSync(database).size + log) + margin;
  const { bavail, bsize } = statfsSync(folder);
  const free = bavail * bsize;
  if (free >= needed) return null;
  const mebibytes = (octets: number) => Math.ceil(octets / 2 ** 20).toLocaleString("en");
  return `the disk of ${folder} has ${mebibytes(free)} MiB free, and a backup takes up to ${mebibytes(needed)} MiB while it is made`;
}

async function filePart(name: string, path: string) {
  const hash = createHash("sha256");
  let octets = 0;
  for await (const piece of createReadStream(path)) {
    hash.update(piece);
    octets += piece.length;
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

/** Makes what was renamed in a folder safe on the disk, where the system lets folders be opened. */
export function syncFolder(folder: string): void {
  try {
    const descriptor = openSync(folder, "r");
    try {
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
  } catch {
    // Some file systems have no such thing; the rename itself is done.
  }
}
