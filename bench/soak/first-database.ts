import { cpSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { migrate } from "../../src/store/migrate.ts";

export const firstInstallation = "50aca0c0ffee0000.dayferry";

const oldChanges = 5000;

/** Lays a database of the first version into a data directory, with what it had kept for months: an upgrade begins with it. */
export function layFirstDatabase(dataDir: string, now: Temporal.Instant): void {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const migrations = mkdtempSync(join(tmpdir(), "dayferry-soak-"));
  const first = "0001_spine.sql";
  cpSync(join(import.meta.dirname, "../../migrations", first), join(migrations, first));
  const db = new Database(join(dataDir, "dayferry.sqlite"));
  migrate(db, migrations);
  rmSync(migrations, { recursive: true });
  const at = now.subtract({ hours: 24 * 200 }).toString();
  db.prepare("INSERT INTO meta (name, value) VALUES ('installation', ?)").run(firstInstallation);
  const identity = db.prepare(
    "INSERT INTO identities (kind, service_id, uid, sequence, modified_at, created_at) VALUES ('event', ?, ?, 1, ?, ?)",
  );
  const version = db.prepare(
    `INSERT INTO versions (item, revision, sequence, at, collection, content) VALUES (?, ?, 0, ?, 'events:1', NULL)`,
  );
  const change = db.prepare(
    "INSERT INTO changes (at, collection, item, act) VALUES (?, 'events:1', ?, 'bury')",
  );
  db.transaction(() => {
    for (let nth = 1; nth <= oldChanges; nth += 1) {
      const { lastInsertRowid: item } = identity.run(900_000 + nth, `event-old-${nth}`, at, at);
      const { lastInsertRowid: revision } = change.run(at, item);
      version.run(item, revision, at);
    }
  })();
  db.close();
}
