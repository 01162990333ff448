import { randomBytes } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import Database from "better-sqlite3";
import { onTestFinished } from "vitest";
import { type MadeBackup, makeBackup } from "../../src/backups/make-backup.ts";
import { type Restored, restoreBackup } from "../../src/backups/restore-backup.ts";
import { openStore, type Store } from "../../src/store/store.ts";

const migrations = fileURLToPath(new URL("../../migrations", import.meta.url));
export const noon = "2026-11-21T12:00:00Z";
export const passphrase = "four words beside one another";

/** A data directory with a database and all keys, removed after the test. */
export function aDataDirectory() {
  const folder = mkdtempSync(join(tmpdir(), "dayferry-backups-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, "dayferry.sqlite");
  for (const name of ["admin-token", "feed-key", "link-key", "mail-key"]) {
    writeFileSync(join(folder, name), `${name}-${"0".repeat(32)}\n`, { mode: 0o600 });
  }
  let ids = 0;
  const open = (now = noon): Store =>
    openStore({
      file,
      migrations,
      zone: "Europe/Berlin",
      clock: () => Temporal.Instant.from(now),
      randomId() {
        ids += 1;
        return `id-${ids}`;
      },
    });
  open().close();
  return {
    folder,
    file,
    open,
    key: (name: string) => readFileSync(join(folder, name), "utf8"),
    /** Runs SQL directly on the database. */
    sql(text: string) {
      const db = new Database(file);
      db.exec(text);
      db.close();
    },
    rows(text: string, from = file): readonly unknown[] {
      const db = new Database(from, { readonly: true });
      try {
        return db.prepare(text).all();
      } finally {
        db.close();
      }
    },
    backup: (
      changes: Partial<Parameters<typeof makeBackup>[0]> = {},
      onBytes?: Parameters<typeof makeBackup>[2],
    ) =>
      makeBackup(
        {
          dataDir: folder,
          file: join(folder, "one.tar.gz"),
          ifTaken: "replace",
          // Sealing keys takes a tenth of a second, so only tests that look at them do it.
          passphrase: null,
          program: "1.2.3",
          now: noon,
          ...changes,
        },
        randomBytes,
        onBytes,
      ),
    restore: (changes: Partial<Parameters<typeof restoreBackup>[0]> = {}) =>
      restoreBackup({
        file: join(folder, "one.tar.gz"),
        dataDir: folder,
        passphrase,
        epoch: "the next epoch",
        now: Temporal.Instant.from("2026-11-22T12:00:00Z"),
        quota: 25,
        ...changes,
      }),
  };
}

/** The result, or the words of the failure. */
export function good<Value extends MadeBackup | Restored>(
  result:
    | { readonly ok: true; readonly value: Value }
    | { readonly ok: false; readonly failure: unknown },
): Value {
  if (!result.ok) throw new Error(JSON.stringify(result.failure));
  return result.value;
}
