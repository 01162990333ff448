import { createHash } from "node:crypto";
import {
  existsSync,
  linkSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { hostname } from "node:os";
import { join, resolve } from "node:path";

/** A backup in the folder of automatic backups. */
export interface KeptBackup {
  readonly name: string;
  readonly file: string;
  /** Why it was made: daily, on request, or before a migration. */
  readonly reason: "daily" | "asked" | "before-migration";
  readonly madeAt: Temporal.Instant;
  readonly octets: number;
}

/** How many are kept: one for each of the last days, weeks and months. */
export interface Retention {
  readonly daily: number;
  readonly weekly: number;
  readonly monthly: number;
}

const ending = ".tar.gz";
const pattern =
  /^dayferry-(\d{4})(\d{2})(\d{2})T(\d{2})(\d{2})(\d{2})Z-(daily|asked|before-migration)(?:-(\d+))?\.tar\.gz$/;

export const snapshotName = (at: Temporal.Instant, reason: KeptBackup["reason"]): string =>
  `dayferry-${at.toString({ smallestUnit: "second" }).replaceAll(/[-:]/g, "")}-${reason}${ending}`;

/** Gives a complete backup its name, with a number if the name is taken. Returns the final path; throws file system errors. */
export function giveFreeName(whole: string, file: string): string {
  for (let number = 1; ; number += 1) {
    const name = number === 1 ? file : `${file.slice(0, -ending.length)}-${number}${ending}`;
    try {
      // A link fails if the name is taken, while a rename would replace the file.
      linkSync(whole, name);
      return name;
    } catch {
      if (existsSync(name)) continue;
      // Some file systems have no links; any other reason also stops a rename.
      renameSync(whole, name);
      return name;
    }
  }
}

/** The backups in a folder, newest first; empty if the folder is missing. Ignores other files. */
export function listSnapshots(folder: string): readonly KeptBackup[] {
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return [];
  const found = readdirSync(folder).flatMap((name) => {
    const [, year, month, day, hour, minute, second, kind, number = "1"] = pattern.exec(name) ?? [];
    const reason = reasons.find((one) => one === kind);
    const file = join(folder, name);
    const stats = statSync(file, { throwIfNoEntry: false });
    if (!reason || !stats?.isFile()) return [];
    try {
      const madeAt = Temporal.Instant.from(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
      const snapshot: KeptBackup = { name, file, reason, madeAt, octets: stats.size };
      return [{ snapshot, number: Number(number) }];
    } catch {
      return [];
    }
  });
  const newestFirst = found.toSorted(
    (a, b) => Temporal.Instant.compare(b.snapshot.madeAt, a.snapshot.madeAt) || b.number - a.number,
  );
  return newestFirst.map(({ snapshot }) => snapshot);
}

const reasons = ["daily", "asked", "before-migration"] as const;

/**
 * The backups in a folder, newest first, followed by those with a date in the future: their real time is unknown, and one of
 * next year would be the newest for a year.
 */
export function newestSnapshots(folder: string, now: Temporal.Instant): readonly KeptBackup[] {
  const [ahead = [], past = []] = byClock(listSnapshots(folder), now);
  return [...past, ...ahead];
}

/** Splits backups into those in the future and the others. */
function byClock(snapshots: readonly KeptBackup[], now: Temporal.Instant) {
  const isAhead = ({ madeAt }: KeptBackup) => Temporal.Instant.compare(madeAt, now) > 0;
  return [snapshots.filter(isAhead), snapshots.filter((one) => !isAhead(one))];
}

/** How many backups from before a migration or on request are kept. */
const mostOthers = 5;

interface Pruning {
  readonly keep: Retention;
  readonly zone: string;
  readonly now: Temporal.Instant;
}

/**
 * The backups to delete: all but the newest of each of the last days, weeks and months. Those dated in the future are ignored.
 */
export function superfluous(
  all: readonly KeptBackup[],
  { keep, zone, now }: Pruning,
): readonly KeptBackup[] {
  const [ahead = [], snapshots = []] = byClock(all, now);
  const daily = snapshots.filter(({ reason }) => reason === "daily");
  const dayOf = ({ madeAt }: KeptBackup) => madeAt.toZonedDateTimeISO(zone).toPlainDate();
  const kept = new Set([
    // The newest one is always kept.
    ...daily.slice(0, 1),
    ...newestOfEach(daily, { most: keep.daily, period: (one) => dayOf(one).toString() }),
    ...newestOfEach(daily, {
      most: keep.weekly,
      period: (one) => `${dayOf(one).yearOfWeek}-${dayOf(one).weekOfYear}`,
    }),
    ...newestOfEach(daily, {
      most: keep.monthly,
      period: (one) => dayOf(one).toPlainYearMonth().toString(),
    }),
    ...ahead.slice(0, mostOthers),
    ...snapshots.filter(({ reason }) => reason === "asked").slice(0, mostOthers),
    ...snapshots.filter(({ reason }) => reason === "before-migration").slice(0, mostOthers),
  ]);
  return all.filter((one) => !kept.has(one));
}

function newestOfEach(
  snapshots: readonly KeptBackup[],
  { most, period }: { readonly most: number; readonly period: (one: KeptBackup) => string },
): readonly KeptBackup[] {
  const periods = Map.groupBy(snapshots, period);
  return [...periods.values()].slice(0, most).flatMap(([newest]) => newest ?? []);
}

const scratch = ".dayferry-backup-";

/** Creates a new folder beside the target in which a backup is built, so that a rename completes it. */
export const makeScratch = (folder: string, dataDir: string): string =>
  mkdtempSync(join(folder, `${scratch}${ownerOf(dataDir)}-${process.pid}-`));

/** Removes what killed backup processes of this data directory have left on this machine. */
export function removeAbandoned(folder: string, dataDir: string): void {
  const own = ownerOf(dataDir);
  for (const name of readdirSync(folder)) {
    const [owner, pid] = name.startsWith(scratch) ? name.slice(scratch.length).split("-") : [];
    if (owner !== own || isAtWork(Number(pid))) continue;
    rmSync(join(folder, name), { recursive: true, force: true });
  }
}

/** Several machines may share a backup folder, and a process id means nothing on another machine. */
const ownerOf = (dataDir: string): string =>
  createHash("sha256")
    .update(`${hostname()} ${resolve(dataDir)}`)
    .digest("hex")
    .slice(0, 8);

/** The current process has not started a backup yet. In a container, it often has the same id as a killed one. */
function isAtWork(pid: number): boolean {
  if (pid === process.pid) return false;
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

/** Removes backups that are no longer kept and partial ones older than a day. Returns how many were removed. */
export function prune(folder: string, options: Pruning): number {
  const gone = superfluous(listSnapshots(folder), options);
  for (const { file } of gone) rmSync(file, { force: true });
  const yesterday = options.now.subtract({ hours: 24 }).epochMilliseconds;
  for (const name of readdirSync(folder).filter((one) => one.startsWith(scratch))) {
    const path = join(folder, name);
    if (statSync(path).mtimeMs < yesterday) rmSync(path, { recursive: true, force: true });
  }
  return gone.length;
}
