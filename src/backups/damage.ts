import { statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { messageOf } from "../domain/result.ts";
import { isDamage, openToRead } from "../store/copies/copy-database.ts";
import { diskProblem } from "../store/storage-health.ts";
import { isRestoreDecided } from "./restore-backup.ts";
import { listSnapshots, newestSnapshots } from "./snapshots.ts";

interface Place {
  readonly dataDir: string;
  readonly backups: { readonly directory: string };
}

const databaseName = "dayferry.sqlite";
/**
 * Created beside the database when it is first opened, and moved away with it. If this file exists, an empty database file is
 * damaged, not new.
 */
const knownName = `${databaseName}-known`;

/** Folder below the data directory with the copy that is served while the database is damaged. */
export const standInName = ".stand-in";

/** Records that there is a database, so that a truncated one is not taken for a new one. */
export function noteDatabase(dataDir: string): void {
  const file = join(dataDir, knownName);
  if (statSync(file, { throwIfNoEntry: false })) return;
  writeFileSync(file, "", { mode: 0o600 });
}

/** True if a daemon has served from this data directory before. */
export const isInUse = (dataDir: string): boolean =>
  statSync(join(dataDir, knownName), { throwIfNoEntry: false }) !== undefined;

/**
 * Checks the database file before it is opened: SQLite treats an empty file as a new database and deletes its WAL. Returns null
 * if nothing is wrong, if there is no file, or if a pending restore will replace it.
 */
export function damageBeforeOpening({ dataDir, backups }: Place): string | null {
  if (isRestoreDecided(dataDir)) return null;
  const file = join(dataDir, databaseName);
  const stats = statSync(file, { throwIfNoEntry: false });
  if (!stats) {
    const log = statSync(`${file}-wal`, { throwIfNoEntry: false });
    return log && log.size > 0 ? `${file} is missing, and its log is there` : null;
  }
  if (!stats.isFile()) return `${file} is damaged: it is not a file`;
  if (stats.size > 0) return null;
  const wasThere = [`${file}-wal`, join(dataDir, knownName)].some((path) =>
    statSync(path, { throwIfNoEntry: false }),
  );
  const isKnown = wasThere || listSnapshots(backups.directory).length > 0;
  return isKnown ? `${file} is damaged: it is empty` : null;
}

/** What is damaged, if this error came from opening the database; null for other errors. */
export function damageIn(error: unknown, { dataDir }: Pick<Place, "dataDir">): string | null {
  if (!isDamage(error)) return null;
  return `${join(dataDir, databaseName)} is damaged: ${messageOf(error)}`;
}

/** Why a command cannot run, and the remedy. */
export interface DataProblem {
  readonly what: string;
  readonly remedy: string;
}

/**
 * What an error says about the data directory: the database is damaged, or the disk does not work; null for other errors. `now`
 * names the place a damaged file would be moved to.
 */
export function dataProblem(
  error: unknown,
  { place, now }: { readonly place: Place; readonly now: Temporal.Instant },
): DataProblem | null {
  const damage = damageIn(error, place);
  if (damage !== null) return damageProblem(damage, { place, now });
  const { what, remedy } = diskProblem(error, place.dataDir) ?? {};
  if (what === undefined || remedy === undefined) return null;
  return { what: `${place.dataDir}: ${what}`, remedy: `${remedy}, and run it again` };
}

/** The remedy names the newest backup, which the restore checks before it replaces anything. */
export function damageProblem(
  what: string,
  { place, now }: { readonly place: Place; readonly now: Temporal.Instant },
): DataProblem {
  const [newest] = newestSnapshots(place.backups.directory, now);
  return { what, remedy: remedyFor(place, { good: newest?.file ?? null, now }) };
}

/** The command that repairs a damaged database; `good`: a backup that was checked without errors; null if there is none. */
export function remedyFor(
  { dataDir, backups }: Place,
  { good, now }: { readonly good: string | null; readonly now: Temporal.Instant },
): string {
  if (good !== null) {
    return `stop Dayferry, run \`dayferry restore ${quoted(good)}\` and start it again; data from the service is synced again, and the damaged file is kept`;
  }
  const stamp = now.toString({ smallestUnit: "second" }).replaceAll(/[-:]/g, "");
  const aside = quoted(join(dataDir, `damaged-${stamp}`));
  const files = `${quoted(join(dataDir, databaseName))}*`;
  return `there is no good backup in ${backups.directory}: stop Dayferry, run \`mkdir ${aside} && mv ${files} ${aside}\` and start it again: everything is read again from the service, and the keys and the damaged file are kept`;
}

/** Quotes a path as one shell word. */
const quoted = (path: string): string =>
  /^[\w./@%+=:,-]+$/.test(path) ? path : `'${path.replaceAll("'", String.raw`'\''`)}'`;

const rescueName = "rescued-edits.json";

/** Where the edits that could still be read from a damaged database were written, and how many. */
export interface Rescued {
  readonly file: string;
  readonly edits: number;
}

/**
 * Writes the undelivered edits that can still be read, with their comments and files, into a separate file: from both ends of
 * each table, up to the damage. Returns null if there are none.
 */
export function rescueEdits(dataDir: string): Rescued | null {
  const database = join(dataDir, databaseName);
  const opened = openToRead(database);
  if (!opened.ok) return null;
  const { db, close } = opened.value;
  const read = (table: string, which: string): readonly unknown[] => {
    const rows = new Map<string, unknown>();
    for (const order of ["ASC", "DESC"]) {
      try {
        const sql = `SELECT rowid AS place, * FROM ${table} NOT INDEXED WHERE ${which} ORDER BY rowid ${order}`;
        for (const row of db.prepare(sql).iterate()) {
          const { place }: { readonly place?: unknown } = Object(row);
          rows.set(String(place), row);
        }
        break;
      } catch {
        // The rows behind the damage are read from the other end.
      }
    }
    return [...rows.values()];
  };
  try {
    const waiting = "state IN ('pending', 'claimed', 'held', 'parked')";
    const edits = read("edits", waiting);
    if (edits.length === 0) return null;
    const extras = read("edit_extras", waiting);
    const file = join(dataDir, rescueName);
    writeFileSync(file, `${JSON.stringify({ database, edits, extras }, null, 2)}\n`, {
      mode: 0o600,
      flush: true,
    });
    return { file, edits: edits.length };
  } catch {
    // A full disk must not stop the daemon from serving.
    return null;
  } finally {
    close();
  }
}
