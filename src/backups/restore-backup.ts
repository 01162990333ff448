import {
  closeSync,
  copyFileSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { fail, messageOf, ok, type Result } from "../domain/result.ts";
import { examineDatabase } from "../store/copies/copy-database.ts";
import { prepareRestore, type RestoreReport } from "../store/copies/prepare-restore.ts";
import { readMigrations } from "../store/migrate.ts";
import {
  databasePart,
  fileSink,
  keysPart,
  type Manifest,
  readArchive,
  readManifest,
} from "./archive.ts";
import { syncFolder } from "./make-backup.ts";
import { type Keys, keyFiles, openKeys } from "./sealed-keys.ts";

const migrations = fileURLToPath(new URL("../../migrations", import.meta.url));

/** The database with its WAL and shared-memory file. */
const databaseFiles = [databasePart, `${databasePart}-wal`, `${databasePart}-shm`];

export interface RestoreOptions {
  readonly file: string;
  /** Locked by this process. */
  readonly dataDir: string;
  /** Decrypts the keys; null leaves the data directory's keys as they are. */
  readonly passphrase: string | null;
  readonly epoch: string;
  readonly now: Temporal.Instant;
  readonly quota: number;
  /** Called with the number of unpacked bytes, and of all bytes. */
  readonly onBytes?: OnBytes;
}

type OnBytes = (done: number, total: number) => void;

export interface Restored extends RestoreReport {
  readonly manifest: Manifest;
  /** Where the previous database is now; null if there was none. */
  readonly aside: string | null;
  /** Keys that were taken from the backup. */
  readonly keys: readonly string[];
  /** What stops working because neither the backup nor the data directory has a key, one sentence each. */
  readonly lost: readonly string[];
}

/** Moved into place when everything is ready. Whether this file exists decides if the old or the new state is valid. */
const intentName = "restore.json";
const draftName = `${intentName}.draft`;

/**
 * Replaces the database by a backup and keeps the old one aside. The database is not changed before everything is checked,
 * migrated and durable. Then `finishRestore` completes the restore, now or at the next start.
 */
export async function restoreBackup(options: RestoreOptions): Promise<Result<Restored, string>> {
  const { file, dataDir, passphrase, now } = options;
  const manifest = await readManifest(file);
  if (!manifest.ok) return manifest;
  const room = roomFor(manifest.value, dataDir);
  if (room !== null) return fail(room);
  removeUndecided(dataDir);
  const stage = mkdtempSync(join(dataDir, stagePrefix));
  try {
    const checked = await unpack(file, stage, options.onBytes);
    if (!checked.ok) return checked;
    const manifest = checked.value;
    const keys = keysOf(manifest, stage, passphrase);
    if (!keys.ok) return fail(`${file}: ${keys.failure}`);
    const copy = join(stage, databasePart);
    const database = join(dataDir, databasePart);
    const report = prepareRestore(copy, {
      ...options,
      migrations,
      madeAt: Temporal.Instant.from(manifest.madeAt),
      replaced: existsSync(database) ? database : null,
    });
    const whole = examineDatabase(copy, "full");
    if (!whole.ok)
      return fail(`${file} cannot be migrated to this version: ${whole.failure.problem}`);
    for (const name of databaseFiles.slice(1)) rmSync(join(stage, name), { force: true });
    for (const [name, text] of keys.value) {
      writeFileSync(join(stage, name), text, { mode: 0o600, flush: true });
    }
    syncFile(copy);
    syncFolder(stage);
    const aside = asideIn(dataDir, now);
    const isReplacing = existsSync(database);
    writeIntent(dataDir, { stage: basename(stage), aside: basename(aside) });
    finishRestore(dataDir);
    const had = manifest.keyFiles ?? keyFiles.map(({ name }) => name);
    const lost = keyFiles.filter(
      ({ name }) => had.includes(name) && !existsSync(join(dataDir, name)),
    );
    return ok({
      ...report,
      manifest,
      aside: isReplacing ? aside : null,
      keys: [...keys.value.keys()],
      lost: lost.map(({ without }) => without),
    });
  } catch (error) {
    return fail(`${file} cannot be restored: ${messageOf(error)}`);
  } finally {
    if (!existsSync(join(dataDir, intentName))) rmSync(stage, { recursive: true, force: true });
  }
}

const stagePrefix = ".restoring-";

/** Unpacked and migrated, it may take three times its size. */
function roomFor({ parts }: Manifest, dataDir: string): string | null {
  const octets = parts.reduce((sum, part) => sum + part.octets, 0);
  const { bavail, bsize } = statfsSync(dataDir);
  const [free, needed] = [bavail * bsize, 2 * octets + 16 * 2 ** 20];
  if (free >= needed) return null;
  return `the disk of ${dataDir} has ${Math.floor(free / 2 ** 20)} MiB free, and this backup takes ${Math.ceil(needed / 2 ** 20)} MiB while it is restored`;
}

/** Unpacks a backup into a folder and checks it completely. Errors are sentences for people. */
export async function unpack(
  file: string,
  folder: string,
  onBytes: OnBytes = () => undefined,
): Promise<Result<Manifest, string>> {
  const open: number[] = [];
  const read = await readArchive(file, {
    begin({ name, octets }) {
      const sink = fileSink(join(folder, name));
      open.push(sink.descriptor);
      let written = 0;
      return (piece) => {
        sink.write(piece);
        written += piece.byteLength;
        onBytes(written, octets);
      };
    },
  }).finally(() => {
    for (const descriptor of open) closeSync(descriptor);
  });
  if (!read.ok) return read;
  const { migration } = read.value;
  const newest = readMigrations(migrations).length;
  if (migration > newest) {
    return fail(
      `${file} is of a newer Dayferry (${read.value.program}, migration ${migration}; this one ends at ${newest}): update this one first`,
    );
  }
  if (!existsSync(join(folder, databasePart))) return fail(`${file} holds no database`);
  const whole = examineDatabase(join(folder, databasePart), "full");
  if (!whole.ok) return fail(`${file}: ${whole.failure.problem}`);
  // SQLite accepts an empty file as a valid database.
  const { installation } = read.value;
  if (whole.value.migration !== migration || whole.value.installation !== installation) {
    return fail(
      `${file}: its database does not match its manifest (migration ${migration} of installation ${installation})`,
    );
  }
  return read;
}

/** Reads a backup as a restore would, in a temporary folder that is removed. With a passphrase its keys are tried as well. */
export async function verifyBackup(
  file: string,
  passphrase: string | null,
  onBytes?: OnBytes,
): Promise<Result<Manifest, string>> {
  const folder = mkdtempSync(join(tmpdir(), "dayferry-verify-"));
  try {
    const checked = await unpack(file, folder, onBytes);
    if (!checked.ok || passphrase === null) return checked;
    const keys = keysOf(checked.value, folder, passphrase);
    return keys.ok ? checked : fail(`${file}: ${keys.failure}`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function keysOf(
  { keys, installation, madeAt }: Manifest,
  stage: string,
  passphrase: string | null,
): Result<Keys, string> {
  const path = join(stage, keysPart);
  if (keys === "left out" || passphrase === null) {
    rmSync(path, { force: true });
    return ok(new Map());
  }
  if (!existsSync(path)) return fail("its keys are missing");
  const text = readFileSync(path, "utf8");
  rmSync(path);
  return openKeys(text, { passphrase, about: `${installation} ${madeAt}` });
}

export interface KeysRestored {
  readonly manifest: Manifest;
  /** Keys that were missing, truncated or different. */
  readonly keys: readonly string[];
  /** Where the previous keys are; null if there were none. */
  readonly aside: string | null;
}

/**
 * Restores only the keys of a backup, each atomically, and leaves the database alone: for a lost or truncated key file. Errors
 * are sentences for people; the backup of another installation is an error, because its keys open nothing here.
 */
export async function restoreKeys({
  file,
  dataDir,
  passphrase,
  now,
}: Omit<RestoreOptions, "epoch" | "quota">): Promise<Result<KeysRestored, string>> {
  const manifest = await readManifest(file);
  if (!manifest.ok) return manifest;
  const database = join(dataDir, databasePart);
  const facts = existsSync(database) ? examineDatabase(database, "quick") : null;
  if (facts?.ok && facts.value.installation !== manifest.value.installation) {
    return fail(
      `${file} is of another installation (${manifest.value.installation}; this one is ${facts.value.installation}), whose keys do not work here`,
    );
  }
  if (manifest.value.keys === "left out") return fail(`${file} holds no keys`);
  if (passphrase === null) return fail(`the keys in ${file} are encrypted: enter their passphrase`);
  removeUndecided(dataDir);
  const stage = mkdtempSync(join(dataDir, stagePrefix));
  try {
    const checked = await unpack(file, stage);
    if (!checked.ok) return checked;
    const opened = keysOf(checked.value, stage, passphrase);
    if (!opened.ok) return fail(`${file}: ${opened.failure}`);
    const aside = asideIn(dataDir, now);
    const keys = [...opened.value].filter(([name, text]) => textIn(join(dataDir, name)) !== text);
    for (const [name, text] of keys) {
      const path = join(dataDir, name);
      if (existsSync(path)) {
        mkdirSync(aside, { recursive: true, mode: 0o700 });
        copyFileSync(path, join(aside, name));
      }
      writeFileSync(join(stage, name), text, { mode: 0o600, flush: true });
      renameSync(join(stage, name), path);
    }
    syncFolder(dataDir);
    return ok({
      manifest: checked.value,
      keys: keys.map(([name]) => name),
      aside: existsSync(aside) ? aside : null,
    });
  } catch (error) {
    return fail(`the keys of ${file} cannot be restored: ${messageOf(error)}`);
  } finally {
    rmSync(stage, { recursive: true, force: true });
  }
}

const textIn = (path: string): string | null =>
  existsSync(path) ? readFileSync(path, "utf8") : null;

interface Intent {
  readonly stage: string;
  readonly aside: string;
}

function writeIntent(dataDir: string, intent: Intent): void {
  const draft = join(dataDir, draftName);
  writeFileSync(draft, JSON.stringify(intent), { mode: 0o600, flush: true });
  renameSync(draft, join(dataDir, intentName));
  syncFolder(dataDir);
}

/** True if a restore was interrupted after its decision: the database in place is then half of the old state. */
export const isRestoreDecided = (dataDir: string): boolean => existsSync(join(dataDir, intentName));

/** Removes what an interrupted restore left before its decision: a copy of the backup, and decrypted keys. */
function removeUndecided(dataDir: string): void {
  for (const name of readdirSync(dataDir)) {
    if (!name.startsWith(stagePrefix) && name !== draftName) continue;
    rmSync(join(dataDir, name), { recursive: true, force: true });
  }
}

/**
 * Completes a restore that was decided, from wherever it was interrupted, and removes the leftovers of one that was not; every
 * start does this before it opens the database. Each file is moved once: while the new one waits in its folder, the one in
 * place is the old one. Returns true if a restore was carried out. The caller holds the lock of the data directory.
 */
export function finishRestore(dataDir: string): boolean {
  const intent = join(dataDir, intentName);
  if (!isRestoreDecided(dataDir)) {
    try {
      removeUndecided(dataDir);
    } catch {
      // A folder that cannot be removed must not stop the start.
    }
    return false;
  }
  const { stage, aside }: Partial<Intent> = Object(JSON.parse(readFileSync(intent, "utf8")));
  if (!stage?.startsWith(stagePrefix) || !aside?.startsWith("replaced-")) {
    throw new Error(`${intent} does not name what to restore: remove it, and restore again`);
  }
  const from = join(dataDir, basename(stage));
  const to = join(dataDir, basename(aside));
  mkdirSync(to, { recursive: true, mode: 0o700 });
  if (existsSync(join(from, databasePart))) {
    // Move all of them before the new one comes: a WAL of another database would corrupt it.
    for (const name of databaseFiles) moveIfThere(join(dataDir, name), join(to, name));
    syncFolder(to);
    renameSync(join(from, databasePart), join(dataDir, databasePart));
  }
  for (const { name } of keyFiles) {
    if (!existsSync(join(from, name))) continue;
    moveIfThere(join(dataDir, name), join(to, name));
    renameSync(join(from, name), join(dataDir, name));
  }
  rmSync(join(dataDir, "daemon.json"), { force: true });
  syncFolder(dataDir);
  rmSync(intent);
  rmSync(from, { recursive: true, force: true });
  if (readdirSync(to).length === 0) rmSync(to, { recursive: true });
  syncFolder(dataDir);
  return true;
}

function moveIfThere(from: string, to: string): void {
  if (existsSync(from)) renameSync(from, to);
}

function syncFile(path: string): void {
  const descriptor = openSync(path, "r+");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

function asideIn(dataDir: string, now: Temporal.Instant): string {
  const stamp = now.toString({ smallestUnit: "second" }).replaceAll(/[-:]/g, "");
  return freeName(join(dataDir, `replaced-${stamp}`));
}

function freeName(path: string): string {
  for (let number = 1; ; number += 1) {
    const name = number === 1 ? path : `${path}-${number}`;
    if (!existsSync(name)) return name;
  }
}
