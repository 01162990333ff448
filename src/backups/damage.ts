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
/** Beside the database once one was opened, and moved away with it: an empty file is not a new database then. */
const knownName = `${databaseName}-known`;

/** What is served while the database is damaged, below the data directory. */
export const standInName = ".stand-in";

/** Notes that there is a database, so that one that was cut to nothing is not taken for a new one. */
export function noteDatabase(dataDir: string): void {
  const file = join(dataDir, knownName);
  if (statSync(file, { throwIfNoEntry: false })) return;
  writeFileSync(file, "", { mode: 0o600 });
}

/** Whether a daemon has served from this data directory before. */
export const isInUse = (dataDir: string): boolean =>
  statSync(join(dataDir, knownName), { throwIfNoEntry: false }) !== undefined;

/**
 * What the file of the database tells before it is opened: SQLite takes one without an octet for a new one, and throws its log
 * away. Null where nothing is wrong with it, where there is none, and where a restore waits to put another one in its place.
 */
export function damageBeforeOpening({ dataDir, backups }: Place): string | null {
  if (isRestoreDecided(dataDir)) return null;
  const file = join(dataDir, databaseName);
  const stats = statSync(file, { throwIfNoEntry: false });
  if (!stats) {
    const log = statSync(`${file}-wal`, { throwIfNoEntry: false });
    return log && log.size > 0 ? `${file} is missing, and its log is there` : null;
  }
  if (!stats.isFile()) return `${file} is damaged: it is no file`;
  if (stats.size > 0) return null;
  const wasThere = [`${file}-wal`, join(dataDir, knownName)].some((path) =>
    statSync(path, { throwIfNoEntry: false }),
  );
  const isKnown = wasThere || listSnapshots(backups.directory).length > 0;
  return isKnown ? `${file} is damaged: it is empty` : null;
}

/** What is damaged, where opening the database has ended with this error; null for errors of other kinds. */
export function damageIn(error: unknown, { dataDir }: Pick<Place, "dataDir">): string | null {
  if (!isDamage(error)) return null;
  return `${join(dataDir, databaseName)} is damaged: ${messageOf(error)}`;
}

/** What stands in the way of a command, and what a person does about it. */
export interface DataProblem {
  readonly what: string;
  readonly remedy: string;
}

/**
 * What an error says of the data directory: that the database is damaged, or that the disk does not take or give what is asked
 * of it; null for errors of other kinds. `now` names where a damaged file would be moved to.
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

/** The remedy names the newest backup, which is examined before it takes the place of anything. */
export function damageProblem(
  what: string,
  { place, now }: { readonly place: Place; readonly now: Temporal.Instant },
): DataProblem {
  const [newest] = newestSnapshots(place.backups.directory, now);
  return { what, remedy: remedyFor(place, { good: newest?.file ?? null, now }) };
}

/** What mends a damaged database, as one command to be typed; `good`: the backup that was found good, null = there is none. */
export function remedyFor(
  { dataDir, backups }: Place,
  { good, now }: { readonly good: string | null; readonly now: Temporal.Instant },
): string {
  if (good !== null) {
    return `stop Dayferry, run \`dayferry restore ${quoted(good)}\` and start it again; what the service has comes back by itself, and the damaged file is kept`;
  }
  const stamp = now.toString({ smallestUnit: "second" }).replaceAll(/[-:]/g, "");
  const aside = quoted(join(dataDir, `damaged-${stamp}`));
  const files = `${quoted(join(dataDir, databaseName))}*`;
  return `there is no good backup in ${backups.directory}: stop Dayferry, run \`mkdir ${aside} && mv ${files} ${aside}\` and start it again: everything is read anew from the service, the keys stay, and the damaged file is kept`;
}

/** As a shell takes it for one word. */
const quoted = (path: string): string =>
  /^[\w./@%+=:,-]+$/.test(path) ? path : `'${path.replaceAll("'", String.raw`'\''`)}'`;

const rescueName = "rescued-edits.json";

/** Where edits were written that could still be read of a damaged database, and how many those are. */
export interface Rescued {
  readonly file: string;
  readonly edits: number;
}

/**
 * Writes what can still be read of edits that had not arrived in the service, with their comments and files, into a file of
 * its own: from both ends of each table, as far as the damage. Null where there is none.
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
        // What lies behind the damage is read from the other end.
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
    // A full disk is no reason to serve nothing.
    return null;
  } finally {
    close();
  }
}
