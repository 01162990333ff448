import Database from "better-sqlite3";
import { openReadOnly } from "../reading/read-only.ts";
import type { Run } from "./restored-edits.ts";

/** Revokes in a copy what was revoked since it was made. Without the replaced database, only browser sessions are ended. */
export function revokeSince(run: Run, knowsSince: boolean) {
  const logInsEnded = run("DELETE FROM sessions");
  run("DELETE FROM login_links");
  const dropped = knowsSince
    ? run(
        `DELETE FROM app_passwords WHERE NOT EXISTS (SELECT 1 FROM replaced.app_passwords r
           WHERE r.person = app_passwords.person AND r.digest = app_passwords.digest)`,
      )
    : 0;
  if (knowsSince)
    run("INSERT OR IGNORE INTO app_passwords SELECT * FROM replaced.app_passwords WHERE true");
  if (knowsSince) {
    run(
      "DELETE FROM access_tokens WHERE digest NOT IN (SELECT digest FROM replaced.access_tokens)",
    );
  }
  const kept = run("UPDATE app_passwords SET created_at = created_at");
  const feedsKeptShut = knowsSince
    ? run(
        `UPDATE feeds SET version = r.version, revoked_at = coalesce(feeds.revoked_at, r.revoked_at) FROM replaced.feeds r
         WHERE r.id = feeds.id AND r.created_at = feeds.created_at
           AND (r.version > feeds.version OR (r.revoked_at IS NOT NULL AND feeds.revoked_at IS NULL))`,
      )
    : 0;
  return { logInsEnded, passwords: { kept, dropped }, feedsKeptShut };
}

/**
 * Revokes in a copy of a backup what the damaged database, as far as it is readable, says was revoked since: feeds. Ends browser
 * sessions and app passwords, and forgets messages to the operator, which are about other troubles.
 */
export function keepRevoked(copy: string, damaged: string): void {
  const db = new Database(copy);
  try {
    const names = db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").pluck().all();
    for (const table of [
      ...["sessions", "login_links", "login_mails", "app_passwords", "access_tokens"],
      // Tables of older backups.
      ...["operator_messages", "reported_troubles", "troubles"],
    ]) {
      if (names.includes(table)) db.exec(`DELETE FROM ${table}`);
    }
    const shut = db.prepare(
      `UPDATE feeds SET version = max(version, @version), revoked_at = coalesce(revoked_at, @revoked_at)
       WHERE id = @id AND created_at = @created_at`,
    );
    const opened = openReadOnly(damaged);
    if (!opened.ok) return;
    try {
      const rows = opened.value.db
        .prepare("SELECT id, created_at, version, revoked_at FROM feeds")
        .all();
      for (const row of rows) shut.run(row);
    } catch {
      // Rows that cannot be read keep the state of the backup.
    } finally {
      opened.value.close();
    }
  } finally {
    db.close();
  }
}
