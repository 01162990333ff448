import { type InboxFile, inboxFileRow } from "../rows/channels.ts";
import { instantText } from "../rows/rows.ts";
import type { StoreDeps } from "../view/changes.ts";

/** Files of the watched folder that were dealt with and are not in their place yet. */
export interface InboxFiles {
  /** Belongs into the transaction that stores the file's edits. */
  add(file: InboxFile): void;
  all(): readonly InboxFile[];
  remove(path: string): void;
}

export function createInboxFiles({ db, clock }: StoreDeps): InboxFiles {
  const add = db.prepare(
    `INSERT INTO inbox_files (path, stamp, target, report, applied_at) VALUES (@path, @stamp, @target, @report, @now)
     ON CONFLICT (path) DO UPDATE SET stamp = excluded.stamp, target = excluded.target, report = excluded.report,
       applied_at = excluded.applied_at`,
  );
  const all = db.prepare("SELECT * FROM inbox_files ORDER BY path");
  const remove = db.prepare("DELETE FROM inbox_files WHERE path = ?");
  return {
    add: (file) => void add.run({ ...file, now: instantText(clock()) }),
    all: () => all.all().map(inboxFileRow),
    remove: (path) => void remove.run(path),
  };
}
