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

/** A backup in the folder of those that are made by themselves. */
export interface KeptBackup {
  readonly name: string;
  readonly file: string;
  /** Why it was made: its turn has come, somebody has asked, or a migration was about to change the database. */
  readonly reason: "daily" | "asked" | "before-migration";
  readonly madeAt: Temporal.Instant;
  readonly octets: number;
}

/** How many are kept: of the last days, weeks and months, one each. */
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

/**
 * Gives a snapshot that is whole its name, and a number where one of the same second has that. Returns the path it has then; throws
 * what the disk has against it.
 */
export function giveFreeName(whole: string, file: string): string {
  for (let number = 1; ; number += 1) {
    const name = number === 1 ? file : `${file.slice(0, -ending.length)}-${number}${ending}`;
    try {
      // Where a rename would replace what has come meanwhile, a link refuses.
      linkSync(whole, name);
      return name;
    } catch {
      if (existsSync(name)) continue;
      // There are file systems without links; what else stands against it stands against a rename too.
      renameSync(whole, name);
      return name;
    }
  }
}

/** Those of a folder, the newest first; none of one that is not there. Other files are no business of ours. */
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
 * Those of a folder, the newest first, and behind them those that were made by a clock that ran ahead: when that was nobody
 * knows, and one of next year would be the newest for a year.
 */
export function newestSnapshots(folder: string, now: Temporal.Instant): readonly KeptBackup[] {
  const [ahead = [], past = []] = byClock(listSnapshots(folder), now);
  return [...past, ...ahead];
}

/** Those that are later than now, and the others. */
function byClock(snapshots: readonly KeptBackup[], now: Temporal.Instant) {
  const isAhead = ({ madeAt }: KeptBackup) => Temporal.Instant.compare(madeAt, now) > 0;
  return [snapshots.filter(isAhead), snapshots.filter((one) => !isAhead(one))];
}

/** So many of those that were made before a migration, or because somebody asked, are kept. */
const mostOthers = 5;

interface Pruning {
  readonly keep: Retention;
  readonly zone: string;
  readonly now: Temporal.Instant;
}

/**
 * Those that nobody needs any more: the newest of each of the last days, weeks and months stays. What a clock that ran ahead has
 * dated does not count among them, and does not push them out.
 */
export function superfluous(
  all: readonly KeptBackup[],
  { keep, zone, now }: Pruning,
): readonly KeptBackup[] {
  const [ahead = [], snapshots = []] = byClock(all, now);
  const daily = snapshots.filter(({ reason }) => reason === "daily");
  const dayOf = ({ madeAt }: KeptBackup) => madeAt.toZonedDateTimeISO(zone).toPlainDate();
  const kept = new Set([
    // The newest one is never too many.
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

/** Where a backup is put together: a new folder beside it, so that a rename gives it its name. */
export const makeScratch = (folder: string, dataDir: string): string =>
  mkdtempSync(join(folder, `${scratch}${ownerOf(dataDir)}-${process.pid}-`));

/** Removes what processes have left that were ended while they made a backup of this data directory on this machine. */
export function removeAbandoned(folder: string, dataDir: string): void {
  const own = ownerOf(dataDir);
  for (const name of readdirSync(folder)) {
    const [owner, pid] = name.startsWith(scratch) ? name.slice(scratch.length).split("-") : [];
    if (owner !== own || isAtWork(Number(pid))) continue;
    rmSync(join(folder, name), { recursive: true, force: true });
  }
}

/** Several machines may keep their backups in one folder, and the number of a process says nothing on another. */
const ownerOf = (dataDir: string): string =>
  createHash("sha256")
    .update(`${hostname()} ${resolve(dataDir)}`)
    .digest("hex")
    .slice(0, 8);

/** This process has not begun; in a container it often has the number of the one that was ended. */
function isAtWork(pid: number): boolean {
  if (pid === process.pid) return false;
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

/** Removes what is superfluous, and what was left half done more than a day ago. Returns how many backups went. */
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
